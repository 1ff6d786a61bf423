import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import {
  bracketMatching,
  HighlightStyle,
  indentOnInput,
  type LanguageSupport,
  syntaxHighlighting,
} from '@codemirror/language'
import { Compartment, EditorState } from '@codemirror/state'
import { drawSelection, EditorView, keymap, lineNumbers } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { type RefObject, useEffect, useRef } from 'react'
import type { CodeEditorProps, CodeMark, Language, TypedPlace } from './code-editor-props.ts'
import { codeMarks, setMarks } from './code-marks.ts'

/** Languages are chunks of their own: a page needs one of them at most. */
const LANGUAGES: Readonly<Record<Language, () => Promise<LanguageSupport>>> = {
  javascript: async () => (await import('@codemirror/lang-javascript')).javascript(),
  json: async () => (await import('@codemirror/lang-json')).json(),
  yaml: async () => (await import('@codemirror/lang-yaml')).yaml(),
}

const HIGHLIGHT = HighlightStyle.define([
  { tag: tags.keyword, color: 'var(--level-other)' },
  { tag: [tags.string, tags.regexp], color: 'var(--accent)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--warning)' },
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--level-info)' },
  { tag: tags.comment, color: 'var(--ink-soft)', fontStyle: 'italic' },
  { tag: tags.invalid, color: 'var(--danger)' },
])

const THEME = EditorView.theme({
  '&': { fontSize: '0.75rem', backgroundColor: 'transparent', maxHeight: 'var(--editor-height, 60vh)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.5' },
  '.cm-content': { caretColor: 'var(--ink)', minHeight: 'var(--editor-lines)' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-gutters': {
    backgroundColor: 'transparent',
    color: 'var(--ink-soft)',
    borderRight: '1px solid var(--line)',
  },
  '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': {
    backgroundColor: 'var(--accent-soft)',
  },
  '.cm-matchingBracket': { backgroundColor: 'var(--accent-soft)', outline: 'none' },
})

const NO_MARKS: readonly CodeMark[] = []

/** Keys of the editor but the one that runs something on a page. */
const PAGE_KEYMAP = defaultKeymap.filter(({ key }) => key !== 'Mod-Enter')

/** Value of the content security policy without which the editor has no styles. */
function nonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? ''
}

/** The code editor. It is a chunk of its own: see `CodeEditor`. */
export default function CodeMirror({
  label,
  language,
  value,
  isReadOnly = false,
  marks = NO_MARKS,
  target,
  onChange,
  typedPlace,
}: CodeEditorProps & { readonly typedPlace: RefObject<TypedPlace | undefined> }) {
  const place = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(undefined)
  const latest = useRef(onChange)
  latest.current = onChange
  const first = useRef(value)
  first.current = value
  /** Texts that the page got by `onChange` and has not shown yet. */
  const echoes = useRef<string[]>([])
  const isSetting = useRef(false)
  const isFixed = isReadOnly || onChange === undefined
  useEffect(() => {
    const parent = place.current
    if (parent === null) return
    const support = new Compartment()
    const editor = new EditorView({
      parent,
      state: EditorState.create({
        doc: first.current,
        extensions: [
          EditorView.cspNonce.of(nonce()),
          lineNumbers(),
          history(),
          drawSelection(),
          indentOnInput(),
          bracketMatching(),
          support.of([]),
          codeMarks,
          syntaxHighlighting(HIGHLIGHT),
          THEME,
          EditorView.lineWrapping,
          // Tab leaves the field, as everywhere: WCAG 2.1.2.
          keymap.of([...PAGE_KEYMAP, ...historyKeymap]),
          EditorState.readOnly.of(isFixed),
          // A long text can be scrolled by whoever reaches it with Tab.
          EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false', tabindex: '0' }),
          EditorView.updateListener.of(update => {
            const text = update.state.doc.toString()
            if (!update.docChanged || isSetting.current) return
            echoes.current.push(text)
            latest.current?.(text)
          }),
        ],
      }),
    })
    view.current = editor
    goOnAt(editor, typedPlace)
    let isShown = true
    void LANGUAGES[language]().then(loaded => {
      if (isShown) editor.dispatch({ effects: support.reconfigure(loaded) })
    })
    return () => {
      isShown = false
      editor.destroy()
    }
  }, [language, label, isFixed, typedPlace])
  useEffect(() => {
    const editor = view.current
    const echo = echoes.current.lastIndexOf(value)
    echoes.current.splice(0, echo + 1)
    // The page is behind while somebody types fast: a text that came from here is not a change from elsewhere.
    if (editor === undefined || echo !== -1 || editor.state.doc.toString() === value) return
    isSetting.current = true
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } })
    isSetting.current = false
  }, [value])
  // A new editor has no marks yet.
  // biome-ignore lint/correctness/useExhaustiveDependencies: these make a new editor
  useEffect(() => {
    view.current?.dispatch({ effects: setMarks.of(marks) })
  }, [marks, language, label, isFixed])
  useEffect(() => {
    const editor = view.current
    if (editor === undefined || target === undefined) return
    const anchor = Math.min(target.offset, editor.state.doc.length)
    editor.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: 'center' }) })
    editor.focus()
  }, [target])
  return <div ref={place} />
}

/** Takes over the focus and the cursor of the plain field that stood in the editor's place. */
function goOnAt(editor: EditorView, typedPlace: RefObject<TypedPlace | undefined>): void {
  const place = typedPlace.current
  if (place === undefined) return
  typedPlace.current = undefined
  const { length } = editor.state.doc
  editor.dispatch({
    selection: { anchor: Math.min(place.from, length), head: Math.min(place.to, length) },
  })
  editor.focus()
}
