/** What the build put below assets/generated/: names with hashes, and sizes. */

/** @typedef {{base: URL, files: any}} Manifest */

const BASE = new URL("../generated/", import.meta.url)

/** @type {Promise<Manifest> | undefined} */
let loading

/**
 * The manifest, fetched once; a failure is forgotten, so that the next call asks again.
 * @returns {Promise<Manifest>}
 */
export function manifest() {
  loading ??= fetchManifest().catch((error) => {
    loading = undefined
    throw error
  })
  return loading
}

async function fetchManifest() {
  const answer = await fetch(new URL("manifest.json", BASE))
  if (!answer.ok) throw new Error(`manifest.json: ${answer.status}`)
  return { base: BASE, files: await answer.json() }
}
