/** The words that scripts show, from the table that the build put into the page. */

/** @type {Map<string, Record<string, string>>} */
const tables = new Map()

/**
 * The message `key`, its `{places}` filled from `values`.
 * @param {string} key
 * @param {Record<string, string | number>} [values]
 * @returns {string}
 * @throws {Error} where the page has no table, or the table no such key
 */
export function message(key, values = {}) {
  const found = table()[key]
  if (found === undefined) throw new Error(`no message "${key}" in the page's table`)
  return found.replace(/\{(\w+)\}/g, (/** @type {string} */ place, /** @type {string} */ name) =>
    String(values[name] ?? place),
  )
}

function table() {
  const source = document.querySelector("script.course-messages")?.textContent
  if (!source) throw new Error('missing element: expected "script.course-messages"')
  const known = tables.get(source)
  if (known) return known
  const parsed = JSON.parse(source)
  tables.set(source, parsed)
  return parsed
}
