/**
 * `<course-demo>`: the page's form and its frame, joined. It knows no demo: every interaction is
 * "set these controls", and what the frame then looks like comes from Python or from the build.
 */

import { mountCode } from "./code.js"
import { getElement, getOptionalElement } from "./dom.js"
import { startDrag } from "./drag.js"
import { parsePairs, readState, reflect, stateKey, writeState } from "./form.js"
import { shippedFrames } from "./frames.js"
import { addressOf, stateFromAddress } from "./link.js"
import { actOfMenu } from "./menu.js"
import { message } from "./messages.js"
import { getRuntime } from "./runtime.js"
import { reachScrollers } from "./scrollers.js"

/** @typedef {import("./form.js").State} State */
/** @typedef {import("./frames.js").Frame} Frame */

const PLAY_EVERY = 1600 // ms that a step stands while a demo plays
const SLOW = 200 // ms after which waiting is shown

export class CourseDemo extends HTMLElement {
  /** @type {AbortController | undefined} */
  #mounted
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #playing
  #asked = 0
  #shown = 0

  connectedCallback() {
    this.#mounted = new AbortController()
    const { signal } = this.#mounted
    this.form = /** @type {HTMLFormElement} */ (getElement(this, "form"))
    this.frame = getElement(this, "[data-part=frame]")
    this.say = getElement(this, "[data-part=say]")
    this.status = getElement(this, "[data-part=status]")
    this.link = /** @type {HTMLAnchorElement} */ (getElement(this, "[data-act=link]"))
    this.form.reset()
    getElement(this, "fieldset").removeAttribute("disabled")
    getElement(this, "[data-act=reset]").removeAttribute("disabled")
    reflect(this.form)
    this.defaults = readState(this.form)
    /** @type {Frame} */
    this.first = { html: this.frame.innerHTML, say: this.say.textContent ?? "" }

    for (const sign of ["pointerenter", "focusin", "touchstart"]) {
      this.addEventListener(sign, () => this.prepare(), { signal, once: true, passive: true })
    }
    this.form.addEventListener("submit", (event) => event.preventDefault(), { signal })
    this.form.addEventListener("input", () => this.changed(), { signal })
    this.addEventListener("click", (event) => this.pressed(event), { signal })
    this.addEventListener("keydown", (event) => this.keyed(event), { signal })
    this.addEventListener("pointerdown", (event) => startDrag(event, (state) => this.set(state), signal), {
      signal,
    })

    mountCode(this, signal)

    const asked = stateFromAddress(this.id)
    if (asked) this.open(asked)
    this.toggleAttribute("data-live", true)
  }

  disconnectedCallback() {
    this.#mounted?.abort()
    this.stop()
  }

  get name() {
    return this.dataset.demo ?? ""
  }

  get lang() {
    return this.dataset.lang ?? "zh"
  }

  /** Fetch what the next change will need: the shipped frames, or Python where there are none. */
  async prepare() {
    try {
      const shipped = await shippedFrames(this.name, this.lang)
      if (!shipped) getRuntime().start()
    } catch {
      // The first change will ask again, and say what is wrong.
    }
  }

  /** The reader moved a control. */
  changed() {
    reflect(/** @type {HTMLFormElement} */ (this.form))
    this.update(readState(/** @type {HTMLFormElement} */ (this.form)))
  }

  /**
   * Set some controls, as a press in the picture does.
   * @param {State} state
   */
  set(state) {
    writeState(/** @type {HTMLFormElement} */ (this.form), state)
    this.changed()
  }

  /**
   * Show the state of a link; one that cannot be shown leaves the default and a sentence.
   * @param {State} asked
   */
  async open(asked) {
    const shown = await this.update({ ...this.defaults, ...asked }, true)
    if (shown) writeState(/** @type {HTMLFormElement} */ (this.form), shown)
  }

