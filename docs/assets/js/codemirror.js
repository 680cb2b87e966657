/** CodeMirror for a reader's code. Its modules lie beside the pages and are asked for when an editor opens. */

import { manifest } from "./manifest.js"
import { message } from "./messages.js"

/**
 * @typedef {object} Modules
 * @property {typeof import("@codemirror/state")} state
 * @property {typeof import("@codemirror/view")} view
 * @property {typeof import("@codemirror/language")} language
 * @property {typeof import("@codemirror/commands")} commands
 * @property {typeof import("@lezer/highlight")} highlight
 * @property {typeof import("@lezer/python")} python
 */

const STEP = 4 // spaces of one indentation

/** @returns {Promise<Modules>} */
async function load() {
  const { base, files } = await manifest()
  // All at once, although they import each other: one way to the server and back, not one for each depth.
  const named = Object.entries(files.editor).map(async ([name, url]) => [
    name,
    await import(String(new URL(url, base))),
  ])
  const loaded = Object.fromEntries(await Promise.all(named))
  const module = (/** @type {string} */ name) => {
    if (!(name in loaded)) throw new Error(`this site has no module ${name}`)
    return loaded[name]
  }
  return {
    state: module("@codemirror/state"),
    view: module("@codemirror/view"),
    language: module("@codemirror/language"),
    commands: module("@codemirror/commands"),
    highlight: module("@lezer/highlight"),
    python: module("@lezer/python"),
  }
}

/** @type {Promise<Modules> | undefined} */
let loading

/**
 * The modules, or an error where the site cannot give them; asked for again after that.
 * @returns {Promise<Modules>}
 */
export function modules() {
  loading ??= load().catch((error) => {
    loading = undefined
    throw error
  })
  return loading
}

/**
 * Put CodeMirror in the place of a text field, which stays, hidden, and always holds the same text.
 * @param {Modules} modules
 * @param {HTMLTextAreaElement} area
 * @param {string} hint id of the element that says which keys do what
 * @returns {import("./field.js").Field}
 */
export function overlay(modules, area, hint) {
  const { EditorState } = modules.state
  const { EditorView } = modules.view
  const wrong = wrongLine(modules)
  const attributes = {
    "aria-label": area.getAttribute("aria-label") ?? "",
    "aria-describedby": hint,
  }
  const focused = document.activeElement === area
  const view = new EditorView({
    doc: area.value,
    selection: { anchor: area.selectionStart, head: area.selectionEnd },
    extensions: [
      writing(modules),
      colours(modules),
      wrong.extension,
      EditorState.phrases.of({ "Selection deleted": message("code_deleted") }),
      EditorView.contentAttributes.of(attributes),
      EditorView.updateListener.of((update) => {
        if (update.docChanged) area.value = update.state.doc.toString()
      }),
    ],
  })
  area.hidden = true
  area.after(view.dom)
  if (focused) view.focus()
  return {
    focus: () => view.focus(),
    close: () => view.destroy(),
    mark(line) {
      const at = line > 0 ? view.state.doc.line(Math.min(line, view.state.doc.lines)).from : undefined
      view.dispatch({ effects: wrong.set.of(at) })
      if (at !== undefined) view.dispatch({ effects: EditorView.scrollIntoView(at, { y: "nearest" }) })
    },
    goTo(line) {
      const { doc } = view.state
      const marked = wrong.place(view.state) // it has moved with what was typed since
      const { from, to } = marked === undefined ? doc.line(Math.min(line, doc.lines)) : doc.lineAt(marked)
      view.dispatch({ selection: { anchor: from, head: to }, scrollIntoView: true })
      view.focus()
    },
  }
}

/**
 * Typing: line numbers, undo, brackets, and how Python is indented.
 * @param {Modules} modules
 * @returns {import("@codemirror/state").Extension}
 */
