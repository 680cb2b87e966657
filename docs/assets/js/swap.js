/** One frame in the place of another: what a reader had open stays open, what had the focus has it again. */

/**
 * @param {HTMLElement} place
 * @param {string} html
 */
export function swapFrame(place, html) {
  const open = new Set(parts(place, "details[data-keep][open]").map((part) => part.dataset.keep))
  const focused = focusedSetting(place)
  place.innerHTML = html
  for (const part of parts(place, "details[data-keep]")) {
    part.toggleAttribute("open", open.has(part.dataset.keep))
  }
  if (focused === undefined) return
  const again = parts(place, "[data-set]").find((part) => part.dataset.set === focused)
  again?.focus({ preventScroll: true })
}

/**
 * What the element in the frame that has the focus sets, if one has it.
 * @param {HTMLElement} place
 */
function focusedSetting(place) {
  const focused = /** @type {HTMLElement | SVGElement | null} */ (document.activeElement)
  return focused && place.contains(focused) ? focused.dataset.set : undefined
}

/**
 * @param {HTMLElement} place
 * @param {string} selector
 * @returns {(HTMLElement | SVGElement)[]}
 */
function parts(place, selector) {
  return [...place.querySelectorAll(selector)].filter(
    (part) => part instanceof HTMLElement || part instanceof SVGElement,
  )
}
