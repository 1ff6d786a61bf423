import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { type QuotaRecord, type QuotaWrite, setQuotas } from '../api/usage.ts'
import { Dialog } from '../components/dialog.tsx'
import { size, typedSize } from '../numbers.ts'
import { ProblemBox } from '../shell/states.tsx'
import { TEXT } from '../texts.ts'
import style from './usage.module.css'

const PERIODS = ['daily', 'monthly'] as const
type Period = (typeof PERIODS)[number]

/** Changes the limits, and which of their rules act. Other members of the rules stay as they are. */
export function QuotaDialog({
  record,
  onClose,
}: {
  readonly record: QuotaRecord
  readonly onClose: () => void
}) {
  const queries = useQueryClient()
  const id = useId()
  const [wrong, setWrong] = useState<Period>()
  const { mutate, error, isPending, reset } = useMutation({
    mutationFn: setQuotas,
    onSuccess: answer => {
      queries.setQueryData(['quotas'], answer)
      onClose()
    },
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const given = new FormData(event.currentTarget)
    const limits = PERIODS.map(period => {
      const text = String(given.get(`${period}-limit`) ?? '').trim()
      // The text shows three digits: a value that was not changed keeps all of them.
      if (text === limitText(record[period].limit)) return record[period].limit
      return text === '' ? 0 : typedSize(text)
    })
    const [daily, monthly] = limits
    if (daily === undefined || monthly === undefined)
      return setWrong(daily === undefined ? 'daily' : 'monthly')
    setWrong(undefined)
    mutate({
      daily: written(record, 'daily', daily, given),
      monthly: written(record, 'monthly', monthly, given),
    })
  }
  return (
    <Dialog title={TEXT.quotasChange} onClose={onClose}>
      <form className={style.form} onSubmit={submit}>
        {PERIODS.map(period => {
          const { limit, discard, rules } = record[period]
          return (
            <fieldset key={period}>
              <legend>{TEXT.quotaNames[period]}</legend>
              <label htmlFor={`${id}-${period}`}>
                {TEXT.quotaLimit}
                <input
                  id={`${id}-${period}`}
                  className="field"
                  name={`${period}-limit`}
                  defaultValue={limitText(limit)}
                  aria-invalid={wrong === period}
                  autoComplete="off"
                />
              </label>
              {wrong === period && (
                <p role="alert" className={style.force}>
                  {TEXT.sizeWrong}
                </p>
              )}
              <label>
                <input type="checkbox" name={`${period}-discard`} defaultChecked={discard} />
                {TEXT.quotaDiscard}
              </label>
              {rules.map(({ percent, active }, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: rules are known by their numbers
                <label key={at}>
                  <input type="checkbox" name={`${period}-rule-${at}`} defaultChecked={active} />
                  {TEXT.quotaRuleActive(String(at + 1), String(percent))}
                </label>
              ))}
            </fieldset>
          )
        })}
        <p className="soft">{TEXT.quotaHow}</p>
        {error !== null && <ProblemBox error={error} onRetry={reset} />}
        <div className={style.buttons}>
          <button type="button" className="button" onClick={onClose}>
            {TEXT.cancel}
          </button>
          <button type="submit" className="primary" disabled={isPending}>
            {TEXT.save}
          </button>
        </div>
      </form>
    </Dialog>
  )
}

function limitText(limit: number): string {
  return limit === 0 ? '' : size(limit)
}

function written(
  record: QuotaRecord,
  period: Period,
  limit: number,
  given: FormData,
): NonNullable<QuotaWrite['daily']> {
  return {
    limit,
    discard: given.has(`${period}-discard`),
    rules: record[period].rules.map((rule, at) => ({
      ...rule,
      apps: [...rule.apps],
      hosts: [...rule.hosts],
      active: given.has(`${period}-rule-${at}`),
    })),
  }
}
