/**
 * Drag a handle of a plane. `data-drag="angle=polar-angle&length=polar-length"` says which controls
 * the place under the pointer sets: `x`, `y`, `polar-angle` (degrees from 0 to 360), `polar-length`.
 */

import { parsePairs } from "./form.js"

/**
 * @param {PointerEvent} event
 * @param {(state: import("./form.js").State) => void} set
 * @param {AbortSignal} unmounted
 */
export function startDrag(event, set, unmounted) {
  const handle = event.target instanceof SVGElement ? event.target.closest("[data-drag]") : null
  const plane = handle?.closest("svg[data-reach]")
  if (!(handle instanceof SVGElement) || !(plane instanceof SVGElement)) return
  const wanted = parsePairs(handle.dataset.drag ?? "")
  const reach = Number(plane.dataset.reach)
  const box = plane.getBoundingClientRect()
  const dragging = new AbortController()
  const { signal } = dragging
  event.preventDefault()

  /** @param {PointerEvent} moved */
  const move = (moved) => {
    const x = ((moved.clientX - box.left) / box.width - 0.5) * 2 * reach
    const y = (0.5 - (moved.clientY - box.top) / box.height) * 2 * reach
    const degrees = (Math.atan2(y, x) * 180) / Math.PI
    /** @type {Record<string, number>} */
    const places = { x, y, "polar-angle": (degrees + 360) % 360, "polar-length": Math.hypot(x, y) }
    set(Object.fromEntries(Object.entries(wanted).map(([name, kind]) => [name, String(places[kind])])))
  }
  const stop = () => dragging.abort()
  document.addEventListener("pointermove", move, { signal })
  document.addEventListener("pointerup", stop, { signal })
  document.addEventListener("pointercancel", stop, { signal })
  unmounted.addEventListener("abort", stop, { signal })
}
