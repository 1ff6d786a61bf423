import type { ReactNode } from 'react'
import { Field } from '../components/form.tsx'
import { TEXT } from '../texts.ts'
import { readQuery } from './read-query.ts'

/** A query as a field of a form. The parser of the server reads it while it is typed. */
export function QueryInput({
  label,
  place,
  error,
  value,
  note,
  onChange,
}: {
  readonly label: string
  /** Name of the member in the request. */
  readonly place: string
  readonly error: Error | null
  readonly value: string
  readonly note?: ReactNode
  readonly onChange: (query: string) => void
}) {
  const { trouble, meaning } = readQuery(value)
  return (
    <Field
      label={label}
      place={place}
      error={error}
      finding={trouble?.message}
      note={
        <>
          {meaning !== undefined && (
            <p>
              {TEXT.readAs} <code>{meaning}</code>
            </p>
          )}
          {trouble === undefined && note}
        </>
      }
    >
      {control => (
        <textarea
          {...control}
          className="field"
          rows={2}
          value={value}
          maxLength={8_192}
          spellCheck={false}
          autoCapitalize="off"
          autoComplete="off"
          placeholder={TEXT.queryHint}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  )
}
