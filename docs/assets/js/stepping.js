/** The stepper of a demo: a step back, a step on, and play, which takes one step after the other. */

import { getElement } from "./dom.js"
import { readState } from "./form.js"

/** @typedef {import("./demo.js").CourseDemo} CourseDemo */

const PLAY_EVERY = 1600 // ms that a step stands while a demo plays

export class Stepping {
  #demo
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #turn
  /** @type {HTMLElement | undefined} the play button, while it plays */
  #button

  /** @param {CourseDemo} demo */
  constructor(demo) {
    this.#demo = demo
  }

  /**
   * Go on or back by `by` steps; says whether there was a step to go to.
   * @param {string} name of the control
   * @param {number} by
   */
  step(name, by) {
    const range = this.#range(name)
    const before = range.value
    range.value = String(Number(before) + by)
    if (range.value === before) return false
    this.#demo.changed()
    return true
  }

  /**
   * Play from here, or from the start where this is the end; or stop.
   * @param {HTMLElement} button
   * @param {string} name of the control
   */
  toggle(button, name) {
    if (this.#button) return this.stop()
    this.#button = button
    const range = this.#range(name)
    if (range.value === range.max) this.#demo.set({ [name]: range.min })
    else this.step(name, 1)
    button.dataset.playLabel = button.textContent ?? ""
    button.textContent = button.dataset.pause ?? ""
    button.setAttribute("aria-pressed", "true")
    const wait = () => {
      this.#turn = setTimeout(() => (this.step(name, 1) ? wait() : this.stop()), this.#pace(button))
    }
    wait()
  }

  stop() {
    clearTimeout(this.#turn)
    if (!this.#button) return
    this.#button.textContent = this.#button.dataset.playLabel ?? ""
    this.#button.setAttribute("aria-pressed", "false")
    this.#button = undefined
  }

  /**
   * How long a step stands: what the control says that the play button names, or the usual time.
   * @param {HTMLElement} button
   */
  #pace(button) {
    const { pace } = button.dataset
    const state = readState(/** @type {HTMLFormElement} */ (getElement(this.#demo, "form")))
    return Number(pace && state[pace]) || PLAY_EVERY
  }

  /** @param {string} name */
  #range(name) {
    return /** @type {HTMLInputElement} */ (getElement(this.#demo, `input[name="${name}"]`))
  }
}
