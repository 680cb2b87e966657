/** The editor of a function in "Show the code": the reader changes it, and the frame is computed with it. */

import { getElement } from "./dom.js"
import { readState } from "./form.js"
import { message } from "./messages.js"
import { getRuntime } from "./runtime.js"

const ACTS = ["run", "stop", "reset"]

/**
 * Put an editor in the place of a function's source, or go to the one that is there.
 * @param {HTMLElement} section
 */
export function startEditing(section) {
  const open = section.querySelector("textarea")
  if (open) return open.focus()
  const listing = getElement(section, ".highlight")
  listing.hidden = true
  const area = document.createElement("textarea")
  area.value = listing.textContent ?? ""
  area.rows = Math.min(24, area.value.split("\n").length + 1)
  area.spellcheck = false
  area.autocapitalize = "off"
  area.setAttribute("aria-label", message("code_of", { name: section.dataset.function ?? "" }))
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
  editor.append(area, ...buttons, status, result)
  section.append(editor)
  area.focus()
}

/**
 * Take the editor and its changes away.
 * @param {HTMLElement} section
 */
export function endEditing(section) {
  section.querySelector(".code-editor")?.remove()
  getElement(section, ".highlight").hidden = false
  getElement(section, "[data-code=edit]").focus()
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
  const tell = (/** @type {string} */ said, wrong = false) => {
    status.textContent = said
    status.classList.toggle("wrong", wrong)
  }
  const form = /** @type {HTMLFormElement} */ (getElement(demo, "form"))
  const { demo: name = "", lang = "zh" } = demo.dataset
  setRunning(demo, true)
  result.replaceChildren()
  tell(message("code_running"))
  try {
    const asked = { key: demo.id, demo: name, state: readState(form), lang, edits: editsOf(demo) }
    const ran = await getRuntime().run(asked)
    if (!ran) return
    tell(ran.error || ran.say, ran.error !== "")
    if (ran.output) result.append(...titled("code_printed", printed(ran.output)))
    if (ran.html) result.append(...titled("code_frame", framed(ran.html)))
    if (ran.line > 0) selectLine(demo, ran.function, ran.line)
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

/** @param {HTMLTextAreaElement} area */
function functionOf(area) {
  const section = /** @type {HTMLElement | null} */ (area.closest("[data-function]"))
  return section?.dataset.function ?? ""
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

/**
 * Show the line that failed.
 * @param {HTMLElement} demo
 * @param {string} name
 * @param {number} line from 1
 */
function selectLine(demo, name, line) {
  for (const area of demo.querySelectorAll("textarea")) {
    if (functionOf(area) !== name) continue
    const lines = area.value.split("\n")
    const start = lines.slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0)
    area.focus()
    area.setSelectionRange(start, start + (lines[line - 1] ?? "").length)
  }
}
