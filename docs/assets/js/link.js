/** A demo's state in the page's address: `?scaling.d_k=64#demo-scaling`. */

import { message } from "./messages.js"

/** @typedef {import("./form.js").State} State */

/**
 * The state that the address names for the demo `ident`, or undefined where it names none.
 * @param {string} ident
 * @returns {State | undefined}
 */
export function stateFromAddress(ident) {
  const prefix = `${ident.replace(/^demo-/, "")}.`
  const pairs = [...new URLSearchParams(location.search)].filter(([name]) => name.startsWith(prefix))
  if (pairs.length === 0) return undefined
  return Object.fromEntries(pairs.map(([name, value]) => [name.slice(prefix.length), value]))
}

/**
 * The address of this page with the demo `ident` in `state`; what equals the default is left out.
 * @param {string} ident
 * @param {State} state
 * @param {State} defaults
 */
export function addressOf(ident, state, defaults) {
  const prefix = `${ident.replace(/^demo-/, "")}.`
  const changed = Object.entries(state).filter(([name, value]) => value !== defaults[name])
  const query = changed.map(
    ([name, value]) => `${encodeURIComponent(prefix + name)}=${encodeURIComponent(value)}`,
  )
  const search = query.length > 0 ? `?${query.join("&").replaceAll("%2C", ",")}` : ""
  return `${location.origin}${location.pathname}${search}#${ident}`
}

/**
 * Put a link into the address line and the clipboard; returns the sentence that says where it is.
 * @param {string} address
 */
export async function shareAddress(address) {
  history.replaceState(history.state, "", address)
  try {
    await navigator.clipboard.writeText(address)
    return message("link_copied")
  } catch {
    return message("link_in_address")
  }
}
