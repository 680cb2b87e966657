/** What the build made beside the pages: `assets/generated/manifest.json`, and where it lies. */

/**
 * @typedef {{url: string, bytes: number, packed?: {url: string, bytes: number}}} FileEntry
 *   One file in its plain form and, where there is one, packed with gzip.
 * @typedef {object} Manifest
 * @property {Record<string, string>} editor address of the code editor's modules, by the names of their packages
 * @property {Record<string, string>} frames address of the frames of `NAME.LANG`
 * @property {{version: string, stdlib: string, lock: object, files: Record<string, FileEntry>}} python
 */

const HOME = new URL("../generated/manifest.json", import.meta.url)

/** @type {Promise<{base: URL, files: Manifest}> | undefined} */
let asked

/**
 * The manifest, fetched once, and the address that its own addresses are relative to.
 * @param {boolean} [again] fetch it again: the files it names go with an old build
 * @returns {Promise<{base: URL, files: Manifest}>}
 */
export function manifest(again = false) {
  if (again || !asked) {
    const asking = load()
    asking.catch(() => {
      if (asked === asking) asked = undefined
    })
    asked = asking
  }
  return asked
}

async function load() {
  const answer = await fetch(HOME, { cache: "no-cache" }) // an unchanged one costs no body
  if (!answer.ok) throw new Error(`${HOME.pathname}: ${answer.status}`)
  return { base: HOME, files: await answer.json() }
}
