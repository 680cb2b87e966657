/** What is wider than its place can be scrolled with the keyboard too. */

const PLACES =
  ".scroll, .math-block, math[display=block], .md-typeset__scrollwrap, .md-typeset__table, pre > code"

/**
 * All are measured before the first is changed: else each would be laid out anew.
 * @param {ParentNode} root
 */
export function reachScrollers(root) {
  const wide = [...root.querySelectorAll(PLACES)].filter(
    (part) => !part.hasAttribute("tabindex") && part.scrollWidth > part.clientWidth,
  )
  for (const part of wide) part.setAttribute("tabindex", "0")
}

/** @type {Set<ParentNode>} */
const waiting = new Set()

/**
 * Look before the next paint, when everything is laid out anyway.
 * @param {ParentNode} root
 */
export function reachScrollersSoon(root) {
  if (waiting.size === 0) requestAnimationFrame(reachWaiting)
  waiting.add(root)
}

function reachWaiting() {
  for (const root of waiting) reachScrollers(root)
  waiting.clear()
}

/** Look again whenever something opens or the window changes. */
export function watchScrollers() {
  const look = () => reachScrollersSoon(document)
  look()
  addEventListener("load", look)
  addEventListener("resize", look, { passive: true })
  document.addEventListener("toggle", look, { capture: true })
  document.fonts.ready.then(look)
}
