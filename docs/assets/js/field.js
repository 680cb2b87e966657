/** What a reader types code into: a plain text field at once, CodeMirror in its place when it is there. */

import { message } from "./messages.js"

/**
 * @typedef {object} Field
 * @property {() => void} focus
 * @property {(line: number) => void} mark show that this line, from 1, failed; with 0 that none did
 * @property {(line: number) => void} goTo select the line that failed
 * @property {() => void} close
 */

/** @type {WeakMap<HTMLTextAreaElement, Field>} */
const fields = new WeakMap()
let count = 0

/**
 * The field that shows the text of `area`.
 * @param {HTMLTextAreaElement} area
 * @returns {Field}
 */
export function fieldOf(area) {
  const found = fields.get(area)
  if (!found) throw new Error("this text area is no code field")
  return found
}

/**
 * A text field with `source`, below it which keys do what. Its text is always that of the text area.
 * @param {string} source
 * @param {string} name of the function
 * @param {AbortSignal} signal ends it
 * @returns {HTMLElement[]}
 */
export function codeField(source, name, signal) {
  const area = document.createElement("textarea")
  area.value = source
  area.setSelectionRange(0, 0)
  area.rows = Math.min(24, source.split("\n").length + 1)
  area.spellcheck = false
  area.autocapitalize = "off"
  const hint = document.createElement("p")
  hint.className = "code-hint"
  hint.id = `code-hint-${++count}`
  hint.textContent = message("code_hint_plain", { key: commandKey() })
  area.setAttribute("aria-label", message("code_of", { name }))
  area.setAttribute("aria-describedby", hint.id)
  fields.set(area, plain(area))
  signal.addEventListener("abort", () => fieldOf(area).close())
  improve(area, hint, signal)
  return [area, hint]
}

/**
 * Put CodeMirror in the place of the text field. Where it cannot be had, the text field goes on.
 * @param {HTMLTextAreaElement} area
 * @param {HTMLElement} hint
 * @param {AbortSignal} signal
 */
async function improve(area, hint, signal) {
  try {
    const { modules, overlay } = await import("./codemirror.js")
    const loaded = await modules()
    await composed(area)
    if (signal.aborted || !area.isConnected) return
    fields.set(area, overlay(loaded, area, hint.id))
    hint.textContent = message("code_hint", { key: commandKey() })
  } catch {
    // The browser's console names the file. For the reader nothing is amiss.
  }
}

/**
 * Wait for the end of a word that is just being composed, Chinese say: it must not be cut.
 * @param {HTMLTextAreaElement} area
 */
function composed(area) {
  if (!area.matches("[data-composing]")) return
  return new Promise((resolve) => area.addEventListener("compositionend", resolve, { once: true }))
}

/**
 * @param {HTMLTextAreaElement} area
 * @returns {Field}
 */
function plain(area) {
  area.addEventListener("compositionstart", () => area.toggleAttribute("data-composing", true))
  area.addEventListener("compositionend", () => area.toggleAttribute("data-composing", false))
  const goTo = (/** @type {number} */ line) => {
    const lines = area.value.split("\n")
    const start = lines.slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0)
    area.focus()
    area.setSelectionRange(start, start + (lines[line - 1] ?? "").length)
  }
  return {
    focus: () => area.focus(),
    mark: (line) => line > 0 && goTo(line), // it has no other mark than the selection
    goTo,
    close: () => {},
  }
}

/** The key that goes with Enter to run the code. */
function commandKey() {
  return /Mac|iPhone|iPad/.test(navigator.platform) ? "⌘" : "Ctrl"
}
