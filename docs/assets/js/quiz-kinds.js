/** What a reader answers a quiz with, by kind: read it, set it again, say what is right and wrong of it. */

import { getElement } from "./dom.js"
import { message } from "./messages.js"

/**
 * @typedef {{right: boolean, words: string, told: string[]}} Verdict
 *   told: the answers whose explanations are shown
 * @typedef {object} Kind
 * @property {(form: HTMLFormElement) => string[]} read  what is answered so far; empty if nothing is
 * @property {(form: HTMLFormElement, answer: string[]) => void} write
 * @property {(form: HTMLFormElement) => string} missing  words that ask for an answer that can be checked
 * @property {(form: HTMLFormElement) => Verdict} mark
 */

/**
 * @param {HTMLFormElement} form
 * @returns {Kind}
 * @throws {Error} for a kind that the build does not make
 */
export function kindOf(form) {
  const name = form.dataset.kind ?? "choice"
  const kind = { choice, cell: choice, number, order }[name]
  if (!kind) throw new Error(`unknown kind of quiz "${name}"`)
  return kind
}

/** Options and cells: inputs that are checked or not. @type {Kind} */
const choice = {
  read: (form) => inputs(form).flatMap((input) => (input.checked ? [input.value] : [])),
  write(form, answer) {
    for (const input of inputs(form)) input.checked = answer.includes(input.value)
  },
  missing: (form) => (choice.read(form).length ? "" : message("quiz_choose")),
  mark(form) {
    const answer = form.dataset.answer ?? ""
    const wanted = form.dataset.kind === "cell" ? [answer] : answer.split("")
    const picked = choice.read(form)
    for (const input of inputs(form)) {
      const right = wanted.includes(input.value)
      const option = input.closest(".quiz-option, .quiz-cell")
      option?.classList.toggle("is-right", input.checked && right)
      option?.classList.toggle("is-wrong", input.checked && !right)
      option?.classList.toggle("is-missed", !input.checked && right)
    }
    const hits = picked.filter((value) => wanted.includes(value)).length
    const right = hits === wanted.length && picked.length === wanted.length
    const words = message(right ? "quiz_right" : hits ? "quiz_partly" : "quiz_wrong")
    return { right, words, told: [...picked, ...(hits ? wanted : [])] }
  },
}

/** A number that may be off by the form's tolerance. @type {Kind} */
const number = {
  read: (form) => [field(form).value].filter((text) => text.trim()),
  write(form, answer) {
    field(form).value = answer[0] ?? ""
  },
  missing(form) {
    const text = field(form).value
    if (!text.trim()) return message("quiz_fill")
    return parseNumber(text) ? "" : message("quiz_not_number")
  },
  mark(form) {
    const typed = parseNumber(field(form).value)
    const right = typed !== undefined && agrees(form, typed, form.dataset.answer ?? "")
    field(form).classList.add(right ? "is-right" : "is-wrong")
    const told = explained(form).filter((value) => typed !== undefined && agrees(form, typed, value))
    return { right, words: message(right ? "quiz_right" : "quiz_wrong"), told }
  },
}

/** Steps to bring into order; those that nobody moved are no answer yet. @type {Kind} */
const order = {
  read(form) {
    const shown = steps(form).map(letterOf)
    return shown.join("") === [...shown].sort().join("") ? [] : shown
  },
  write(form, answer) {
    const known = steps(form)
    const wanted = answer.flatMap((value) => known.find((step) => letterOf(step) === value) ?? [])
    if (wanted.length === known.length) getElement(form, ".quiz-steps").append(...wanted)
  },
  missing: (form) => (order.read(form).length ? "" : message("quiz_move")),
  mark(form) {
    const wanted = form.dataset.answer ?? ""
    let count = 0
    for (const [place, step] of steps(form).entries()) {
      const right = letterOf(step) === wanted[place]
      step.classList.toggle("is-right", right)
      step.classList.toggle("is-wrong", !right)
      if (!right) count += 1
    }
    const words = count ? message("quiz_misplaced", { count }) : message("quiz_right")
    return { right: count === 0, words, told: [] }
  },
}

/**
 * Move the step whose button was pressed by one place; says where it stands then, or nothing at an end.
 * @param {HTMLFormElement} form
 * @param {HTMLElement} button
 */
export function move(form, button) {
  const all = steps(form)
  const at = all.findIndex((step) => step.contains(button))
  const to = at + Number(button.dataset.move)
  const [step, other] = [all[at], all[to]]
  if (!step || !other) return ""
  if (to > at) step.before(other)
  else step.after(other) // the neighbour moves, so that the button keeps the focus
  return message("quiz_moved", { letter: letterOf(step), place: to + 1, count: all.length })
}

/**
 * A number as people type it: 0.25, 1/4, 25%, −3, 1,024, ０．５; with whether it has a percent sign.
 * @param {string} text
 * @returns {{value: number, percent: boolean} | undefined}
 */
export function parseNumber(text) {
  const plain = text.normalize("NFKC").replace(/\s/g, "").replace(/[−–]/g, "-").replace("。", ".")
  const match = /^([-+]?[\d.,]+(?:e[-+]?\d+)?)(?:\/(\d+(?:\.\d+)?))?(%?)$/i.exec(plain)
  if (!match) return undefined
  const [, digits = "", below = "1", percent = ""] = match
  const whole = digits.replace(/,(?=\d{3}(?!\d))/g, "")
  const value = Number(whole) / Number(below)
  return Number.isFinite(value) ? { value, percent: percent !== "" } : undefined
}

/**
 * Whether a number is `wanted` within the tolerance. Where the answer is a percentage, its sign may be left out.
 * @param {HTMLFormElement} form
 * @param {{value: number, percent: boolean}} typed
 * @param {string} wanted
 */
function agrees(form, typed, wanted) {
  const tolerance = Number(form.dataset.tolerance)
  const near = (/** @type {number} */ value) =>
    Math.abs(value - Number(wanted)) <= tolerance + 1e-9 * Math.max(1, Math.abs(Number(wanted)))
  if (form.dataset.unit !== "%") return near(typed.percent ? typed.value / 100 : typed.value)
  return near(typed.value) || (!typed.percent && near(typed.value * 100))
}

/** @param {HTMLFormElement} form */
function explained(form) {
  return [...form.querySelectorAll("[data-for]")].map((part) => part.getAttribute("data-for") ?? "")
}

/** @param {HTMLFormElement} form */
function field(form) {
  const found = getElement(form, ".quiz-field")
  if (!(found instanceof HTMLInputElement)) throw new Error("a quiz's field is no input")
  return found
}

/** @param {HTMLFormElement} form */
function steps(form) {
  return [...form.querySelectorAll(".quiz-step")].filter((step) => step instanceof HTMLElement)
}

/** @param {HTMLElement} step */
function letterOf(step) {
  return step.dataset.value ?? ""
}

/** @param {HTMLFormElement} form */
function inputs(form) {
  return [...form.elements].filter(
    /** @returns {input is HTMLInputElement} */
    (input) => input instanceof HTMLInputElement && (input.type === "radio" || input.type === "checkbox"),
  )
}
