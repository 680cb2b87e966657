/** The menu of a demo's tools: take it along, put it into a slide, fill the screen with it. */

import { getElement } from "./dom.js"
import { download, pictureAsSvg, svgAsPng, tablesAsCsv } from "./export.js"
import { message } from "./messages.js"

/**
 * Do what a menu entry says; returns the sentence for the reader, if there is one.
 * @param {string} act
 * @param {HTMLElement} demo
 * @returns {Promise<string | undefined>}
 */
export async function actOfMenu(act, demo) {
  const name = demo.dataset.demo ?? "demo"
  const frame = getElement(demo, "[data-part=frame]")
  const picture = getElement(frame, ".frame-picture")
  switch (act) {
    case "svg":
      download(`${name}.svg`, new Blob([pictureAsSvg(picture)], { type: "image/svg+xml" }))
      return undefined
    case "png":
      download(`${name}.png`, await svgAsPng(pictureAsSvg(picture)))
      return undefined
    case "csv":
      // The mark at the start tells spreadsheets that this is UTF-8.
      download(`${name}.csv`, new Blob(["\ufeff", tablesAsCsv(frame)], { type: "text/csv" }))
      return undefined
    case "embed":
      await navigator.clipboard.writeText(embedCode(demo))
      return message("embed_copied")
    case "full":
      if (document.fullscreenElement) await document.exitFullscreen()
      else await demo.requestFullscreen()
      return undefined
    default:
      return undefined
  }
}

/**
 * What an instructor pastes into a slide or a course page. The frame tells its height to the page around it.
 * @param {HTMLElement} demo
 */
function embedCode(demo) {
  const site = new URL("../../", import.meta.url)
  const query = new URL(/** @type {HTMLAnchorElement} */ (getElement(demo, "[data-act=link]")).href).search
  const source = new URL(`embed/${demo.dataset.demo}/${query}`, site)
  const title = getElement(demo, ".demo-title").textContent?.replaceAll('"', "&quot;")
  return (
    `<iframe src="${source}" title="${title}" width="100%" height="640" style="border:0" allowfullscreen></iframe>\n` +
    `<script type="module" src="${new URL("assets/js/host.js", site)}"></script>`
  )
}