function writing({ state, view, language, commands }) {
  const { indentService, indentUnit } = language
  return [
    view.lineNumbers(),
    commands.history(),
    language.bracketMatching(),
    state.EditorState.tabSize.of(STEP),
    indentUnit.of(" ".repeat(STEP)),
    indentService.of((context, pos) => {
      const { text } = context.lineAt(pos, -1)
      const indent = state.countColumn(/^\s*/.exec(text)?.[0] ?? "", STEP)
      return /[:([{]\s*(#.*)?$/.test(text) ? indent + STEP : indent
    }),
    // Tab indents, yet is no trap: after Escape it leaves, as CodeMirror does of its own.
    view.keymap.of([commands.indentWithTab, ...commands.defaultKeymap, ...commands.historyKeymap]),
  ]
}

/**
 * Python in the colours that listings have.
 * @param {Modules} modules
 * @returns {import("@codemirror/state").Extension}
 */
function colours({ view, language, highlight, python }) {
  const { tags: t } = highlight
  /** @type {[string, import("@lezer/highlight").Tag[]][]} */
  const table = [
    ["keyword", [t.keyword, t.meta, t.self]],
    ["operator", [t.operator, t.operatorKeyword]],
    ["punctuation", [t.punctuation]],
    ["comment", [t.comment]],
    ["string", [t.string]],
    ["number", [t.number]],
    ["constant", [t.bool, t.null]],
    ["function", [t.function(t.definition(t.variableName)), t.definition(t.className)]],
  ]
  const style = table.map(([name, tag]) => ({ tag, color: `var(--md-code-hl-${name}-color)` }))
  return [
    language.LRLanguage.define({ parser: python.parser, languageData: { commentTokens: { line: "#" } } }),
    language.syntaxHighlighting(language.HighlightStyle.define(style)),
    view.EditorView.theme(LOOK),
  ]
}

/**
 * The mark of the line that failed; it stays with its line while the reader types.
 * @param {Modules} modules
 */
function wrongLine({ state, view }) {
  /** @type {import("@codemirror/state").StateEffectType<number | undefined>} */
  const set = state.StateEffect.define()
  const mark = view.Decoration.line({ class: "code-wrong-line" })
  const marks = state.StateField.define({
    create: () => view.Decoration.none,
    update(before, change) {
      let now = before.map(change.changes)
      for (const effect of change.effects) {
        if (!effect.is(set)) continue
        now =
          effect.value === undefined ? view.Decoration.none : view.Decoration.set(mark.range(effect.value))
      }
      return now
    },
    provide: (field) => view.EditorView.decorations.from(field),
  })
  const place = (/** @type {import("@codemirror/state").EditorState} */ of) => {
    const first = of.field(marks).iter()
    return first.value ? first.from : undefined
  }
  const number = new (class extends view.GutterMarker {
    elementClass = "code-wrong-line"
  })()
  const gutter = view.gutterLineClass.compute([marks], (now) => {
    const at = place(now)
    return state.RangeSet.of(at === undefined ? [] : [number.range(at)])
  })
  return { set, place, extension: [marks, gutter] }
}

const LOOK = {
  "&": {
    border: "1px solid var(--course-line)",
    borderRadius: "6px",
    backgroundColor: "var(--md-code-bg-color)",
    color: "var(--md-code-fg-color)",
  },
  "&.cm-focused": { outline: "2px solid var(--course-accent)" },
  ".cm-scroller": {
    maxHeight: "26rem",
    borderRadius: "6px",
    fontFamily: "var(--md-code-font-family)",
    lineHeight: "1.5",
  },
  ".cm-content": { caretColor: "var(--course-ink)", padding: "0.5rem 0" },
  ".cm-gutters": {
    borderRight: "1px solid var(--course-line)",
    backgroundColor: "var(--md-code-bg-color)",
    color: "var(--course-quiet)",
  },
  "&.cm-focused .cm-matchingBracket": { backgroundColor: "transparent", outline: "1px solid currentColor" },
  "&.cm-focused .cm-nonmatchingBracket": { backgroundColor: "transparent" },
  ".cm-line.code-wrong-line": {
    boxShadow: "inset 3px 0 var(--course-wrong)",
    textDecoration: "underline wavy var(--course-wrong)",
    textUnderlineOffset: "0.25em",
  },
  ".cm-gutterElement.code-wrong-line": { color: "var(--course-wrong)", fontWeight: "700" },
}
