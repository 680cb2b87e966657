/**
 * The files of Python on their way into the worker, in the form that suits the host, with bytes counted.
 *
 * The engine's plain form is asked for first. A host that sends it with brotli will do so with the others,
 * and they come plain; from any other host the packed forms are smaller, and are unpacked here.
 */

/** @typedef {import("./manifest.js").FileEntry} FileEntry */

const NEAR = 100 // ms to an answer from a cache, or from a host so near that nobody needs to see bytes

/** A file of Python that could not be had. */
export class MissingFile extends Error {}

export class Downloads {
  #base
  #loaded = 0
  #total = 0
  /** @type {(loaded: number, total: number) => void} */
  #report = () => {}
  /** @type {Promise<boolean>} whether the other files come in their plain form */
  #plain = Promise.resolve(false)
  /** @type {Promise<void>[]} */
  #arrivals = []
  #unseen = 0 // bytes that nobody counts while they arrive

  /** @param {URL} base what the addresses of the entries are relative to */
  constructor(base) {
    this.#base = base
  }

  /**
   * Count from here: `entries` are the files that will be asked for.
   * @param {FileEntry[]} entries
   * @param {(loaded: number, total: number) => void} report bytes on the wire
   */
  expect(entries, report) {
    this.#loaded = 0
    this.#total = entries.reduce((sum, entry) => sum + wireBytes(entry), 0)
    this.#report = report
  }

  /**
   * The engine, as an answer that can be compiled while it arrives. To be asked for before any other file.
   *
   * Where the host compresses, the answer is handed on as it came: only then can the browser keep the
   * compiled engine for the next page. Its bytes are counted on a copy, which costs time, so from afar only.
   * @param {FileEntry} entry
   * @returns {Promise<Response>}
   */
  async engine(entry) {
    const stop = new AbortController()
    const began = performance.now()
    const asked = fetchOk(new URL(entry.url, this.#base), stop.signal)
    const encoding = asked.then((answer) => answer.headers.get("content-encoding") ?? "")
    this.#plain = encoding.then((name) => name === "br" || name === "zstd")
    this.#plain.catch(() => {}) // whoever waits for the engine hears of it
    const answer = await asked
    if (!(await encoding) && entry.packed) {
      stop.abort()
      return this.#packed(entry)
    }
    if (performance.now() - began < NEAR) this.#unseen = wireBytes(entry)
    else
      this.#counted(answer.clone(), entry, false)
        .arrayBuffer()
        .catch(() => {})
    return answer
  }

  /** The engine has arrived: count what was not counted on its way. */
  engineArrived() {
    this.#add(this.#unseen)
    this.#unseen = 0
  }

  /**
   * Another file, whole.
   * @param {FileEntry} entry
   * @returns {Promise<Uint8Array<ArrayBuffer>>}
   */
  async file(entry) {
    const packed = entry.packed && !(await this.#plain)
    const answer = packed
      ? await this.#packed(entry)
      : this.#counted(await fetchOk(new URL(entry.url, this.#base)), entry, false)
    return new Uint8Array(await answer.arrayBuffer().catch(missing(entry.url)))
  }

  /** Resolves when all that was asked for has arrived; rejects as soon as something fails. */
  async arrived() {
    await Promise.all(this.#arrivals)
  }

  /** @param {FileEntry} entry */
  async #packed(entry) {
    const answer = await fetchOk(new URL(entry.packed?.url ?? entry.url, this.#base))
    return this.#counted(answer, entry, true)
  }

  /**
   * The answer with its bytes counted and, where it is packed, unpacked.
   * @param {Response} answer
   * @param {FileEntry} entry
   * @param {boolean} packed
   * @returns {Response}
   */
  #counted(answer, entry, packed) {
    if (!answer.body) throw new Error(`${answer.url} has no content`)
    // The network layer hands over plain bytes of what travelled compressed: about so many on the wire.
    const wirePerByte = packed ? 1 : wireBytes(entry) / entry.bytes
    /** @type {TransformStream<Uint8Array, Uint8Array>} */
    const counter = new TransformStream({
      transform: (chunk, sink) => {
        this.#add(chunk.length * wirePerByte)
        sink.enqueue(chunk)
      },
    })
    this.#follow(answer.body.pipeTo(counter.writable), entry)
    let body = counter.readable
    if (packed) {
      const inflater = new DecompressionStream("gzip")
      this.#follow(body.pipeTo(/** @type {WritableStream<Uint8Array>} */ (inflater.writable)), entry)
      body = inflater.readable
    }
    return new Response(body, { headers: { "content-type": "application/wasm" } })
  }

  /** @param {number} bytes on the wire */
  #add(bytes) {
    if (bytes === 0) return
    this.#loaded += bytes
    this.#report(Math.round(this.#loaded), this.#total)
  }

  /**
   * @param {Promise<void>} arrival
   * @param {FileEntry} entry
   */
  #follow(arrival, entry) {
    const followed = arrival.catch(missing(entry.url))
    followed.catch(() => {}) // heard of through `arrived`, or by whoever reads the file
    this.#arrivals.push(followed)
  }
}

/** @param {FileEntry} entry */
function wireBytes(entry) {
  return entry.packed?.bytes ?? entry.bytes
}

/**
 * @param {URL} url
 * @param {AbortSignal} [signal]
 */
async function fetchOk(url, signal) {
  const answer = await fetch(url, { signal }).catch(missing(url.pathname))
  if (!answer.ok) throw new MissingFile(`${url.pathname}: ${answer.status}`)
  return answer
}

/**
 * @param {string} name
 * @returns {(error: unknown) => never}
 */
function missing(name) {
  return (error) => {
    throw new MissingFile(`${name}: ${error instanceof Error ? error.message : error}`)
  }
}
