import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Check } from '../components/check.tsx'
import { Dialog } from '../components/dialog.tsx'
import formStyle from '../components/form.module.css'
import { Field, Form } from '../components/form.tsx'
import { TextField } from '../components/text-field.tsx'
import { MeantLines } from '../query/meant-lines.tsx'
import { QueryInput } from '../query/query-input.tsx'
import { changeRule, createRule, type RetentionRuleRecord } from './requests.ts'
import { TEXT } from './texts.ts'

const NAMES = ['app', 'host', 'level'] as const
const USUAL_DAYS = '30'

/** Makes or changes a rule about the days for which lines are kept. */
export function RetentionDialog({
  present,
  priority,
  onDone,
  onClose,
}: {
  readonly present?: RetentionRuleRecord
  /** Number that decides its place among the other rules. */
  readonly priority: number
  readonly onDone: () => Promise<unknown>
  readonly onClose: () => void
}) {
  const [name, setName] = useState(present?.name ?? '')
  const [days, setDays] = useState(String(present?.days ?? USUAL_DAYS))
  const [query, setQuery] = useState(present?.query ?? '')
  const [exact, setExact] = useState({
    app: present?.app ?? '',
    host: present?.host ?? '',
    level: present?.level ?? '',
  })
  const [isActive, setActive] = useState(present?.active ?? true)
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => {
      const rule = {
        name: name.trim(),
        days: Number(days),
        query: query.trim(),
        priority,
        active: isActive,
        ...exact,
      }
      return present === undefined ? createRule('retention', rule) : changeRule('retention', present.id, rule)
    },
    onSuccess: async () => {
      await onDone()
      onClose()
    },
  })
  const lists = Object.fromEntries(
    NAMES.flatMap(each => (exact[each] === '' ? [] : [[`${each}s`, [exact[each]]]])),
  )
  return (
    <Dialog title={present === undefined ? TEXT.retention.new : TEXT.change(present.name)} onClose={onClose}>
      <Form
        submit={present === undefined ? TEXT.create : TEXT.save}
        error={error}
        places={['name', 'days', 'query', ...NAMES]}
        isPending={isPending}
        isReady={name.trim() !== '' && days !== ''}
        onSubmit={() => mutate()}
        onClose={onClose}
      >
        <div className={formStyle.pair}>
          <TextField
            label={TEXT.name}
            place="name"
            error={error}
            value={name}
            maxLength={1_000}
            onChange={setName}
          />
          <Field label={TEXT.retention.days} place="days" error={error}>
            {control => (
              <input
                {...control}
                className="field"
                type="number"
                min={1}
                value={days}
                onChange={({ target }) => setDays(target.value)}
              />
            )}
          </Field>
        </div>
        <QueryInput
          label={TEXT.query}
          place="query"
          error={error}
          value={query}
          onChange={setQuery}
          note={<MeantLines query={query} {...lists} />}
        />
        <div className={formStyle.pair}>
          {NAMES.map(each => (
            <Field key={each} label={TEXT[each]} place={each} error={error} note={TEXT.exactNote}>
              {control => (
                <input
                  {...control}
                  className="field"
                  value={exact[each]}
                  autoComplete="off"
                  spellCheck={false}
                  onChange={({ target }) => setExact({ ...exact, [each]: target.value })}
                />
              )}
            </Field>
          ))}
        </div>
        <Check label={TEXT.active} isChecked={isActive} onChange={setActive} />
      </Form>
    </Dialog>
  )
}
