/** The one Python of a tab: a page's side of the worker, kept across instant navigation. */

import { manifest } from "./manifest.js"
import { readReply } from "./protocol.js"

/**
 * @typedef {import("./protocol.js").Stage} Stage
 * @typedef {import("./protocol.js").ErrorCode} ErrorCode
 * @typedef {{html: string, say: string, state: Record<string, string>, ms: number}} Frame
 * @typedef {{key: string, demo: string, state: Record<string, string>, lang: string}} Wish
 *   `key` is the demo in the page that asks: of its wishes only the newest waits.
 * @typedef {"render" | "code" | "run"} Kind
 * @typedef {{id: number, kind: Kind, wish: Wish & {edits?: Record<string, string>}, resolve: (made: any) => void,
 *   reject: (error: RuntimeFailure) => void}} Waiting
 */

const FRAME_SECONDS = 5
const SILENCE_SECONDS = 60 // while starting: bytes that arrive are no silence
const SELF = Symbol.for("course.runtime")

/** An error with a code that says what a page can do about it. */
export class RuntimeFailure extends Error {
  /**
   * @param {ErrorCode} code
   * @param {string} message
   */
  constructor(code, message) {
    super(message)
    this.name = "RuntimeFailure"
    this.code = code
  }
}

export class Runtime {
  #spawn
  #plan
  #patience
  /** @type {Worker | undefined} */
  #worker
  #ready = false
  #planAgain = false
  /** @type {RuntimeFailure | undefined} */
  #failed
  /** @type {Stage | undefined} */
  #stage
  /** @type {Set<(stage: Stage) => void>} */
  #listeners = new Set()
  /** @type {Map<string, Waiting>} */
  #queue = new Map()
  /** @type {Waiting | undefined} */
  #current
  #lastId = 0
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer

  /**
   * @param {() => Worker} spawn makes the worker
   * @param {typeof manifest} plan says which files Python is made of
   * @param {{frame: number, silence: number}} patience seconds for a frame, and without a word while starting
   */
  constructor(spawn, plan, patience = { frame: FRAME_SECONDS, silence: SILENCE_SECONDS }) {
    this.#spawn = spawn
    this.#plan = plan
    this.#patience = patience
  }

