/** "Show the code": the Python behind the frame that is shown, fetched when a reader opens it. */

import { getElement } from "./dom.js"
import { readState } from "./form.js"
import { message } from "./messages.js"
import { getRuntime } from "./runtime.js"
import { stageSentence } from "./telling.js"

/**
 * Fill the foldable part of a demo when it opens, and anew with each frame while it is open. What a reader
 * has changed stays.
 * @param {HTMLElement} demo
 * @param {AbortSignal} signal ends it
 */
export function mountCode(demo, signal) {
  const part = /** @type {HTMLDetailsElement} */ (getElement(demo, "[data-part=code]"))
  const place = getElement(part, "[data-part=source]")
  const refresh = () => {
    if (part.open && !place.querySelector("textarea")) show(demo, place)
  }
  part.addEventListener("toggle", () => part.open && getRuntime().retry(), { signal })
  part.addEventListener("toggle", refresh, { signal })
  demo.addEventListener("course-frame", refresh, { signal })
  place.addEventListener("click", (event) => pressed(event, demo, refresh, signal), { signal })
  signal.addEventListener("abort", () => getRuntime().stop(demo.id)) // nobody could press the button any more
}

/**
 * @param {HTMLElement} demo
 * @param {HTMLElement} place
 */
async function show(demo, place) {
  const form = /** @type {HTMLFormElement} */ (getElement(demo, "form"))
  const { demo: name = "", lang = "zh" } = demo.dataset
  const runtime = getRuntime()
  const stopListening = runtime.onStage((stage) => {
    if (!place.querySelector("section")) place.textContent = stageSentence(stage)
  })
  try {
    const html = await runtime.code({ key: demo.id, demo: name, state: readState(form), lang })
    if (html === undefined) return // a newer state's code is on its way
    const at = place.querySelector("pre")?.scrollTop ?? 0
    place.innerHTML = html
    place.querySelector("pre")?.scrollTo({ top: at })
  } catch (error) {
    place.textContent = message("code_failed", { detail: error instanceof Error ? error.message : "" })
  } finally {
    stopListening()
  }
}

/**
 * @param {MouseEvent} event
 * @param {HTMLElement} demo
 * @param {() => void} refresh
 * @param {AbortSignal} signal
 */
async function pressed(event, demo, refresh, signal) {
  const button = event.target instanceof Element ? event.target.closest("[data-code]") : undefined
  const section = button?.closest("section")
  if (!(button instanceof HTMLElement) || !section) return
  const { code } = button.dataset
  if (code === "copy") return copy(section, demo)
  if (code === "stop") return getRuntime().stop(demo.id)
  const { endEditing, runEdited, startEditing } = await import("./editor.js") // few readers need it
  if (code === "edit") startEditing(section, signal)
  else if (code === "run") runEdited(section, demo)
  else if (code === "reset") {
    endEditing(section)
    refresh()
  }
}

/**
 * @param {HTMLElement} section
 * @param {HTMLElement} demo
 */
async function copy(section, demo) {
  const editor = section.querySelector("textarea")
  const source = editor?.value ?? getElement(section, "pre").textContent ?? ""
  const status = getElement(demo, "[data-part=status]")
  try {
    await navigator.clipboard.writeText(source)
    status.textContent = message("code_copied")
  } catch {
    status.textContent = message("code_not_copied")
  }
}
