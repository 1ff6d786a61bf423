import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { QuotaRecord, QuotaWrite } from '../api/usage.ts'
import { Check } from '../components/check.tsx'
import { Dialog } from '../components/dialog.tsx'
import { Field, Form } from '../components/form.tsx'
import { ConditionsFields, conditionsOf, typedConditions } from './conditions-fields.tsx'
import { type Period, withRules } from './quota-rules.ts'
import { TEXT } from './texts.ts'

const USUAL_PERCENT = '80'

/** Makes or changes a rule of a quota. */
export function QuotaRuleDialog({
  record,
  period,
  at,
  write,
  onClose,
}: {
  readonly record: QuotaRecord
  readonly period: Period
  /** Index of the rule that is changed; undefined: a new one. */
  readonly at: number | undefined
  readonly write: (body: QuotaWrite) => Promise<unknown>
  readonly onClose: () => void
}) {
  const { rules } = record[period]
  const present = at === undefined ? undefined : rules[at]
  const place = at ?? rules.length
  const [percent, setPercent] = useState(String(present?.percent ?? USUAL_PERCENT))
  const [typed, setTyped] = useState(() => typedConditions(present))
  const [keepsTails, setKeepsTails] = useState(present?.indexonly ?? true)
  const [isActive, setActive] = useState(present?.active ?? true)
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => {
      const rule = {
        percent: Number(percent),
        ...conditionsOf(typed),
        indexonly: keepsTails,
        active: isActive,
      }
      return write(withRules(record, period, [...rules.slice(0, place), rule, ...rules.slice(place + 1)]))
    },
    onSuccess: onClose,
  })
  const memberAt = (name: string) => `${period}.rules[${place}].${name}`
  const places = { query: memberAt('query'), apps: memberAt('apps'), hosts: memberAt('hosts') }
  return (
    <Dialog
      title={
        present === undefined
          ? TEXT.quotas.newFor(TEXT.quotas.periods[period])
          : TEXT.change(TEXT.quotas.rule(String(place + 1)))
      }
      onClose={onClose}
    >
      <Form
        submit={present === undefined ? TEXT.create : TEXT.save}
        error={error}
        places={[memberAt('percent'), ...Object.values(places)]}
        isPending={isPending}
        isReady={percent !== ''}
        onSubmit={() => mutate()}
        onClose={onClose}
      >
        <Field label={TEXT.quotas.percent} place={memberAt('percent')} error={error}>
          {control => (
            <input
              {...control}
              className="field"
              type="number"
              min={1}
              max={100}
              value={percent}
              onChange={({ target }) => setPercent(target.value)}
            />
          )}
        </Field>
        <ConditionsFields typed={typed} error={error} places={places} onChange={setTyped} />
        <Check label={TEXT.exclusions.keepsTails} isChecked={keepsTails} onChange={setKeepsTails} />
        <Check label={TEXT.active} isChecked={isActive} onChange={setActive} />
      </Form>
    </Dialog>
  )
}