  /** Start Python, if it is not started yet and has not failed. */
  start() {
    if (this.#worker || this.#failed) return
    const worker = this.#spawn()
    worker.addEventListener("message", (event) => this.#answered(worker, event.data))
    worker.addEventListener("error", (event) => this.#broke(worker, event))
    this.#worker = worker
    this.#wait()
    this.#plan(this.#planAgain).then(
      ({ base, files }) => {
        /** @type {import("./protocol.js").Start} */
        const request = { kind: "start", base: String(base), files }
        worker.postMessage(request)
      },
      (error) => {
        if (worker === this.#worker) this.#fail(new RuntimeFailure("assets", error.message))
      },
    )
    this.#planAgain = false
  }

  /** Try again after a failure. Files that are gone may have gone with an old build, so it looks for a new one. */
  retry() {
    this.#failed = undefined
    this.#planAgain = true
    this.start()
  }

  /**
   * The frame of a demo's state; undefined if a newer wish with the same key took its place in the queue.
   * @param {Wish} wish
   * @returns {Promise<Frame | undefined>}
   * @throws {RuntimeFailure}
   */
  render(wish) {
    return this.#ask("render", wish)
  }

  /**
   * The code behind a demo's frame, as markup; undefined as for `render`.
   * @param {Wish} wish
   * @returns {Promise<string | undefined>}
   * @throws {RuntimeFailure}
   */
  code(wish) {
    return this.#ask("code", { ...wish, key: `${wish.key} code` })
  }

  /**
   * A frame by the reader's own code; undefined as for `render`.
   * @param {Wish & {edits: Record<string, string>}} wish `edits` are sources by the names of functions
   * @returns {Promise<import("./protocol.js").Result | undefined>}
   * @throws {RuntimeFailure}
   */
  run(wish) {
    return this.#ask("run", { ...wish, key: `${wish.key} run` })
  }

  /**
   * End the run of a reader's code, whether it waits or has begun.
   * @param {string} key that of its wish
   */
  stop(key) {
    const name = `${key} run`
    const stopped = new RuntimeFailure("stopped", `demo ${key}: stopped`)
    this.#queue.get(name)?.reject(stopped)
    this.#queue.delete(name)
    const current = this.#current
    if (current?.wish.key !== name) return
    this.#end()
    this.start()
    current.reject(stopped)
  }

  /**
   * @param {Kind} kind
   * @param {Waiting["wish"]} wish
   * @returns {Promise<any>}
   */
  #ask(kind, wish) {
    if (this.#failed) return Promise.reject(this.#failed)
    this.start()
    return new Promise((resolve, reject) => {
      this.#queue.get(wish.key)?.resolve(undefined)
      this.#queue.delete(wish.key)
      this.#queue.set(wish.key, { id: ++this.#lastId, kind, wish, resolve, reject })
      this.#next()
    })
  }

  /**
   * Hear of the stages of the start, the present one at once; returns what ends it.
   * @param {(stage: Stage) => void} listener
   * @returns {() => void}
   */
  onStage(listener) {
    this.#listeners.add(listener)
    if (this.#stage) listener(this.#stage)
    return () => this.#listeners.delete(listener)
  }

  #next() {
    if (!this.#worker || !this.#ready || this.#current) return
    const [first] = this.#queue.values()
    if (!first) return
    const { id, kind, wish } = first
    this.#queue.delete(wish.key)
    this.#current = first
    const { key: _, ...asked } = wish
    const request = { kind, id, ...asked }
    this.#worker.postMessage(request)
    this.#wait()
  }

  /**
   * @param {Worker} worker
   * @param {unknown} data
   */
  #answered(worker, data) {
    if (worker !== this.#worker) return
    const reply = readReply(data)
    switch (reply.kind) {
      case "stage":
        this.#ready ||= reply.name === "ready"
        this.#tell(reply)
        break
      case "frame": {
        const { html, say, state, ms } = reply
        this.#finish(reply.id)?.resolve({ html, say, state, ms })
        break
      }
      case "listing":
        this.#finish(reply.id)?.resolve(reply.html)
        break
      case "ran": {
        const { kind: _, id, ...result } = reply
        this.#finish(id)?.resolve(result)
        break
      }
      case "error": {
        const failure = new RuntimeFailure(reply.code, reply.message)
        if (reply.id === 0) return this.#fail(failure)
        this.#finish(reply.id)?.reject(failure)
        break
      }
      default:
        throw new TypeError(`no answer to ${JSON.stringify(reply)}`)
    }
    this.#wait()
    this.#next()
  }

  /** @param {number} id */
  #finish(id) {
    const current = this.#current
    if (current?.id !== id) return undefined
    this.#current = undefined
    return current
  }

  /** Give the worker its time anew: for the frame that it works on, or for the start. */
  #wait() {
    clearTimeout(this.#timer)
    if (this.#current) {
      if (this.#current.kind === "run") return // the reader has a button that ends it
      this.#timer = setTimeout(() => this.#tooSlow(), this.#patience.frame * 1000)
    } else if (this.#worker && !this.#ready) {
      const { silence } = this.#patience
      const late = new RuntimeFailure("assets", `Python said nothing for ${silence} s while starting`)
      this.#timer = setTimeout(() => this.#fail(late), silence * 1000)
    }
  }

  /** Python cannot be interrupted: its worker is ended, and a new one does what still waits. */
  #tooSlow() {
    const late = this.#current
    this.#end()
    this.start()
    const message = `demo ${late?.wish.demo}: no frame within ${this.#patience.frame} s`
    late?.reject(new RuntimeFailure("timeout", message))
  }

  /**
   * An error that no message carries: the worker's script did not load, or Python broke for good.
   * @param {Worker} worker
   * @param {ErrorEvent} event
   */
  #broke(worker, event) {
    if (worker !== this.#worker) return
    event.preventDefault()
    if (this.#ready) {
      const broken = this.#current
      this.#end()
      this.start()
      broken?.reject(new RuntimeFailure("python", event.message))
      return
    }
    this.#fail(
      new RuntimeFailure("assets", event.message || "the worker that runs Python could not be loaded"),
    )
  }

  /** @param {RuntimeFailure} failure */
  #fail(failure) {
    const waiting = [...this.#queue.values()]
    if (this.#current) waiting.unshift(this.#current)
    this.#queue.clear()
    this.#end()
    this.#failed = failure
    for (const { reject } of waiting) reject(failure)
  }

  #end() {
    clearTimeout(this.#timer)
    this.#worker?.terminate()
    this.#worker = undefined
    this.#current = undefined
    this.#stage = undefined
    this.#ready = false
  }

  /** @param {Stage} stage */
  #tell(stage) {
    this.#stage = stage
    for (const listener of this.#listeners) listener(stage)
  }
}

/**
 * The tab's runtime. It lives on the global object, so that a second copy of this module finds it too.
 * @returns {Runtime}
 */
export function getRuntime() {
  const kept = /** @type {{[SELF]?: Runtime}} */ (/** @type {unknown} */ (globalThis))
  kept[SELF] ??= new Runtime(
    () => new Worker(new URL("./worker.js", import.meta.url), { type: "module", name: "python" }),
    manifest,
  )
  return kept[SELF]
}
