/** CodeMirror for a reader's code. Its modules lie beside the pages and are asked for when an editor opens. */

import { manifest } from "./manifest.js"
import { message } from "./messages.js"

/**
 * @typedef {typeof import("@codemirror/state") & typeof import("@codemirror/view")
 *   & typeof import("@codemirror/language") & typeof import("@codemirror/commands")
 *   & typeof import("@lezer/highlight") & typeof import("@lezer/python")} Modules all that they export
 * @typedef {import("@codemirror/state").Extension} Extension
 */

const WRONG = "code-wrong-line"
const STEP = 4 // spaces of one indentation

/**
 * The modules, which the browser keeps once they are there; an error where the site cannot give them.
 * @returns {Promise<Modules>}
 */
export async function modules() {
  const { base, files } = await manifest()
  // All at once, although they import each other: one way to the server and back, not one for each depth.
  const all = Object.values(files.editor).map((url) => import(String(new URL(url, base))))
  return Object.assign({}, ...(await Promise.all(all)))
}

/**
 * Put CodeMirror in the place of a text field, which stays, hidden, and always holds the same text.
 * @param {Modules} cm
 * @param {HTMLTextAreaElement} area
 * @param {string} hint id of the element that says which keys do what
 * @returns {import("./field.js").Field}
 */
export function overlay(cm, area, hint) {
  const { EditorState, EditorView } = cm
  const wrong = wrongLine(cm)
  const focused = document.activeElement === area
  const view = new EditorView({
    doc: area.value,
    selection: { anchor: area.selectionStart, head: area.selectionEnd },
    extensions: [
      writing(cm),
      colours(cm),
      wrong.extension,
      EditorState.phrases.of({ "Selection deleted": message("code_deleted") }),
      EditorView.contentAttributes.of({
        "aria-label": area.getAttribute("aria-label") ?? "",
        "aria-describedby": hint,
      }),
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
 * @param {Modules} cm
 * @returns {Extension}
 */
function writing(cm) {
  return [
    cm.lineNumbers(),
    cm.history(),
    cm.bracketMatching(),
    cm.EditorState.tabSize.of(STEP),
    cm.indentUnit.of(" ".repeat(STEP)),
    cm.indentService.of((context, pos) => {
      const { text } = context.lineAt(pos, -1)
      const indent = cm.countColumn(/^\s*/.exec(text)?.[0] ?? "", STEP)
      return /[:([{]\s*(#.*)?$/.test(text) ? indent + STEP : indent
    }),
    // Tab indents, yet is no trap: after Escape it leaves, as CodeMirror does of its own.
    cm.keymap.of([cm.indentWithTab, ...cm.defaultKeymap, ...cm.historyKeymap]),
  ]
}

/**
 * Python in the colours that listings have; all else that is seen is in demo.css.
 * @param {Modules} cm
 * @returns {Extension}
 */
function colours(cm) {
  const t = cm.tags
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
    cm.LRLanguage.define({ parser: cm.parser, languageData: { commentTokens: { line: "#" } } }),
    cm.syntaxHighlighting(cm.HighlightStyle.define(style)),
  ]
}

/**
 * The mark of the line that failed; it stays with its line while the reader types.
 * @param {Modules} cm
 */
function wrongLine(cm) {
  const { none } = cm.Decoration
  /** @type {import("@codemirror/state").StateEffectType<number | undefined>} */
  const set = cm.StateEffect.define()
  const mark = cm.Decoration.line({ class: WRONG })
  const marks = cm.StateField.define({
    create: () => none,
    update(before, change) {
      let now = before.map(change.changes)
      for (const effect of change.effects) {
        if (effect.is(set))
          now = effect.value === undefined ? none : cm.Decoration.set(mark.range(effect.value))
      }
      return now
    },
    provide: (field) => cm.EditorView.decorations.from(field),
  })
  const place = (/** @type {import("@codemirror/state").EditorState} */ state) => {
    const first = state.field(marks).iter()
    return first.value ? first.from : undefined
  }
  const number = new (class extends cm.GutterMarker {
    elementClass = WRONG
  })()
  const gutter = cm.gutterLineClass.compute([marks], (state) => {
    const at = place(state)
    return cm.RangeSet.of(at === undefined ? [] : [number.range(at)])
  })
  return { set, place, extension: [marks, gutter] }
}
