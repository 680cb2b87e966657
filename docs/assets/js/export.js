/** Take a demo's picture or its numbers along: SVG, PNG, CSV. */

const NAMESPACE = "http://www.w3.org/2000/svg"
const SCALE = 2 // pixels of a PNG for each pixel on the screen

/**
 * The tables of a frame as CSV, an empty line between two of them.
 * @param {HTMLElement} frame
 */
export function tablesAsCsv(frame) {
  const tables = [...frame.querySelectorAll("table")].map((table) => {
    const name = table.caption?.textContent?.trim()
    const rows = [...table.rows].map((row) =>
      [...row.cells].map((cell) => quoted(cell.textContent ?? "")).join(","),
    )
    return [...(name ? [quoted(name)] : []), ...rows].join("\r\n")
  })
  return `${tables.join("\r\n\r\n")}\r\n`
}

/**
 * The picture of a frame as an SVG document that carries its own styles.
 * @param {HTMLElement} picture
 */
export function pictureAsSvg(picture) {
  const { width, height } = picture.getBoundingClientRect()
  const copy = /** @type {HTMLElement} */ (picture.cloneNode(true))
  copyStyles(picture, copy)
  copy.style.margin = "0"
  copy.setAttribute("xmlns", "http://www.w3.org/1999/xhtml")
  const svg = document.createElementNS(NAMESPACE, "svg")
  svg.setAttribute("viewBox", `0 0 ${Math.ceil(width)} ${Math.ceil(height)}`)
  svg.setAttribute("width", String(Math.ceil(width)))
  svg.setAttribute("height", String(Math.ceil(height)))
  const ground = document.createElementNS(NAMESPACE, "rect")
  ground.setAttribute("width", "100%")
  ground.setAttribute("height", "100%")
  ground.setAttribute("fill", groundOf(picture))
  const inside = document.createElementNS(NAMESPACE, "foreignObject")
  inside.setAttribute("width", "100%")
  inside.setAttribute("height", "100%")
  inside.append(copy)
  svg.append(ground, inside)
  return new XMLSerializer().serializeToString(svg)
}

/**
 * An SVG document as a PNG.
 * @param {string} svg
 * @returns {Promise<Blob>}
 */
export async function svgAsPng(svg) {
  const image = new Image()
  // A data address, not a blob's: a picture with foreignObject from a blob would taint the canvas.
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`
  await image.decode()
  const canvas = document.createElement("canvas")
  canvas.width = image.naturalWidth * SCALE
  canvas.height = image.naturalHeight * SCALE
  const context = canvas.getContext("2d")
  if (!context) throw new Error("this browser gives no 2d canvas")
  context.scale(SCALE, SCALE)
  context.drawImage(image, 0, 0)
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("the canvas gave no PNG"))), "image/png")
  })
}

/**
 * Hand a file to the reader.
 * @param {string} name
 * @param {Blob} content
 */
export function download(name, content) {
  const link = document.createElement("a")
  link.href = URL.createObjectURL(content)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}

/** @param {string} text */
function quoted(text) {
  const plain = text.replaceAll("\u2212", "-").trim()
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain
}

/** @param {Element | null} element */
function groundOf(element) {
  for (let place = element; place; place = place.parentElement) {
    const { backgroundColor } = getComputedStyle(place)
    if (backgroundColor !== "rgba(0, 0, 0, 0)" && backgroundColor !== "transparent") return backgroundColor
  }
  return "white"
}

/**
 * Computed styles, all the way down: the document that leaves has no style sheet.
 * @param {Element} from
 * @param {Element} to
 */
function copyStyles(from, to) {
  if (to instanceof HTMLElement || to instanceof SVGElement) {
    const computed = getComputedStyle(from)
    for (const name of KEPT) to.style.setProperty(name, computed.getPropertyValue(name))
  }
  const children = [...to.children]
  ;[...from.children].forEach((child, i) => {
    copyStyles(child, children[i])
  })
}

const KEPT = [
  "align-items",
  "background",
  "border",
  "border-collapse",
  "border-left",
  "border-bottom",
  "border-radius",
  "border-spacing",
  "box-shadow",
  "box-sizing",
  "caption-side",
  "color",
  "display",
  "fill",
  "flex",
  "flex-direction",
  "flex-wrap",
  "font-family",
  "font-size",
  "font-variant-numeric",
  "font-weight",
  "gap",
  "grid-column",
  "grid-template-columns",
  "height",
  "justify-content",
  "line-height",
  "list-style",
  "margin",
  "max-width",
  "min-width",
  "opacity",
  "overflow",
  "padding",
  "position",
  "stroke",
  "stroke-dasharray",
  "stroke-width",
  "text-align",
  "text-anchor",
  "vertical-align",
  "white-space",
  "width",
]
