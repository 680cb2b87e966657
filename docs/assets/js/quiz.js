/** Quizzes: choose, check, see why; the choice is kept in this browser until it is reset. */

import { getElement, getOptionalElement } from "./dom.js"
import { message } from "./messages.js"
import { load, remove, save } from "./storage.js"

/** @typedef {{chosen: string[], checked: boolean}} Saved */

/**
 * Bring a quiz to life: its check and reset buttons, and what the reader chose last time.
 * @param {HTMLFormElement} form
 */
export function mountQuiz(form) {
  if (form.dataset.live !== undefined) return
  form.dataset.live = ""
  form.noValidate = true
  const key = `quiz.${form.dataset.quiz}`

  form.addEventListener("submit", (event) => {
    event.preventDefault()
    check(form, key)
  })
  form.addEventListener("change", () => {
    clearMarks(form)
    tell(form, save(key, { chosen: chosen(form), checked: false }) ? "" : message("quiz_not_saved"), "plain")
  })
  form.addEventListener("reset", () => {
    remove(key)
    clearMarks(form)
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
  if (!isSaved(saved)) return
  for (const input of inputs(form)) input.checked = saved.chosen.includes(input.value)
  if (saved.checked) mark(form)
}

/**
 * @param {HTMLFormElement} form
 * @param {string} key
 */
function check(form, key) {
  if (chosen(form).length === 0) return tell(form, message("quiz_choose"), "plain")
  mark(form)
  if (!save(key, { chosen: chosen(form), checked: true })) {
    getElement(form, ".quiz-result").append(" ", message("quiz_not_saved"))
  }
}

/** @param {HTMLFormElement} form */
function mark(form) {
  const answer = (form.dataset.answer ?? "").split("")
  const picked = chosen(form)
  for (const input of inputs(form)) {
    const right = answer.includes(input.value)
    const option = input.closest(".quiz-option")
    option?.classList.toggle("is-right", input.checked && right)
    option?.classList.toggle("is-wrong", input.checked && !right)
    option?.classList.toggle("is-missed", !input.checked && right)
  }
  const hits = picked.filter((letter) => answer.includes(letter)).length
  const right = hits === answer.length && picked.length === answer.length
  const partly = !right && hits > 0
  form.classList.add("is-checked")
  tell(
    form,
    message(right ? "quiz_right" : partly ? "quiz_partly" : "quiz_wrong"),
    right ? "is-right" : "is-wrong",
  )
  const why = getOptionalElement(form, ".quiz-why")
  if (why instanceof HTMLDetailsElement) why.open = true
}

/** @param {HTMLFormElement} form */
function clearMarks(form) {
  form.classList.remove("is-checked")
  for (const option of form.querySelectorAll(".quiz-option")) {
    option.classList.remove("is-right", "is-wrong", "is-missed")
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

/** @param {HTMLFormElement} form */
function chosen(form) {
  return inputs(form)
    .filter((input) => input.checked)
    .map((input) => input.value)
}

/** @param {HTMLFormElement} form */
function inputs(form) {
  return [...form.elements].filter(
    /** @returns {input is HTMLInputElement} */
    (input) => input instanceof HTMLInputElement && (input.type === "radio" || input.type === "checkbox"),
  )
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
