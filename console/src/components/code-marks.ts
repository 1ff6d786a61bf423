import { type Extension, StateEffect, StateField } from '@codemirror/state'
import { Decoration, type DecorationSet, EditorView, WidgetType } from '@codemirror/view'
import type { CodeMark } from './code-editor-props.ts'

/** Replaces the marks of an editor. */
export const setMarks = StateEffect.define<readonly CodeMark[]>()

/** A message below the line that it is about. */
class Message extends WidgetType {
  readonly text: string

  constructor(text: string) {
    super()
    this.text = text
  }

  override eq({ text }: Message): boolean {
    return text === this.text
  }

  override toDOM(): HTMLElement {
    const element = document.createElement('div')
    element.className = 'cm-message'
    element.textContent = this.text
    return element
  }
}

const field = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (decorations, transaction) => {
    const sent = transaction.effects.find(each => each.is(setMarks))
    if (sent === undefined) return decorations.map(transaction.changes)
    const { doc } = transaction.state
    const ranges = sent.value.flatMap(({ from, to, message }) => {
      // The text can be shorter by now.
      const start = Math.min(from, doc.length)
      const end = Math.min(Math.max(to, start), doc.length)
      const below = Decoration.widget({ widget: new Message(message), block: true, side: 1 })
      const line = below.range(doc.lineAt(start).to)
      return start === end ? [line] : [Decoration.mark({ class: 'cm-wrong' }).range(start, end), line]
    })
    return Decoration.set(ranges, true)
  },
  provide: own => EditorView.decorations.from(own),
})

/** Marks of places in the text, with their messages. */
export const codeMarks: Extension = [
  field,
  EditorView.baseTheme({
    '.cm-wrong': { textDecoration: 'underline wavy var(--danger)', textUnderlineOffset: '3px' },
    '.cm-message': {
      padding: '0 6px',
      color: 'var(--danger)',
      backgroundColor: 'var(--danger-soft)',
      fontFamily: 'var(--sans)',
      whiteSpace: 'pre-wrap',
    },
  }),
]
