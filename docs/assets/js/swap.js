/**
 * One frame in the place of another. What both have alike is left alone: it is neither styled nor laid out
 * again, which is most of the work. What a reader had open stays open, what had the focus has it again.
 */

/**
 * @param {HTMLElement} place
 * @param {string} html
 */
export function swapFrame(place, html) {
  const focused = focusedSetting(place)
  const fresh = document.createElement("template")
  fresh.innerHTML = html
  const open = new Set(parts(place, "details[data-keep][open]").map((part) => part.dataset.keep))
  for (const part of parts(fresh.content, "details[data-keep]")) {
    part.toggleAttribute("open", open.has(part.dataset.keep))
  }
  swapChildren(place, fresh.content)
  if (focused === undefined || focusedSetting(place) === focused) return
  const again = parts(place, "[data-set]").find((part) => part.dataset.set === focused)
  again?.focus({ preventScroll: true })
}

/**
 * @param {Node} old
 * @param {Node} fresh
 */
function swapChildren(old, fresh) {
  const [olds, freshes] = [[...old.childNodes], [...fresh.childNodes]]
  for (const [i, node] of freshes.entries()) {
    if (i < olds.length) swapNode(olds[i], node)
    else old.appendChild(node)
  }
  for (const node of olds.slice(freshes.length)) node.remove()
}

/**
 * @param {ChildNode} old
 * @param {ChildNode} fresh
 */
function swapNode(old, fresh) {
  if (old.isEqualNode(fresh)) return
  if (fresh.hasChildNodes() && old.cloneNode(false).isEqualNode(fresh.cloneNode(false))) {
    swapChildren(old, fresh)
  } else old.replaceWith(fresh)
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
 * @param {ParentNode} place
 * @param {string} selector
 * @returns {(HTMLElement | SVGElement)[]}
 */
function parts(place, selector) {
  return [...place.querySelectorAll(selector)].filter(
    (part) => part instanceof HTMLElement || part instanceof SVGElement,
  )
}
