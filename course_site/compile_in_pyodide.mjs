// Byte-compile an archive with the browser's own Python, under Node.js:
// node compile_in_pyodide.mjs PYODIDE.mjs LOCK.json IN.zip OUT.zip LEVEL
import { readFile, writeFile } from "node:fs/promises"
import path from "node:path"
import { pathToFileURL } from "node:url"

const PROGRAM = `
import marshal, zipfile
from importlib.util import MAGIC_NUMBER

with zipfile.ZipFile("/in.zip") as source, zipfile.ZipFile("/out.zip", "w") as target:
    for name in source.namelist():
        data = source.read(name)
        if name.endswith(".py"):
            code = compile(data, name, "exec", dont_inherit=True, optimize=level)
            name, data = name + "c", MAGIC_NUMBER + bytes(12) + marshal.dumps(code)
        target.writestr(name, data)
`

async function main([loader, lock, source, target, level]) {
  const { loadPyodide } = await import(pathToFileURL(loader).href)
  const python = await loadPyodide({
    indexURL: path.dirname(loader),
    lockFileURL: lock,
    enableRunUntilComplete: false,
    env: { PYTHONHASHSEED: "0" }, // the order of constant sets
  })
  python.FS.writeFile("/in.zip", await readFile(source))
  python.globals.set("level", Number(level))
  python.runPython(PROGRAM)
  await writeFile(target, python.FS.readFile("/out.zip"))
}

try {
  await main(process.argv.slice(2))
} catch (error) {
  // Uncaught, it would come with the line of Pyodide's source that threw: a megabyte.
  console.error(error.message)
  process.exitCode = 1
}
