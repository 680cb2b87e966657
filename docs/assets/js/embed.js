/** An embedded demo tells the page around it how high it is, whenever that changes. */

export function tellHeight() {
  if (window.parent === window) return
  const article = document.querySelector("[data-embed]")
  if (!(article instanceof HTMLElement)) return
  new ResizeObserver(() => {
    // Any page may hold a demo, and a height is no secret.
    window.parent.postMessage({ courseHeight: article.scrollHeight }, "*")
  }).observe(article)
}
