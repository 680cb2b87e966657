/** What is wider than its place can be scrolled with the keyboard too. */

const PLACES =
  ".scroll, .math-block, math[display=block], .md-typeset__scrollwrap, .md-typeset__table, pre > code"

const PAUSE = 50 // ms between two looks where the browser does not say when it is idle
const ENOUGH = 3 // ms for one look

/**
 * All are measured before the first is changed: else each would be laid out anew.
 * @param {Element[]} parts
 */
function reach(parts) {
  const wide = parts.filter((part) => !part.hasAttribute("tabindex") && part.scrollWidth > part.clientWidth)
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
  reach([...waiting].flatMap((root) => [...root.querySelectorAll(PLACES)]))
  waiting.clear()
}

/** @type {Element[]} of the page, not yet looked at */
let rest = []
let expected = false

/** Look at the whole page, and again whenever something opens or the window changes. */
export function watchScrollers() {
  lookAround()
  addEventListener("load", lookAround)
  addEventListener("resize", lookAround, { passive: true })
  document.addEventListener("toggle", lookAround, { capture: true })
  document.fonts.ready.then(lookAround)
}

function lookAround() {
  rest = [...document.querySelectorAll(PLACES)]
  whenIdle()
}

function whenIdle() {
  if (expected || rest.length === 0) return
  expected = true
  if ("requestIdleCallback" in globalThis) requestIdleCallback((idle) => lookOn(() => idle.timeRemaining()))
  else setTimeout(() => lookOn(() => 0), PAUSE)
}

/**
 * One part after another while there is time: a chapter has hundreds.
 * @param {() => number} time ms that are left
 */
function lookOn(time) {
  do {
    const part = rest.shift()
    if (part) reach([part])
  } while (rest.length > 0 && time() > ENOUGH)
  expected = false
  whenIdle()
}
