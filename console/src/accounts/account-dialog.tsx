import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Dialog } from '../components/dialog.tsx'
import formStyle from '../components/form.module.css'
import { Field, Form } from '../components/form.tsx'
import { NewSecret } from '../components/secret.tsx'
import { TextField } from '../components/text-field.tsx'
import { changedMembers, MOST_SHOWN_DAYS } from './changed-members.ts'
import { type AccountRecord, type CreatedAccount, changeAccount, createAccount } from './requests.ts'
import { TEXT } from './texts.ts'

/** Creates an account, or changes company, owner and retention of one. */
export function AccountDialog({
  present,
  onDone,
  onClose,
}: {
  readonly present: AccountRecord | undefined
  readonly onDone: () => Promise<unknown>
  readonly onClose: () => void
}) {
  const [company, setCompany] = useState(present?.company ?? '')
  const [owner, setOwner] = useState(present?.owneremail ?? '')
  const [days, setDays] = useState(present === undefined ? '' : String(present.retention))
  const [created, setCreated] = useState<CreatedAccount>()
  const typed = { company: company.trim(), owneremail: owner.trim(), retention: days }
  const changes = changedMembers(typed, present)
  const { mutate, error, isPending } = useMutation({
    mutationFn: async () => {
      if (present !== undefined) return void (await changeAccount(present.account, changes))
      return createAccount({ company: typed.company, owneremail: typed.owneremail, ...changes })
    },
    onSuccess: async made => {
      await onDone()
      if (made === undefined) onClose()
      else setCreated(made)
    },
  })
  if (created !== undefined) return <CreatedDialog created={created} onClose={onClose} />
  return (
    <Dialog title={present === undefined ? TEXT.new : TEXT.change(present.company)} onClose={onClose}>
      <Form
        submit={present === undefined ? TEXT.create : TEXT.save}
        error={error}
        places={['company', 'owneremail', 'retention']}
        isPending={isPending}
        isReady={typed.company !== '' && typed.owneremail !== '' && Object.keys(changes).length > 0}
        onSubmit={() => mutate()}
        onClose={onClose}
      >
        <TextField
          label={TEXT.company}
          place="company"
          error={error}
          value={company}
          maxLength={256}
          onChange={setCompany}
        />
        <TextField
          label={TEXT.ownerNew}
          place="owneremail"
          error={error}
          note={present === undefined ? undefined : TEXT.ownerNote}
          inputMode="email"
          value={owner}
          maxLength={320}
          onChange={setOwner}
        />
        <Field
          label={TEXT.retentionField}
          place="retention"
          error={error}
          note={present === undefined ? TEXT.retentionNew : retentionNote(present)}
        >
          {control => (
            <input
              {...control}
              className="field"
              type="number"
              value={days}
              onChange={({ target }) => setDays(target.value)}
            />
          )}
        </Field>
      </Form>
    </Dialog>
  )
}

function retentionNote({ retention }: AccountRecord): string {
  return retention === MOST_SHOWN_DAYS ? `${TEXT.retentionNote} ${TEXT.retentionLong}` : TEXT.retentionNote
}

/** A new account with the key for its first lines. */
function CreatedDialog({
  created,
  onClose,
}: {
  readonly created: CreatedAccount
  readonly onClose: () => void
}) {
  return (
    <Dialog title={TEXT.made(created.company)} onClose={onClose}>
      <NewSecret label={TEXT.key} secret={created.ingestion_key} why={TEXT.keyWhy} />
      <div className={formStyle.buttons}>
        <button type="button" className="primary" onClick={onClose}>
          {TEXT.done}
        </button>
      </div>
    </Dialog>
  )
}
