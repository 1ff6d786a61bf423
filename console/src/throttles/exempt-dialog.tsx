import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Check } from '../components/check.tsx'
import { Dialog } from '../components/dialog.tsx'
import { Field, Form } from '../components/form.tsx'
import { keyText } from '../pipelines/node/bucket-texts.ts'
import { rfc3339, typedTime } from '../times/time.ts'
import { type ExemptionWrite, exempt, type Throttle } from './requests.ts'
import { TEXT } from './texts.ts'

const UNTIL = 'until'
const USUAL_MINUTES = '60'

/** Lets a key pass for a time. */
export function ExemptDialog({
  throttle,
  present,
  zone,
  onClose,
}: {
  readonly throttle: Throttle
  /** The key; null: events without one; undefined: the form asks. */
  readonly present: string | null | undefined
  readonly zone: string
  readonly onClose: () => void
}) {
  const queries = useQueryClient()
  const [typed, setTyped] = useState(present ?? '')
  const [isDefault, setDefault] = useState(present === null)
  const [period, setPeriod] = useState(USUAL_MINUTES)
  const [until, setUntil] = useState('')
  const [reason, setReason] = useState('')
  const untilMs = typedTime(until, zone)
  const key = isDefault ? null : typed
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => {
      const end: Partial<ExemptionWrite> =
        period === UNTIL ? { until: rfc3339(untilMs ?? 0, 'UTC') } : { minutes: Number(period) }
      return exempt(throttle, { key, ...end, ...(reason.trim() !== '' && { reason: reason.trim() }) })
    },
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['exemptions'] })
      await queries.invalidateQueries({ queryKey: ['buckets'] })
      onClose()
    },
  })
  const title =
    present === undefined
      ? TEXT.exempt
      : TEXT.exemptKey(
          keyText({ bucket: present === null ? 'default' : 'key', key: present, key_sha256: null }),
        )
  return (
    <Dialog title={title} onClose={onClose}>
      <Form
        submit={TEXT.exempt}
        error={error}
        places={['key', 'minutes', 'until', 'reason']}
        isPending={isPending}
        isReady={key !== '' && (period !== UNTIL || untilMs !== undefined)}
        onSubmit={() => mutate()}
        onClose={onClose}
      >
        <p>{TEXT.exemptWhy}</p>
        {present === undefined && <KeyFields {...{ typed, setTyped, isDefault, setDefault, error }} />}
        <PeriodFields
          {...{ period, setPeriod, until, setUntil, zone, error }}
          isWrong={untilMs === undefined}
        />
        <Field label={TEXT.reason} place="reason" error={error} note={TEXT.reasonNote}>
          {control => (
            <input
              {...control}
              className="field"
              value={reason}
              maxLength={1_000}
              autoComplete="off"
              onChange={({ target }) => setReason(target.value)}
            />
          )}
        </Field>
      </Form>
    </Dialog>
  )
}

interface KeyFieldsProps {
  readonly typed: string
  readonly setTyped: (key: string) => void
  readonly isDefault: boolean
  readonly setDefault: (isDefault: boolean) => void
  readonly error: Error | null
}

/** Asks for a key, or for events without one. */
function KeyFields({ typed, setTyped, isDefault, setDefault, error }: KeyFieldsProps) {
  return (
    <>
      <Field label={TEXT.key} place="key" error={error}>
        {control => (
          <input
            {...control}
            className="field"
            value={typed}
            disabled={isDefault}
            maxLength={8_192}
            autoComplete="off"
            spellCheck={false}
            onChange={({ target }) => setTyped(target.value)}
          />
        )}
      </Field>
      <Check
        label={keyText({ bucket: 'default', key: null, key_sha256: null })}
        isChecked={isDefault}
        onChange={setDefault}
      />
    </>
  )
}

interface PeriodFieldsProps {
  /** Minutes, or `UNTIL`. */
  readonly period: string
  readonly setPeriod: (period: string) => void
  readonly until: string
  readonly setUntil: (until: string) => void
  /** Whether the typed end is not a time. */
  readonly isWrong: boolean
  readonly zone: string
  readonly error: Error | null
}

/** Asks for a number of minutes, or for the time of the end. */
function PeriodFields({ period, setPeriod, until, setUntil, isWrong, zone, error }: PeriodFieldsProps) {
  return (
    <>
      <Field label={TEXT.for} place="minutes" error={error}>
        {control => (
          <select
            {...control}
            className="field"
            value={period}
            onChange={({ target }) => setPeriod(target.value)}
          >
            {Object.entries(TEXT.periods).map(([minutes, text]) => (
              <option key={minutes} value={minutes}>
                {text}
              </option>
            ))}
            <option value={UNTIL}>{TEXT.until}</option>
          </select>
        )}
      </Field>
      {period === UNTIL && (
        <Field
          label={TEXT.untilTime(zone)}
          place="until"
          error={error}
          finding={until !== '' && isWrong ? TEXT.untilWrong : undefined}
        >
          {control => (
            <input
              {...control}
              className="field"
              value={until}
              placeholder="2026-11-27 14:03"
              autoComplete="off"
              onChange={({ target }) => setUntil(target.value)}
            />
          )}
        </Field>
      )}
    </>
  )
}
