/**
 * Python inside the worker: Pyodide, with numpy and our packages put in place before it starts.
 *
 * That is quicker than loading packages afterwards: their libraries compile while the rest arrives, and no
 * Python code unpacks anything.
 */

import { Downloads } from "./downloads.js"
import { unzip } from "./unzip.js"

/**
 * @typedef {import("./manifest.js").Manifest} Manifest
 * @typedef {import("./protocol.js").StageName} StageName
 * @typedef {(name: StageName, loaded: number, total: number) => void} Report
 */

// Python at level 2 expects numpy without docstrings, as it is shipped; our own files are compiled with theirs.
const SOURCES = "/sources" // not where Python imports from: it would prefer them to what is compiled
const ENVIRONMENT = { PYTHONOPTIMIZE: "2" }

export class Python {
  /** @type {any} the interpreter, once it runs */
  #pyodide
  /** @type {Map<string, any>} one handle on each module: a new one would be kept until the next collection */
  #modules = new Map()
  #complete = false // whether the parts that are seldom needed are there
  #files
  #manifest
  #base
  #downloads
  #report

  /**
   * @param {{base: URL, files: Manifest}} manifest
   * @param {Report} report
   */
  constructor({ base, files }, report) {
    this.#base = base
    this.#manifest = files.python
    this.#files = files.python.files
    this.#downloads = new Downloads(base)
    this.#report = report
  }

