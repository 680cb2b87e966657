/** The files of a zip that the build made: stored, not compressed, so that reading it copies nothing. */

const END = 0x06054b50
const END_BYTES = 22
const STORED = 0

/**
 * Name and bytes of each file; the bytes are views into `archive`.
 * @param {Uint8Array} archive
 * @returns {[name: string, bytes: Uint8Array][]}
 * @throws {Error} for anything but a stored zip without a comment
 */
export function unzip(archive) {
  const view = new DataView(archive.buffer, archive.byteOffset, archive.byteLength)
  const end = archive.length - END_BYTES
  if (end < 0 || view.getUint32(end, true) !== END) throw new Error("not a whole zip archive")
  const text = new TextDecoder()
  /** @type {[string, Uint8Array][]} */
  const files = []
  let at = view.getUint32(end + 16, true) // the table of contents
  for (let left = view.getUint16(end + 10, true); left > 0; left--) {
    const [nameBytes, extraBytes, noteBytes] = [28, 30, 32].map((offset) => view.getUint16(at + offset, true))
    const name = text.decode(archive.subarray(at + 46, at + 46 + nameBytes))
    if (view.getUint16(at + 10, true) !== STORED) throw new Error(`${name} is compressed`)
    const size = view.getUint32(at + 24, true)
    const header = view.getUint32(at + 42, true)
    const start = header + 30 + view.getUint16(header + 26, true) + view.getUint16(header + 28, true)
    files.push([name, archive.subarray(start, start + size)])
    at += 46 + nameBytes + extraBytes + noteBytes
  }
  return files
}
