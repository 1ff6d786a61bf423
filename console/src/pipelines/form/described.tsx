import { type ReactNode, useId } from 'react'
import type { JsonValue } from '../document/file.ts'
import { TEXT } from '../texts.ts'
import style from './form.module.css'
import { useFindings } from './form-context.ts'
import type { OptionSchema } from './schema.ts'

export interface FieldProps {
  readonly name: string
  readonly schema: OptionSchema
  readonly value: JsonValue | undefined
  /** JSON pointer of the option. */
  readonly pointer: string
  readonly isRequired: boolean
  /** Whether the name is known from around, and is shown to screen readers alone. */
  readonly isBare?: boolean
  /** @param place JSON pointer of what changed; undefined as a value removes the option */
  readonly onChange: (value: JsonValue | undefined, place: string) => void
}

export function nameOfField({ name }: Pick<FieldProps, 'name'>): string {
  return name
}

/** Members that connect a control with its description and its findings. */
export interface ControlMembers {
  readonly id: string
  readonly 'aria-describedby': string
  readonly 'aria-invalid': boolean
}

/** Label, description and findings around the control of an option. */
export function Described({
  name,
  schema,
  pointer,
  isRequired,
  isBare = false,
  children,
}: FieldProps & { readonly children: (control: ControlMembers) => ReactNode }) {
  const id = useId()
  const messages = useFindings(pointer)
  const standard = schema.default
  return (
    <div className={style.field}>
      <label htmlFor={id} className={isBare ? 'hidden' : style.label}>
        <code>{name}</code>
        {isRequired && !isBare && <span aria-hidden>*</span>}
      </label>
      {children({ id, 'aria-describedby': `${id}-more`, 'aria-invalid': messages.length > 0 })}
      <div id={`${id}-more`}>
        <Findings messages={messages} />
        {!isBare && (schema.description !== undefined || standard !== undefined) && (
          <p className={style.description}>
            {[schema.description, isSimple(standard) && TEXT.defaultIs(JSON.stringify(standard))]
              .filter(each => typeof each === 'string')
              .join('. ')}
          </p>
        )}
      </div>
    </div>
  )
}

function isSimple(value: unknown): boolean {
  return value !== undefined && value !== '' && typeof value !== 'object'
}

/** Sentences of the server at a place. */
export function Findings({ messages }: { readonly messages: readonly string[] }) {
  return messages.map(message => (
    <p key={message} className={style.finding} role="alert">
      {message}
    </p>
  ))
}
