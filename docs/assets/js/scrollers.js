/** What is wider than its place can be scrolled with the keyboard too. */

const PLACES =
  ".scroll, .math-block, math[display=block], .md-typeset__scrollwrap, .md-typeset__table, pre > code"

/** @param {ParentNode} root */
export function reachScrollers(root) {
  for (const part of root.querySelectorAll(PLACES)) {
    if (part.scrollWidth > part.clientWidth) part.setAttribute("tabindex", "0")
  }
}

/** Look again whenever something opens or the window changes. */
export function watchScrollers() {
  const look = () => reachScrollers(document)
  look()
  addEventListener("load", look)
  addEventListener("resize", look, { passive: true })
  document.addEventListener("toggle", look, { capture: true })
  document.fonts.ready.then(look)
}
