/**
 * The messages between a page and the worker that runs Python. The set is closed: anything else is an
 * error, on both sides. Plain data crosses, never an object of Python.
 *
 * @typedef {{kind: "start", base: string, files: import("./manifest.js").Manifest}} Start
 *   The manifest, and where it lies: the first message, and only the first.
 * @typedef {{kind: "render", id: number, demo: string, state: Record<string, string>, lang: string}} Render
 * @typedef {{kind: "code", id: number, demo: string, state: Record<string, string>, lang: string}} Code
 *   The Python that computes a demo's frame.
 * @typedef {{kind: "run", id: number, demo: string, state: Record<string, string>, lang: string,
 *   edits: Record<string, string>}} Run
 *   A frame by changed code: the reader's source of some functions, by their names.
 * @typedef {Start | Render | Code | Run} Request
 *
 * @typedef {"download" | "start" | "numpy" | "extras" | "sources" | "ready"} StageName
 *   Downloading; Python starts; numpy and our packages are imported; a part of the libraries that is
 *   seldom needed is downloaded; the sources for curious readers are; ready.
 * @typedef {{kind: "stage", name: StageName, loaded: number, total: number}} Stage bytes on the wire
 * @typedef {{kind: "frame", id: number, html: string, say: string, state: Record<string, string>, ms: number}} Frame
 * @typedef {{kind: "listing", id: number, html: string}} Listing
 * @typedef {{html: string, say: string, output: string, error: string, function: string, line: number}} Result
 *   `html` is empty where the reader's code failed; `line` is 0 where that was not in a line of it.
 * @typedef {{kind: "ran", id: number} & Result} Ran
 *
 * @typedef {"assets" | "state" | "demo" | "python" | "timeout" | "stopped"} ErrorCode
 *   The files of Python could not be had or not be started; a state that the demo refuses; a demo that does
 *   not exist; an exception in a demo; a frame that took too long; a reader who did not
 *   want to wait.
 * @typedef {{kind: "error", id: number, code: ErrorCode, message: string}} Failure
 *   `id` is 0 where Python could not be started at all.
 * @typedef {Stage | Frame | Listing | Ran | Failure} Reply
 */

/** @type {readonly StageName[]} */
export const STAGES = ["download", "start", "numpy", "extras", "sources", "ready"]
/** @type {readonly ErrorCode[]} */
export const ERROR_CODES = ["assets", "state", "demo", "python", "timeout", "stopped"]

/**
 * What the page asks.
 * @param {any} data
 * @returns {Request}
 * @throws {TypeError} for anything that is no request
 */
export function readRequest(data) {
  switch (data?.kind) {
    case "start":
      check(data, { base: "string", files: "object" })
      return data
    case "render":
    case "code":
      check(data, { id: "number", demo: "string", state: "object", lang: "string" })
      return data
    case "run":
      check(data, { id: "number", demo: "string", state: "object", lang: "string", edits: "object" })
      return data
    default:
      throw unknown(data)
  }
}

/**
 * What the worker answers.
 * @param {any} data
 * @returns {Reply}
 * @throws {TypeError} for anything that is no answer
 */
export function readReply(data) {
  switch (data?.kind) {
    case "stage":
      check(data, { name: STAGES, loaded: "number", total: "number" })
      return data
    case "frame":
      check(data, { id: "number", html: "string", say: "string", state: "object", ms: "number" })
      return data
    case "listing":
      check(data, { id: "number", html: "string" })
      return data
    case "ran":
      check(data, { id: "number", html: "string", say: "string", output: "string" })
      check(data, { error: "string", function: "string", line: "number" })
      return data
    case "error":
      check(data, { id: "number", code: ERROR_CODES, message: "string" })
      return data
    default:
      throw unknown(data)
  }
}

/**
 * @param {any} data
 * @param {Record<string, string | readonly string[]>} shape type or values of each part
 */
function check(data, shape) {
  for (const [part, wanted] of Object.entries(shape)) {
    const value = data[part]
    const right =
      typeof wanted === "string" ? typeof value === wanted && value !== null : wanted.includes(value)
    if (!right) {
      throw new TypeError(`message "${data.kind}": ${part} must be ${wanted}, got ${JSON.stringify(value)}`)
    }
  }
}

/** @param {unknown} data */
function unknown(data) {
  return new TypeError(`unknown message ${JSON.stringify(data)}`)
}
