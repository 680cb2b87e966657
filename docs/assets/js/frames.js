/** The frames of discrete demos, which lie beside the page and need no Python. */

import { manifest } from "./manifest.js"

/**
 * @typedef {{html: string, say: string}} Frame
 * @typedef {{states: Record<string, number>, parts: string[], frames: {html: number[], say: string}[]}} FrameSet
 *   `states` are places in `frames`, whose `html` are places in `parts`.
 */

/** @type {Map<string, Promise<FrameSet | undefined>>} */
const sets = new Map()

/**
 * All frames of a demo, or undefined where its states are too many to ship.
 * @param {string} demo
 * @param {string} lang
 * @returns {Promise<FrameSet | undefined>}
 */
export function shippedFrames(demo, lang) {
  const name = `${demo}.${lang}`
  const known = sets.get(name)
  if (known) return known
  const loading = fetchFrames(name)
  loading.catch(() => sets.delete(name))
  sets.set(name, loading)
  return loading
}

/**
 * The frame of a state, if it is among them.
 * @param {FrameSet} set
 * @param {string} state its key
 * @returns {Frame | undefined}
 */
export function frameIn({ states, parts, frames }, state) {
  const found = frames[states[state]]
  return found && { html: found.html.map((place) => parts[place]).join(""), say: found.say }
}

/** @param {string} name */
async function fetchFrames(name) {
  const { base, files } = await manifest()
  const file = files.frames[name]
  if (!file) return undefined
  const answer = await fetch(new URL(file, base))
  if (!answer.ok) throw new Error(`${file}: ${answer.status}`)
  return answer.json()
}
