import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Dialog } from '../components/dialog.tsx'
import { Form } from '../components/form.tsx'
import { TextField } from '../components/text-field.tsx'
import { MeantLines } from '../query/meant-lines.tsx'
import { QueryInput } from '../query/query-input.tsx'
import { type AccessGroupRecord, changeGroup, createGroup } from './requests.ts'
import { TEXT } from './texts.ts'

/** Makes a group, or changes its name and the lines that its members see. */
export function GroupDialog({
  present,
  onDone,
  onClose,
}: {
  readonly present: AccessGroupRecord | undefined
  readonly onDone: () => Promise<unknown>
  readonly onClose: () => void
}) {
  const [name, setName] = useState(present?.name ?? '')
  const [query, setQuery] = useState(present?.accessScopes ?? '')
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => {
      const group = { name: name.trim(), accessScopes: query.trim() }
      return present === undefined ? createGroup(group) : changeGroup(present.id, group)
    },
    onSuccess: async () => {
      await onDone()
      onClose()
    },
  })
  return (
    <Dialog title={present === undefined ? TEXT.groups.new : TEXT.change(present.name)} onClose={onClose}>
      <Form
        submit={present === undefined ? TEXT.create : TEXT.save}
        error={error}
        places={['name', 'accessScopes']}
        isPending={isPending}
        isReady={name.trim() !== ''}
        onSubmit={() => mutate()}
        onClose={onClose}
      >
        <TextField
          label={TEXT.name}
          place="name"
          error={error}
          value={name}
          maxLength={120}
          onChange={setName}
        />
        <QueryInput
          label={TEXT.groups.query}
          place="accessScopes"
          error={error}
          value={query}
          onChange={setQuery}
          note={query.trim() === '' ? TEXT.groups.queryNote : <MeantLines query={query} />}
        />
      </Form>
    </Dialog>
  )
}
