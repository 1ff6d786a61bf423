import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Check } from '../components/check.tsx'
import { Dialog } from '../components/dialog.tsx'
import { Field, Form } from '../components/form.tsx'
import { ConditionsFields, conditionsOf, typedConditions } from './conditions-fields.tsx'
import { changeRule, createRule, type ExclusionList, type ExclusionRecord } from './requests.ts'
import { TEXT } from './texts.ts'

const PLACES = { query: 'query', apps: 'apps', hosts: 'hosts' }

/** Makes or changes a rule that leaves lines out. */
export function ExclusionDialog({
  list,
  present,
  onDone,
  onClose,
}: {
  readonly list: ExclusionList
  readonly present?: ExclusionRecord
  readonly onDone: () => Promise<unknown>
  readonly onClose: () => void
}) {
  const [title, setTitle] = useState(present?.title ?? '')
  const [typed, setTyped] = useState(() => typedConditions(present))
  const [keepsTails, setKeepsTails] = useState(present?.indexonly ?? true)
  const [isActive, setActive] = useState(present?.active ?? true)
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => {
      const rule = {
        title: title.trim(),
        active: isActive,
        ...conditionsOf(typed),
        ...(list === 'exclusions' && { indexonly: keepsTails }),
      }
      return present === undefined ? createRule(list, rule) : changeRule(list, present.id, rule)
    },
    onSuccess: async () => {
      await onDone()
      onClose()
    },
  })
  const heading =
    present === undefined ? TEXT[list].new : TEXT.change(present.title === '' ? TEXT.unnamed : present.title)
  return (
    <Dialog title={heading} onClose={onClose}>
      <Form
        submit={present === undefined ? TEXT.create : TEXT.save}
        error={error}
        places={['title', ...Object.values(PLACES)]}
        isPending={isPending}
        onSubmit={() => mutate()}
        onClose={onClose}
      >
        <Field label={TEXT.name} place="title" error={error}>
          {control => (
            <input
              {...control}
              className="field"
              value={title}
              maxLength={1_000}
              autoComplete="off"
              onChange={({ target }) => setTitle(target.value)}
            />
          )}
        </Field>
        <ConditionsFields typed={typed} error={error} places={PLACES} onChange={setTyped} />
        {list === 'exclusions' && (
          <Check label={TEXT.exclusions.keepsTails} isChecked={keepsTails} onChange={setKeepsTails} />
        )}
        <Check label={TEXT.active} isChecked={isActive} onChange={setActive} />
      </Form>
    </Dialog>
  )
}
