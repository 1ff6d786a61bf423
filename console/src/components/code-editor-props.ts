export type Language = 'javascript' | 'json' | 'yaml'

/** A message about characters of the text. */
export interface CodeMark {
  /** Offset of the first character. */
  readonly from: number
  /** Offset behind the last one. */
  readonly to: number
  readonly message: string
}

export interface CodeEditorProps {
  /** Name of the field for screen readers. */
  readonly label: string
  readonly language: Language
  readonly value: string
  readonly isReadOnly?: boolean
  readonly isInvalid?: boolean
  /** Height of the field at least, in lines. */
  readonly lines?: number
  /** Messages that stand below their lines. */
  readonly marks?: readonly CodeMark[]
  /** Offset that the cursor goes to, with the focus; each new object is one move. */
  readonly target?: { readonly offset: number } | undefined
  readonly onChange?: (value: string) => void
}

/** Selected characters of a field that somebody types in, as offsets. */
export interface TypedPlace {
  readonly from: number
  readonly to: number
}
