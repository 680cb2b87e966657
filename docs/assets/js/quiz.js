/** Quizzes: answer, check, see why; the answer is kept in this browser until it is reset. */

import { getElement, getOptionalElement } from "./dom.js"
import { message } from "./messages.js"
import { kindOf, move } from "./quiz-kinds.js"
import { load, remove, save } from "./storage.js"

/** @typedef {{chosen: string[], checked: boolean}} Saved */

const MARKS = ["is-right", "is-wrong", "is-missed", "is-shown"]

/**
 * Bring a quiz to life: its check and reset buttons, and what the reader answered last time.
 * @param {HTMLFormElement} form
 */
export function mountQuiz(form) {
  if (form.dataset.live !== undefined) return
  form.dataset.live = ""
  form.noValidate = true
  const key = `quiz.${form.dataset.quiz}`
  const kind = kindOf(form)

  const changed = (words = "") => {
    clearMarks(form)
    const kept = save(key, { chosen: kind.read(form), checked: false })
    tell(form, kept ? words : `${words} ${message("quiz_not_saved")}`.trim(), "plain")
  }
  form.addEventListener("submit", (event) => {
    event.preventDefault()
    check(form, key)
  })
  form.addEventListener("input", () => changed())
  form.addEventListener("click", (event) => {
    const button = event.target instanceof Element ? event.target.closest("[data-move]") : null
    const words = button instanceof HTMLElement ? move(form, button) : ""
    if (words) changed(words)
  })
  form.addEventListener("reset", () => {
    remove(key)
    clearMarks(form)
    if (form.dataset.kind === "order") kind.write(form, kind.read(form).sort())
    tell(form, "", "plain")
  })
  restore(form, key)
}

/**
 * @param {HTMLFormElement} form
 * @param {string} key
 */
function restore(form, key) {
  const saved = load(key)
  if (!isSaved(saved) || saved.chosen.length === 0) return
  const kind = kindOf(form)
  kind.write(form, saved.chosen)
  if (saved.checked && !kind.missing(form)) mark(form)
}

/**
 * @param {HTMLFormElement} form
 * @param {string} key
 */
function check(form, key) {
  const kind = kindOf(form)
  const missing = kind.missing(form)
  if (missing) return tell(form, missing, "plain")
  mark(form)
  if (!save(key, { chosen: kind.read(form), checked: true })) {
    getElement(form, ".quiz-result").append(" ", message("quiz_not_saved"))
  }
}

/** @param {HTMLFormElement} form */
function mark(form) {
  clearMarks(form)
  const { right, words, told } = kindOf(form).mark(form)
  form.classList.add("is-checked")
  tell(form, words, right ? "is-right" : "is-wrong")
  for (const part of form.querySelectorAll("[data-for]")) {
    part.classList.toggle("is-shown", told.includes(part.getAttribute("data-for") ?? ""))
  }
  const why = getOptionalElement(form, ".quiz-why")
  if (why instanceof HTMLDetailsElement) why.open = true
}

/** @param {HTMLFormElement} form */
function clearMarks(form) {
  form.classList.remove("is-checked")
  for (const part of form.querySelectorAll(".is-right, .is-wrong, .is-missed, .is-shown")) {
    part.classList.remove(...MARKS)
  }
}

/**
 * @param {HTMLFormElement} form
 * @param {string} words
 * @param {string} kind
 */
function tell(form, words, kind) {
  const result = getElement(form, ".quiz-result")
  result.className = `quiz-result ${kind}`
  result.textContent = words
}

/**
 * @param {unknown} value
 * @returns {value is Saved}
 */
function isSaved(value) {
  return (
    typeof value === "object" &&
    value !== null &&
    "chosen" in value &&
    Array.isArray(value.chosen) &&
    "checked" in value
  )
}
