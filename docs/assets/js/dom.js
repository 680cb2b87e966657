/** Look up elements: one function for those that must be there, one for those that may. */

/**
 * The element that matches `selector` below `root`.
 * @param {ParentNode} root
 * @param {string} selector
 * @returns {HTMLElement}
 * @throws {Error} where there is none
 */
export function getElement(root, selector) {
  const found = root.querySelector(selector)
  if (!(found instanceof HTMLElement)) throw new Error(`missing element: expected "${selector}"`)
  return found
}

/**
 * The element that matches `selector` below `root`, if there is one.
 * @param {ParentNode} root
 * @param {string} selector
 * @returns {HTMLElement | undefined}
 */
export function getOptionalElement(root, selector) {
  const found = root.querySelector(selector)
  return found instanceof HTMLElement ? found : undefined
}
