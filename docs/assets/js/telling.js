/** The sentences of a demo about Python: how far its start is, and what went wrong. */

import { message } from "./messages.js"

/** @param {import("./protocol.js").Stage} stage */
export function stageSentence({ name, loaded, total }) {
  const megabytes = (/** @type {number} */ bytes) => (bytes / 1e6).toFixed(1)
  return message(`stage_${name}`, { loaded: megabytes(loaded), total: megabytes(total) })
}

/**
 * What a reader is told of an error, with a button where trying again may help.
 * @param {{code?: string, message: string}} error
 * @param {boolean} fromLink whether the state was that of a link
 * @returns {(string | Node)[]}
 */
export function failureSentence({ code, message: detail }, fromLink) {
  switch (code) {
    case "state":
    case "demo":
      return [fromLink ? message("bad_link", { detail }) : detail]
    case "timeout":
      return [message("too_slow")]
    case "python":
      return [message("python_error", { detail })]
    default: {
      const again = document.createElement("button")
      again.type = "button"
      again.dataset.act = "retry"
      again.textContent = message("retry")
      return [message("no_assets"), " ", again]
    }
  }
}