  /**
   * Load and start everything.
   * @throws {Error} where a file cannot be had or Python does not start
   */
  async start() {
    const { engine, stdlib, numpy, course, loader, glue } = this.#files
    const downloads = this.#downloads
    downloads.expect([engine, stdlib, numpy, course], (loaded, total) =>
      this.#report("download", loaded, total),
    )
    const engineComing = downloads.engine(engine)
    const [stdlibComing, ...packagesComing] = [stdlib, numpy, course].map((entry) => downloads.file(entry))
    const folder = new URL("pyodide/", this.#base)
    handOver({
      [`${folder}pyodide.asm.wasm`]: engineComing,
      [this.#address(stdlib)]: stdlibComing.then((bytes) => new Response(bytes)),
    })
    const scripts = Promise.all([import(this.#address(loader)), import(this.#address(glue))])
    // Pyodide waits for ever for a file that does not come, so the files are watched beside it.
    const coming = Promise.all([engineComing, stdlibComing, ...packagesComing]).then(() =>
      downloads.arrived(),
    )
    const watched = coming.then(() => new Promise(() => {}))
    const [{ loadPyodide }] = await Promise.race([scripts, watched])
    const started = new Promise((resolve, reject) => {
      whenCompiled(() => downloads.engineArrived(), reject)
      loadPyodide({
        indexURL: String(folder),
        stdLibURL: this.#address(stdlib),
        lockFileURL: `data:application/json,${encodeURIComponent(JSON.stringify(this.#manifest.lock))}`,
        enableRunUntilComplete: false, // it hangs in Safari
        env: ENVIRONMENT,
        fsInit: async (/** @type {any} */ fs, /** @type {{sitePackages: string}} */ { sitePackages }) => {
          for (const archive of await Promise.all(packagesComing)) place(fs, sitePackages, archive, reject)
          this.#report("start", 0, 0)
        },
      }).then(resolve, reject)
    })
    this.#pyodide = await Promise.race([started, watched])
    this.#report("numpy", 0, 0)
    await this.#withExtras(() => this.#pyodide.runPython("import numpy, transformer_core, demos.kit"))
  }

  /**
   * The frame of a demo's state, as `demos.kit.frame_json` gives it.
   * @param {string} demo
   * @param {Record<string, string>} state
   * @param {string} lang
   * @returns {Promise<{html: string, say: string, state: Record<string, string>}
   *   | {error: {code: "state" | "demo", message: string}}>}
   */
  async frame(demo, state, lang) {
    return JSON.parse(
      await this.#withExtras(() => this.#module("demos.kit").frame_json(demo, JSON.stringify(state), lang)),
    )
  }

  /**
   * The code behind a demo's frame, as `demos.kit.source.code_json` gives it.
   * @param {string} demo
   * @param {Record<string, string>} state
   * @param {string} lang
   * @returns {Promise<{html: string} | {error: {code: "state" | "demo", message: string}}>}
   */
  async code(demo, state, lang) {
    if (!this.#pyodide.FS.analyzePath(SOURCES).exists) await this.#loadSources()
    return JSON.parse(
      await this.#withExtras(() =>
        this.#module("demos.kit.source").code_json(demo, JSON.stringify(state), lang, SOURCES),
      ),
    )
  }

  /**
   * A frame by changed code, as `demos.kit.edited.run_json` gives it.
   * @param {string} demo
   * @param {Record<string, string>} state
   * @param {string} lang
   * @param {Record<string, string>} edits source by name of a function
   * @returns {Promise<import("./protocol.js").Result | {error: {code: "state" | "demo", message: string}}>}
   */
  async run(demo, state, lang, edits) {
    return JSON.parse(
      this.#module("demos.kit.edited").run_json(demo, JSON.stringify(state), lang, JSON.stringify(edits)),
    )
  }

  /** @param {string} name */
  #module(name) {
    const known = this.#modules.get(name) ?? this.#pyodide.pyimport(name)
    this.#modules.set(name, known)
    return known
  }

  /** The `.py` files of our packages, for readers: what runs is compiled. */
  async #loadSources() {
    const { sources } = this.#files
    this.#downloads.expect([sources], (loaded, total) => this.#report("sources", loaded, total))
    const packed = new Response(await this.#downloads.file(sources)).body
    if (!packed) throw new Error(`${sources.url} has no content`)
    const whole = await new Response(packed.pipeThrough(new DecompressionStream("gzip"))).arrayBuffer()
    const fs = this.#pyodide.FS
    for (const [name, bytes] of unzip(new Uint8Array(whole))) {
      fs.mkdirTree(`${SOURCES}/${name}`.replace(/\/[^/]*$/, ""))
      fs.writeFile(`${SOURCES}/${name}`, bytes)
    }
  }

  /**
   * Whether an error is an exception of Python's, after which Python goes on.
   * @param {unknown} error
   */
  isException(error) {
    return error instanceof this.#pyodide.ffi.PythonError
  }

  /**
   * What `run` gives; where it imports what the first download left out, that is fetched, and it runs again.
   * @template T
   * @param {() => T} run
   * @returns {Promise<T>}
   */
  async #withExtras(run) {
    try {
      return run()
    } catch (error) {
      if (this.#complete || !this.#isLeftOut(error)) throw error
      await this.#loadExtras()
      this.#complete = true
      return run()
    }
  }

  /** @param {any} error */
  #isLeftOut(error) {
    if (!this.isException(error) || error.type !== "ModuleNotFoundError") return false
    const [message, root] = /No module named '(\w+)[^\n]*/.exec(error.message) ?? []
    if (!root) return false
    const known = root === "numpy" || this.#pyodide.pyimport("sys").stdlib_module_names.has(root)
    if (known) console.info(`${message}: the first download leaves it out`)
    return known
  }

  /** The whole standard library in place of its core, and the rest of numpy beside its core. */
  async #loadExtras() {
    const entries = [this.#files.stdlib_full, this.#files.numpy_later]
    this.#downloads.expect(entries, (loaded, total) => this.#report("extras", loaded, total))
    const [stdlib, numpy] = await Promise.all(entries.map((entry) => this.#downloads.file(entry)))
    const fs = this.#pyodide.FS
    fs.writeFile(this.#manifest.stdlib, stdlib)
    const sitePackages = this.#pyodide.runPython("import numpy; numpy.__path__[0].removesuffix('/numpy')")
    for (const [name, bytes] of unzip(numpy)) {
      fs.mkdirTree(`${sitePackages}/${name}`.replace(/\/[^/]*$/, ""))
      fs.writeFile(`${sitePackages}/${name}`, bytes)
    }
    this.#pyodide.runPython("import importlib; importlib.invalidate_caches()")
  }

  /** @param {{url: string}} entry */
  #address(entry) {
    return String(new URL(entry.url, this.#base))
  }
}

/**
 * Put an archive's files where Python finds them. Libraries begin to compile at once: Emscripten does that
 * with files that it preloads, and Python's start waits for them.
 * @param {any} fs
 * @param {string} folder
 * @param {Uint8Array} archive
 * @param {(error: Error) => void} failed
 */
function place(fs, folder, archive, failed) {
  const known = new Set()
  for (const [name, bytes] of unzip(archive)) {
    const cut = name.lastIndexOf("/")
    const parent = `${folder}/${name.slice(0, cut)}`
    if (!known.has(parent)) fs.mkdirTree(parent)
    known.add(parent)
    if (name.endsWith(".so")) {
      const broken = () => failed(new Error(`${name} does not compile`))
      fs.createPreloadedFile(parent, name.slice(cut + 1), bytes, true, true, undefined, broken, false, true)
    } else {
      fs.writeFile(`${folder}/${name}`, bytes, { canOwn: true })
    }
  }
}

/**
 * Answer requests for these addresses with what is already on its way. Pyodide itself has no way to be given
 * the engine, and asking twice would download it twice.
 * @param {Record<string, Promise<Response>>} held
 */
function handOver(held) {
  const network = globalThis.fetch
  globalThis.fetch = (input, options) => {
    const address = input instanceof Request ? input.url : String(input)
    const answer = held[address]
    delete held[address]
    return answer ?? network(input, options)
  }
}

/**
 * Hear how the engine's compilation ends: where it fails, Pyodide itself only logs it and waits for ever.
 * @param {() => void} done
 * @param {(error: unknown) => void} failed
 */
function whenCompiled(done, failed) {
  const instantiate = WebAssembly.instantiateStreaming
  WebAssembly.instantiateStreaming = (source, imports) => {
    WebAssembly.instantiateStreaming = instantiate
    const compiled = instantiate(source, imports)
    compiled.then(done, failed)
    return compiled
  }
}
