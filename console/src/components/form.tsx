import { type ReactNode, useId } from 'react'
import { TEXT } from '../texts.ts'
import style from './form.module.css'
import { findingsAt, Refusal } from './refusal.tsx'

/** Attributes of the element that takes the value of a field. */
export interface Control {
  readonly id: string
  readonly 'aria-invalid': boolean
  readonly 'aria-describedby': string
}

/** A field with its name above it; notes and findings stand below. */
export function Field({
  label,
  place,
  error = null,
  finding,
  note,
  children,
}: {
  readonly label: string
  /** Name of the member in the request, as findings of the server have it. */
  readonly place?: string
  readonly error?: Error | null
  /** Finding of the page about the typed text. */
  readonly finding?: string | undefined
  readonly note?: ReactNode
  readonly children: (control: Control) => ReactNode
}) {
  const id = useId()
  const found = place === undefined ? [] : findingsAt(error, place)
  const findings = finding === undefined ? found : [finding, ...found]
  return (
    <div className={style.field}>
      <label htmlFor={id}>{label}</label>
      {children({ id, 'aria-invalid': findings.length > 0, 'aria-describedby': `${id}-note` })}
      <div id={`${id}-note`}>
        {findings.map(each => (
          <p key={each} className={style.finding} role="alert">
            {each}
          </p>
        ))}
        {note !== undefined && <div className={style.note}>{note}</div>}
      </div>
    </div>
  )
}

/** The form of a dialog: its fields, the reason for a refusal, and the buttons to leave and to do it. */
export function Form({
  submit,
  error,
  places,
  isPending,
  isReady = true,
  onSubmit,
  onClose,
  children,
}: {
  /** Text of the button that does it. */
  readonly submit: string
  readonly error: Error | null
  /** Names of members whose findings stand at their fields. */
  readonly places?: readonly string[]
  readonly isPending: boolean
  /** Whether there is something to send. */
  readonly isReady?: boolean
  readonly onSubmit: () => void
  readonly onClose: () => void
  readonly children: ReactNode
}) {
  return (
    <form
      className={style.form}
      onSubmit={event => {
        event.preventDefault()
        if (isReady && !isPending) onSubmit()
      }}
    >
      {children}
      <Refusal error={error} {...(places !== undefined && { places })} />
      <div className={style.buttons}>
        <button type="button" className="button" onClick={onClose}>
          {TEXT.cancel}
        </button>
        <button type="submit" className="primary" disabled={isPending || !isReady}>
          {submit}
        </button>
      </div>
    </form>
  )
}
