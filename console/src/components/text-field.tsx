import type { InputHTMLAttributes, ReactNode } from 'react'
import { Field } from './form.tsx'

/** A field for a short text. */
export function TextField({
  label,
  place,
  error,
  note,
  value,
  maxLength,
  inputMode,
  onChange,
}: {
  readonly label: string
  /** Name of the member in the request, as findings of the server have it. */
  readonly place: string
  readonly error: Error | null
  readonly note?: ReactNode
  readonly value: string
  readonly maxLength: number
  readonly inputMode?: InputHTMLAttributes<HTMLInputElement>['inputMode']
  readonly onChange: (value: string) => void
}) {
  return (
    <Field label={label} place={place} error={error} note={note}>
      {control => (
        <input
          {...control}
          className="field"
          inputMode={inputMode}
          value={value}
          maxLength={maxLength}
          autoComplete="off"
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  )
}
