import { useEffect, useState } from 'react'
import { CodeEditor } from '../../components/code-editor.tsx'
import type { JsonValue } from '../document/file.ts'
import { isSame } from '../document/merge.ts'
import { TEXT } from '../texts.ts'
import { Described, type FieldProps, Findings } from './described.tsx'

const INDENT = 2

/** An object without a declared form, as JSON. */
export function JsonField(props: FieldProps) {
  const { name, value, pointer, onChange } = props
  return (
    <Described {...props}>
      {() => (
        <JsonEditor label={name} value={value} lines={3} onChange={changed => onChange(changed, pointer)} />
      )}
    </Described>
  )
}

/** JSON in an editor. A text that is not JSON stays in the field, and changes nothing. */
export function JsonEditor({
  label,
  value,
  lines,
  onChange,
}: {
  readonly label: string
  readonly value: JsonValue | undefined
  readonly lines: number
  readonly onChange: (value: JsonValue | undefined) => void
}) {
  const [text, setText] = useState(() => jsonText(value))
  const parsed = parsedJson(text)
  const isWrong = parsed === WRONG
  // A change from elsewhere, such as an undone step.
  useEffect(() => {
    setText(before => {
      const shown = parsedJson(before)
      return shown !== WRONG && isSame(shown, value) ? before : jsonText(value)
    })
  }, [value])
  return (
    <>
      <CodeEditor
        label={label}
        language="json"
        lines={lines}
        value={text}
        isInvalid={isWrong}
        onChange={changed => {
          setText(changed)
          const next = parsedJson(changed)
          if (next !== WRONG) onChange(next)
        }}
      />
      {isWrong && <Findings messages={[TEXT.notJson]} />}
    </>
  )
}

const WRONG = Symbol('not JSON')

function parsedJson(text: string): JsonValue | undefined | typeof WRONG {
  if (text.trim() === '') return undefined
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return WRONG
  }
}

function jsonText(value: JsonValue | undefined): string {
  return value === undefined ? '' : JSON.stringify(value, null, INDENT)
}
