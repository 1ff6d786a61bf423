import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Check } from '../components/check.tsx'
import { Dialog } from '../components/dialog.tsx'
import formStyle from '../components/form.module.css'
import { Field, Form } from '../components/form.tsx'
import { TextField } from '../components/text-field.tsx'
import {
  type AccessGroupRecord,
  changeMember,
  createMember,
  type MemberCreate,
  type MemberRecord,
} from './requests.ts'
import { TEXT } from './texts.ts'

const ROLES: readonly MemberCreate['role'][] = ['member', 'readonly', 'admin']

/** Adds a member, or changes role and groups of one. */
export function MemberDialog({
  present,
  groups,
  onDone,
  onClose,
}: {
  readonly present: MemberRecord | undefined
  readonly groups: readonly AccessGroupRecord[]
  readonly onDone: () => Promise<unknown>
  readonly onClose: () => void
}) {
  const [email, setEmail] = useState(present?.email ?? '')
  const [role, setRole] = useState(ROLES.find(each => each === present?.role) ?? 'member')
  const [chosen, setChosen] = useState<readonly string[]>(present?.groups ?? [])
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => {
      // Groups limit members alone; the server refuses them for other roles.
      const member = { email: email.trim(), role, groups: role === 'member' ? [...chosen] : [] }
      return present === undefined ? createMember(member) : changeMember(member)
    },
    onSuccess: async () => {
      await onDone()
      onClose()
    },
  })
  return (
    <Dialog title={present === undefined ? TEXT.members.new : TEXT.change(present.email)} onClose={onClose}>
      <Form
        submit={present === undefined ? TEXT.create : TEXT.save}
        error={error}
        places={['email', 'role']}
        isPending={isPending}
        isReady={email.trim() !== ''}
        onSubmit={() => mutate()}
        onClose={onClose}
      >
        {present === undefined && (
          <TextField
            label={TEXT.members.email}
            place="email"
            error={error}
            inputMode="email"
            value={email}
            maxLength={320}
            onChange={setEmail}
          />
        )}
        <Field label={TEXT.members.role} place="role" error={error} note={TEXT.members.roleNotes[role]}>
          {control => (
            <select
              {...control}
              className="field"
              value={role}
              onChange={({ target }) => setRole(ROLES.find(each => each === target.value) ?? 'member')}
            >
              {ROLES.map(each => (
                <option key={each} value={each}>
                  {TEXT.members.roles[each]}
                </option>
              ))}
            </select>
          )}
        </Field>
        {role === 'member' && (
          <fieldset className={formStyle.group}>
            <legend>{TEXT.members.groups}</legend>
            {groups.length === 0 && <p className={formStyle.note}>{TEXT.members.noGroups}</p>}
            {groups.map(({ id, name }) => (
              <Check
                key={id}
                label={name}
                isChecked={chosen.includes(id)}
                onChange={isChecked =>
                  setChosen(isChecked ? [...chosen, id] : chosen.filter(each => each !== id))
                }
              />
            ))}
            <p className={formStyle.note}>{TEXT.members.groupsWhy}</p>
          </fieldset>
        )}
      </Form>
    </Dialog>
  )
}
