/** What the reader has done, kept in this browser. Nothing that was saved is ever thrown away unread. */

const PREFIX = "course.v1."

/**
 * The value saved under `key`, or undefined. What cannot be read is moved aside, not overwritten.
 * @param {string} key
 * @returns {unknown}
 */
export function load(key) {
  const saved = attempt(() => localStorage.getItem(PREFIX + key))
  if (saved === null || saved === undefined) return undefined
  try {
    return JSON.parse(saved)
  } catch {
    attempt(() => localStorage.setItem(`${PREFIX}unreadable.${key}`, saved))
    return undefined
  }
}

/**
 * Save `value` under `key`; says whether the browser let us.
 * @param {string} key
 * @param {unknown} value
 * @returns {boolean}
 */
export function save(key, value) {
  return attempt(() => localStorage.setItem(PREFIX + key, JSON.stringify(value)) ?? true) ?? false
}

/** @param {string} key */
export function remove(key) {
  attempt(() => localStorage.removeItem(PREFIX + key))
}

/**
 * Storage can be closed to us (private windows, full disks): that is an answer, not an accident.
 * @template T
 * @param {() => T} action
 * @returns {T | undefined}
 */
function attempt(action) {
  try {
    return action()
  } catch {
    return undefined
  }
}
