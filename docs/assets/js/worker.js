/** The module worker that runs Python: told where its files are, it starts, and answers one request after the other. */

import { MissingFile } from "./downloads.js"
import { readRequest } from "./protocol.js"
import { Python } from "./python.js"

/** @typedef {import("./protocol.js").Reply} Reply */

const REPORT_EVERY = 100 // ms between two messages about bytes

let lastReport = 0
/** @type {Promise<Python> | undefined} */
let python
/** @type {Promise<void>} */
let queue = Promise.resolve()

self.addEventListener("message", (event) => {
  const request = readRequest(event.data)
  switch (request.kind) {
    case "start":
      if (python) throw new Error("Python is started already")
      python = start(request)
      queue = python.then(() => {}, failedToStart)
      break
    case "render":
    case "code":
    case "run":
      queue = queue.then(() => answer(request))
      break
    default:
      throw new TypeError(`no answer to ${JSON.stringify(request)}`)
  }
})

/** @param {import("./protocol.js").Start} where */
async function start({ base, files }) {
  const started = new Python({ base: new URL(base), files }, report)
  await started.start()
  report("ready", 0, 0)
  return started
}

/** @param {unknown} error */
function failedToStart(error) {
  console.error(error)
  post({ kind: "error", id: 0, code: "assets", message: messageOf(error) })
}

/** @type {import("./python.js").Report} */
function report(name, loaded, total) {
  const now = performance.now()
  if (loaded > 0 && loaded < total && now - lastReport < REPORT_EVERY) return
  lastReport = now
  post({ kind: "stage", name, loaded, total })
}

/** @param {Exclude<import("./protocol.js").Request, import("./protocol.js").Start>} request */
async function answer(request) {
  const { id, demo, state, lang } = request
  const running = await python
  if (!running) throw new Error("something was asked for before Python was started")
  const began = performance.now()
  try {
    if (request.kind === "code") {
      const listing = await running.code(demo, state, lang)
      if ("error" in listing) post({ kind: "error", id, ...listing.error })
      else post({ kind: "listing", id, ...listing })
      return
    }
    if (request.kind === "run") {
      const ran = await running.run(demo, state, lang, request.edits)
      // A result has an `error` of its own, a sentence about the reader's code.
      if (typeof ran.error === "object") post({ kind: "error", id, ...ran.error })
      else post({ kind: "ran", id, .../** @type {import("./protocol.js").Result} */ (ran) })
      return
    }
    const frame = await running.frame(demo, state, lang)
    if ("error" in frame) post({ kind: "error", id, ...frame.error })
    else post({ kind: "frame", id, ...frame, ms: performance.now() - began })
  } catch (error) {
    console.error(error)
    const code = error instanceof MissingFile ? "assets" : "python"
    post({ kind: "error", id, code, message: messageOf(error) })
    // Anything else means that the interpreter itself is broken: the page will start a new worker.
    if (code === "python" && !running.isException(error)) reportError(error)
  }
}

/**
 * The line that says what happened. An exception of Python's comes with its whole traceback, and a failed
 * import with advice of Pyodide's after it.
 * @param {any} error
 */
function messageOf(error) {
  const lines = String(error?.message ?? error)
    .trim()
    .split("\n")
  return lines.findLast((line) => error?.type && line.startsWith(error.type)) ?? lines.at(-1) ?? ""
}

/** @param {Reply} reply */
function post(reply) {
  self.postMessage(reply)
}