  /**
   * Show the frame of `state`; the newest request wins.
   * @param {State} state
   * @param {boolean} [fromLink]
   * @returns {Promise<State | undefined>} the state that is shown, if it is
   */
  async update(state, fromLink = false) {
    const turn = ++this.#asked
    const waiting = setTimeout(() => this.toggleAttribute("data-busy", true), SLOW)
    const stopListening = getRuntime().onStage((stage) => this.tellStage(stage))
    try {
      const frame = await this.frameOf(state)
      // A frame that is late but newer than what stands there is shown: a drag then never looks stuck.
      if (turn < this.#shown || !frame) return undefined
      this.#shown = turn
      this.show(frame, state)
      return frame.state ?? state
    } catch (error) {
      if (turn === this.#asked) this.tellError(error, fromLink)
      return undefined
    } finally {
      clearTimeout(waiting)
      stopListening()
      if (turn === this.#asked) this.toggleAttribute("data-busy", false)
    }
  }

  /**
   * The frame of `state`: the first one, one that lies beside the page, or one from Python.
   * @param {State} state
   * @returns {Promise<Frame & {state?: State} | undefined>}
   */
  async frameOf(state) {
    if (stateKey(state) === stateKey(this.defaults ?? {})) return this.first
    const shipped = await shippedFrames(this.name, this.lang)
    const place = shipped?.states[stateKey(state)]
    if (shipped && place !== undefined) return shipped.frames[place]
    return getRuntime().render({ key: this.id, demo: this.name, state, lang: this.lang })
  }

  /**
   * @param {Frame} frame
   * @param {State} state
   */
  show(frame, state) {
    if (!this.frame || !this.say || !this.status || !this.link) return
    const kept = openParts(this.frame)
    const focused = focusedPart(this.frame)
    this.frame.innerHTML = frame.html
    for (const part of this.frame.querySelectorAll("details[data-keep]")) {
      if (part instanceof HTMLDetailsElement) part.open = kept.has(part.dataset.keep)
    }
    if (focused) focusAgain(this.frame, focused)
    reachScrollers(this)
    this.say.textContent = frame.say
    this.status.textContent = ""
    this.link.href = addressOf(this.id, state, this.defaults ?? {})
    this.removeAttribute("data-failed")
    this.dispatchEvent(new CustomEvent("course-frame", { bubbles: true, detail: { state } }))
  }

  /** @param {{name: string, loaded: number, total: number}} stage */
  tellStage({ name, loaded, total }) {
    if (!this.status || !this.hasAttribute("data-busy")) return
    const megabytes = (/** @type {number} */ bytes) => (bytes / 1e6).toFixed(1)
    this.status.textContent = message(`stage_${name}`, { loaded: megabytes(loaded), total: megabytes(total) })
    this.style.setProperty("--loaded", String(total > 0 ? loaded / total : 0))
  }

  /**
   * @param {unknown} error
   * @param {boolean} fromLink
   */
  tellError(error, fromLink) {
    if (!this.status) return
    const { code, message: detail } = /** @type {{code?: string, message: string}} */ (error)
    if (code === "superseded") return
    this.toggleAttribute("data-failed", true)
    if (code === "state" || code === "demo") {
      this.status.textContent = fromLink ? message("bad_link", { detail }) : detail
    } else if (code === "timeout") {
      this.status.textContent = message("too_slow")
    } else if (code === "python") {
      this.status.textContent = message("python_error", { detail })
    } else {
      const again = document.createElement("button")
      again.type = "button"
      again.dataset.act = "retry"
      again.textContent = message("retry")
      this.status.replaceChildren(message("no_assets"), " ", again)
    }
  }

  /** @param {MouseEvent} event */
  pressed(event) {
    const target = event.target instanceof Element ? event.target : undefined
    const setter = target?.closest("[data-set]")
    const button = target?.closest("[data-act], [data-step], [data-play]")
    if (setter instanceof HTMLElement || setter instanceof SVGElement) {
      this.set(parsePairs(setter.dataset.set ?? ""))
    } else if (button instanceof HTMLElement) {
      this.act(button, event)
    }
  }

  /** @param {KeyboardEvent} event */
  keyed(event) {
    const setter = event.target instanceof SVGElement ? event.target.closest("[data-set]") : null
    if (setter instanceof SVGElement && (event.key === "Enter" || event.key === " ")) {
      event.preventDefault()
      this.set(parsePairs(setter.dataset.set ?? ""))
    }
  }

  /**
   * @param {HTMLElement} button
   * @param {Event} event
   */
  act(button, event) {
    const { act, step, of, play } = button.dataset
    if (step && of) this.step(of, Number(step))
    else if (play) this.togglePlay(button, play)
    else if (act === "reset") this.reset()
    else if (act === "retry") this.retry()
    else if (act === "link") this.share(event)
    else if (act) this.menu(act, button)
  }

  /**
   * @param {string} act
   * @param {HTMLElement} button
   */
  async menu(act, button) {
    const said = await actOfMenu(act, this).catch((error) =>
      message("menu_failed", { detail: error.message }),
    )
    if (this.status) this.status.textContent = said ?? ""
    const menu = button.closest("details")
    if (menu) menu.open = false
  }

  reset() {
    this.stop()
    this.form?.reset()
    this.changed()
  }

  retry() {
    getRuntime().retry()
    this.changed()
  }

  /** @param {Event} event */
  async share(event) {
    if (!this.link || !this.status) return
    event.preventDefault()
    event.stopPropagation()
    const address = addressOf(
      this.id,
      readState(/** @type {HTMLFormElement} */ (this.form)),
      this.defaults ?? {},
    )
    history.replaceState(history.state, "", address)
    try {
      await navigator.clipboard.writeText(address)
      this.status.textContent = message("link_copied")
    } catch {
      this.status.textContent = message("link_in_address")
    }
  }

  /**
   * Go on or back by `by` steps; says whether there was a step to go to.
   * @param {string} name
   * @param {number} by
   */
  step(name, by) {
    const range = /** @type {HTMLInputElement} */ (getElement(this, `input[name="${name}"]`))
    const before = range.value
    range.value = String(Number(before) + by)
    if (range.value === before) return false
    this.changed()
    return true
  }

  /**
   * @param {HTMLElement} button
   * @param {string} name
   */
  togglePlay(button, name) {
    if (this.#playing) return this.stop()
    const range = /** @type {HTMLInputElement} */ (getElement(this, `input[name="${name}"]`))
    if (range.value === range.max) this.set({ [name]: range.min })
    else this.step(name, 1)
    button.dataset.playLabel ??= button.textContent ?? ""
    button.textContent = button.dataset.pause ?? ""
    button.setAttribute("aria-pressed", "true")
    const turn = () => {
      if (!this.step(name, 1)) return this.stop()
      this.#playing = setTimeout(turn, this.pace(button))
    }
    this.#playing = setTimeout(turn, this.pace(button))
  }

  /**
   * How long a step stands: what the control says that the play button names, or the usual time.
   * @param {HTMLElement} button
   */
  pace(button) {
    const { pace } = button.dataset
    const state = readState(/** @type {HTMLFormElement} */ (this.form))
    return Number(pace && state[pace]) || PLAY_EVERY
  }

  stop() {
    clearTimeout(this.#playing)
    this.#playing = undefined
    const button = getOptionalElement(this, "[data-play]")
    if (!button?.dataset.playLabel) return
    button.textContent = button.dataset.playLabel
    button.setAttribute("aria-pressed", "false")
  }
}

/** @param {HTMLElement} frame */
function openParts(frame) {
  const open = frame.querySelectorAll("details[data-keep][open]")
  return new Set([...open].map((part) => (part instanceof HTMLElement ? part.dataset.keep : undefined)))
}

/**
 * @param {HTMLElement} frame
 * @param {string} setting
 */
function focusAgain(frame, setting) {
  for (const part of frame.querySelectorAll("[data-set]")) {
    const same = (part instanceof HTMLElement || part instanceof SVGElement) && part.dataset.set === setting
    if (same) return part.focus({ preventScroll: true })
  }
}

/** @param {HTMLElement} frame */
function focusedPart(frame) {
  const focused = document.activeElement
  if (!focused || !frame.contains(focused)) return undefined
  return focused instanceof HTMLElement || focused instanceof SVGElement ? focused.dataset.set : undefined
}
