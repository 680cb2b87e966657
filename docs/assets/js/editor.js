/** The editor of a function in "Show the code": the reader changes it, and the frame is computed with it. */

import { getElement } from "./dom.js"
import { codeField, fieldOf } from "./field.js"
import { readState } from "./form.js"
import { message } from "./messages.js"
import { getRuntime } from "./runtime.js"

const ACTS = ["run", "stop", "reset"]

/**
 * Put an editor in the place of a function's source, or go to the one that is there.
 * @param {HTMLElement} section
 * @param {AbortSignal} signal ends it
 */
export function startEditing(section, signal) {
  const open = section.querySelector("textarea")
  if (open) return fieldOf(open).focus()
  const listing = getElement(section, ".highlight")
  listing.hidden = true
  const buttons = ACTS.map((act) => {
    const button = document.createElement("button")
    button.type = "button"
    button.dataset.code = act
    button.textContent = message(`code_${act}`)
    button.disabled = act === "stop"
    return button
  })
  const status = document.createElement("span")
  status.setAttribute("role", "status")
  const result = document.createElement("div")
  result.className = "code-result"
  const editor = document.createElement("div")
  editor.className = "code-editor"
  editor.append(
    ...codeField(listing.textContent ?? "", section.dataset.function ?? "", signal),
    ...buttons,
    status,
    result,
  )
  editor.addEventListener("keydown", runByKey, { capture: true }) // before the field takes it for a new line
  section.append(editor)
  fieldOf(areaOf(section)).focus()
}

/**
 * Take the editor and its changes away.
 * @param {HTMLElement} section
 */
export function endEditing(section) {
  fieldOf(areaOf(section)).close()
  section.querySelector(".code-editor")?.remove()
  getElement(section, ".highlight").hidden = false
  getElement(section, "[data-code=edit]").focus()
}

/** @param {KeyboardEvent} event */
function runByKey(event) {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.isComposing) return
  event.preventDefault()
  event.stopPropagation()
  getElement(/** @type {HTMLElement} */ (event.currentTarget), "[data-code=run]").click()
}

/**
 * Compute the frame with all that is changed in the demo, and show it below the editor that asked.
 * @param {HTMLElement} section
 * @param {HTMLElement} demo
 */
export async function runEdited(section, demo) {
  const editor = getElement(section, ".code-editor")
  const status = getElement(editor, "[role=status]")
  const result = getElement(editor, ".code-result")
  const tell = (/** @type {string | HTMLElement} */ said, wrong = false) => {
    status.replaceChildren(said)
    status.classList.toggle("wrong", wrong)
  }
  const form = /** @type {HTMLFormElement} */ (getElement(demo, "form"))
  const { demo: name = "", lang = "zh" } = demo.dataset
  setRunning(demo, true)
  for (const area of demo.querySelectorAll("textarea")) fieldOf(area).mark(0)
  result.replaceChildren()
  tell(message("code_running"))
  try {
    const asked = { key: demo.id, demo: name, state: readState(form), lang, edits: editsOf(demo) }
    const ran = await getRuntime().run(asked)
    if (!ran) return
    const failed = ran.line > 0 ? areaWith(demo, ran.function) : undefined
    tell(failed ? linkTo(failed, ran.line, ran.error) : ran.error || ran.say, ran.error !== "")
    if (ran.output) result.append(...titled("code_printed", printed(ran.output)))
    if (ran.html) result.append(...titled("code_frame", framed(ran.html)))
    if (failed) fieldOf(failed).mark(ran.line)
  } catch (error) {
    const { code, message: detail } = /** @type {{code?: string, message: string}} */ (error)
    if (code === "stopped") tell(message("code_stopped"))
    else tell(message("code_not_run", { detail }), true)
  } finally {
    setRunning(demo, false)
  }
}

/** @param {HTMLElement} demo */
function editsOf(demo) {
  /** @type {Record<string, string>} */
  const edits = {}
  for (const area of demo.querySelectorAll("textarea")) edits[functionOf(area)] = area.value
  return edits
}

/** @param {HTMLElement} section */
function areaOf(section) {
  return /** @type {HTMLTextAreaElement} */ (getElement(section, "textarea"))
}

/**
 * The open editor of a function.
 * @param {HTMLElement} demo
 * @param {string} name
 */
function areaWith(demo, name) {
  return [...demo.querySelectorAll("textarea")].find((area) => functionOf(area) === name)
}

/** @param {HTMLTextAreaElement} area */
function functionOf(area) {
  const section = /** @type {HTMLElement | null} */ (area.closest("[data-function]"))
  return section?.dataset.function ?? ""
}

/**
 * What failed, as a button that leads to its line.
 * @param {HTMLTextAreaElement} area
 * @param {number} line from 1
 * @param {string} said
 */
function linkTo(area, line, said) {
  const button = document.createElement("button")
  button.type = "button"
  button.className = "code-failed"
  button.textContent = said
  button.addEventListener("click", () => fieldOf(area).goTo(line))
  return button
}

/**
 * While the reader's code runs it can be stopped, and not be started again.
 * @param {HTMLElement} demo
 * @param {boolean} running
 */
function setRunning(demo, running) {
  for (const button of demo.querySelectorAll(".code-editor button")) {
    if (!(button instanceof HTMLButtonElement)) continue
    button.disabled = (button.dataset.code === "stop") !== running
  }
}

/**
 * @param {string} key
 * @param {HTMLElement} content
 */
function titled(key, content) {
  const title = document.createElement("p")
  title.className = "panel-name"
  title.textContent = message(key)
  return [title, content]
}

/** @param {string} output */
function printed(output) {
  const part = document.createElement("pre")
  part.tabIndex = 0
  part.dataset.part = "output"
  part.textContent = output
  return part
}

/** @param {string} html */
function framed(html) {
  const part = document.createElement("div")
  part.className = "demo-frame"
  part.innerHTML = html
  return part
}
