/** For pages that hold an embedded demo: gives each frame the height that its demo asks for. */

addEventListener("message", (event) => {
  const height = Number(event.data?.courseHeight)
  if (!(height > 0)) return
  for (const frame of document.querySelectorAll("iframe")) {
    if (frame.contentWindow === event.source) frame.style.height = `${Math.ceil(height)}px`
  }
})
