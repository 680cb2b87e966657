/**
 * `<course-demo>`: the page's form and its frame, joined. It knows no demo: every interaction is
 * "set these controls", and what the frame then looks like comes from Python or from the build.
 */

import { mountCode } from "./code.js"
import { getElement } from "./dom.js"
import { startDrag } from "./drag.js"
import { parsePairs, readState, reflect, stateKey, writeState } from "./form.js"
import { frameIn, shippedFrames } from "./frames.js"
import { addressOf, shareAddress, stateFromAddress } from "./link.js"
import { actOfMenu } from "./menu.js"
import { message } from "./messages.js"
import { getRuntime } from "./runtime.js"
import { reachScrollersSoon } from "./scrollers.js"
import { Stepping } from "./stepping.js"
import { swapFrame } from "./swap.js"
import { failureSentence, stageSentence } from "./telling.js"

/** @typedef {import("./form.js").State} State */
/** @typedef {import("./frames.js").Frame} Frame */

const SLOW = 200 // ms after which waiting is shown

export class CourseDemo extends HTMLElement {
  /** @type {AbortController | undefined} */
  #mounted
  #stepping = new Stepping(this)
  #asked = 0
  #shown = 0
  /** @type {State} */
  #defaults = {}
  /** @type {Frame} what the build put into the page, of the default state */
  #first = { html: "", say: "" }

  connectedCallback() {
    this.#mounted = new AbortController()
    const { signal } = this.#mounted
    const { form, frame, say } = this
    form.reset()
    getElement(this, "fieldset").removeAttribute("disabled")
    getElement(this, "[data-act=reset]").removeAttribute("disabled")
    reflect(form)
    this.#defaults = readState(form)
    this.#first = { html: frame.innerHTML, say: say.textContent ?? "" }

    for (const sign of ["pointerenter", "focusin", "touchstart"]) {
      this.addEventListener(sign, () => this.prepare(), { signal, once: true, passive: true })
    }
    form.addEventListener("submit", (event) => event.preventDefault(), { signal })
    form.addEventListener("input", () => this.changed(), { signal })
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
    this.#stepping.stop()
  }

  get form() {
    return /** @type {HTMLFormElement} */ (getElement(this, "form"))
  }

  get frame() {
    return getElement(this, "[data-part=frame]")
  }

  get say() {
    return getElement(this, "[data-part=say]")
  }

  get status() {
    return getElement(this, "[data-part=status]")
  }

  get link() {
    return /** @type {HTMLAnchorElement} */ (getElement(this, "[data-act=link]"))
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
    reflect(this.form)
    this.update(readState(this.form))
  }

  /**
   * Set some controls, as a press in the picture does.
   * @param {State} state
   */
  set(state) {
    writeState(this.form, state)
    this.changed()
  }

  /**
   * Show the state of a link; one that cannot be shown leaves the default and a sentence.
   * @param {State} asked
   */
  async open(asked) {
    const shown = await this.update({ ...this.#defaults, ...asked }, true)
    if (shown) writeState(this.form, shown)
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
    if (stateKey(state) === stateKey(this.#defaults)) return this.#first
    const shipped = await shippedFrames(this.name, this.lang)
    const found = shipped && frameIn(shipped, stateKey(state))
    return found ?? getRuntime().render({ key: this.id, demo: this.name, state, lang: this.lang })
  }

  /**
   * @param {Frame} frame
   * @param {State} state
   */
  show(frame, state) {
    swapFrame(this.frame, frame.html)
    reachScrollersSoon(this.frame)
    this.say.textContent = frame.say
    this.status.textContent = ""
    this.link.href = addressOf(this.id, state, this.#defaults)
    this.removeAttribute("data-failed")
    this.dispatchEvent(new CustomEvent("course-frame", { bubbles: true, detail: { state } }))
  }

  /** @param {import("./protocol.js").Stage} stage */
  tellStage(stage) {
    if (!this.hasAttribute("data-busy")) return
    this.status.textContent = stageSentence(stage)
    this.style.setProperty("--loaded", String(stage.total > 0 ? stage.loaded / stage.total : 0))
  }

  /**
   * @param {unknown} error
   * @param {boolean} fromLink
   */
  tellError(error, fromLink) {
    this.toggleAttribute("data-failed", true)
    this.status.replaceChildren(...failureSentence(/** @type {Error} */ (error), fromLink))
  }

  /** @param {MouseEvent} event */
  pressed(event) {
    const target = event.target instanceof Element ? event.target : undefined
    const setter = target?.closest("[data-set]")
    const button = target?.closest("[data-act], [data-step], [data-play]")
    if (setter) this.set(parsePairs(setter.getAttribute("data-set") ?? ""))
    else if (button instanceof HTMLElement) this.act(button, event)
  }

  /** @param {KeyboardEvent} event */
  keyed(event) {
    const setter = event.target instanceof SVGElement ? event.target.closest("[data-set]") : null
    if (!setter || (event.key !== "Enter" && event.key !== " ")) return
    event.preventDefault()
    this.set(parsePairs(setter.getAttribute("data-set") ?? ""))
  }

  /**
   * @param {HTMLElement} button
   * @param {Event} event
   */
  act(button, event) {
    const { act, step, of, play } = button.dataset
    if (step && of) this.#stepping.step(of, Number(step))
    else if (play) this.#stepping.toggle(button, play)
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
    this.status.textContent = said ?? ""
    const menu = button.closest("details")
    if (menu) menu.open = false
  }

  reset() {
    this.#stepping.stop()
    this.form.reset()
    this.changed()
  }

  retry() {
    getRuntime().retry()
    this.changed()
  }

  /** @param {Event} event */
  async share(event) {
    event.preventDefault()
    event.stopPropagation()
    this.status.textContent = await shareAddress(addressOf(this.id, readState(this.form), this.#defaults))
  }
}
