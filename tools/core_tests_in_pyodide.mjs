// Run a test-suite with pytest inside Pyodide: under Node.js as a program, in a browser's worker as a module.
// node core_tests_in_pyodide.mjs FOLDER, where FOLDER holds Pyodide's files, pyodide-lock.json and suite.zip.

const PROGRAM = `
import json, os, sys

os.chdir("/suite")
sys.path[:0] = ["/suite", "/suite/wheels"]
sys.dont_write_bytecode = True

import pytest


class Run:
    """Fewer examples than at home, and a count of what ran."""

    ran = 0

    def pytest_sessionstart(self):
        # After the suite's conftest has chosen its profile, before any test file is imported.
        from hypothesis import settings

        settings.register_profile("pyodide", settings(), max_examples=examples)
        settings.load_profile("pyodide")

    def pytest_runtest_logreport(self, report):
        self.ran += report.when == "call"


run = Run()
options = ["-q", "--capture=sys", "-p", "no:cacheprovider", "-p", "no:faulthandler", "--tb=short"]
code = int(pytest.main([*options, "tests"], plugins=[run]))
json.dumps({"code": code, "ran": run.ran})
`

/**
 * @param {any} loadPyodide
 * @param {string} folder where Pyodide's files are
 * @param {Uint8Array} suite a zip with tests/, the packages under test, and the test tools in wheels/
 * @param {number} examples how many examples a property is tested with
 * @param {(line: string) => void} say hears every line of pytest's output
 * @returns {Promise<{code: number, ran: number}>} pytest's exit code, and how many tests ran
 */
export async function run(loadPyodide, folder, suite, examples, say) {
  const python = await loadPyodide({
    indexURL: folder,
    packages: ["numpy"],
    enableRunUntilComplete: false,
    stdout: say,
    stderr: say,
    env: { PYTHONDONTWRITEBYTECODE: "1", NO_COLOR: "1" },
  })
  python.unpackArchive(suite, "zip", { extractDir: "/suite" })
  python.globals.set("examples", examples)
  return JSON.parse(python.runPython(PROGRAM))
}

/** @param {string[]} words the folder and the number of examples */
async function main([folder, examples]) {
  const { readFile } = await import("node:fs/promises")
  const path = await import("node:path")
  const { pathToFileURL } = await import("node:url")
  const { loadPyodide } = await import(pathToFileURL(path.join(folder, "pyodide.mjs")).href)
  const suite = new Uint8Array(await readFile(path.join(folder, "suite.zip")))
  return run(loadPyodide, `${folder}/`, suite, Number(examples), (line) => console.log(line))
}

if (typeof process === "object") {
  try {
    console.log(JSON.stringify(await main(process.argv.slice(2))))
  } catch (error) {
    // Uncaught, it would come with the line of Pyodide's source that threw: a megabyte.
    console.error(error.message)
    process.exitCode = 1
  }
}
