import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type Caller, isAdministrator } from '../api/session.ts'
import { Dialog } from '../components/dialog.tsx'
import { Field, Form } from '../components/form.tsx'
import { TextField } from '../components/text-field.tsx'
import { createToken, readMembers } from './requests.ts'
import { TEXT } from './texts.ts'
import {
  EndField,
  expiresOf,
  FIRST_END,
  isWhole,
  type Scope,
  ScopeField,
  scopesWithin,
  usualEnd,
} from './token-fields.tsx'
import { TokenSecret } from './token-secret.tsx'

type TokenKind = 'user' | 'service' | 'enterprise'

const PLACES = ['name', 'email', 'scope', 'expires']

/** Makes an access token, and shows its secret once. */
export function NewToken({
  caller,
  zone,
  email,
  onMade,
  onClose,
}: {
  readonly caller: Caller
  readonly zone: string
  /** Person whose token it is; undefined: the form asks. */
  readonly email?: string
  readonly onMade: () => Promise<unknown>
  readonly onClose: () => void
}) {
  const isOfEnterprise = caller.account === null
  const canChooseOwner = isAdministrator(caller) && email === undefined && !isOfEnterprise
  const [name, setName] = useState('')
  const [kind, setKind] = useState<TokenKind>(
    isOfEnterprise ? 'enterprise' : canChooseOwner ? 'service' : 'user',
  )
  const [person, setPerson] = useState(email ?? caller.email ?? '')
  const [scope, setScope] = useState<Scope>()
  const [end, setEnd] = useState(FIRST_END)
  const members = useQuery({
    queryKey: ['members'],
    queryFn: ({ signal }) => readMembers(signal),
    enabled: canChooseOwner,
  })
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: () =>
      createToken({
        name: name.trim(),
        kind,
        ...(kind === 'user' && person !== '' && { email: person }),
        ...(scope !== undefined && { scope }),
        ...expiresOf(end),
      }),
    onSuccess: onMade,
  })
  const title = email === undefined ? TEXT.tokens.new : TEXT.tokens.newFor(email)
  if (data !== undefined) return <TokenSecret issued={data} onClose={onClose} />
  return (
    <Dialog title={title} onClose={onClose}>
      <Form
        submit={TEXT.create}
        error={error}
        places={PLACES}
        isPending={isPending}
        isReady={name.trim() !== '' && isWhole(end) && (kind !== 'user' || person !== '')}
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
        {canChooseOwner && (
          <Field label={TEXT.tokens.kind} note={TEXT.tokens.kindNotes[kind]}>
            {control => (
              <select
                {...control}
                className="field"
                value={kind}
                onChange={({ target }) => setKind(target.value === 'user' ? 'user' : 'service')}
              >
                <option value="service">{TEXT.tokens.kinds.service}</option>
                <option value="user">{TEXT.tokens.kinds.user}</option>
              </select>
            )}
          </Field>
        )}
        {canChooseOwner && kind === 'user' && (
          <Field label={TEXT.tokens.person} place="email" error={error}>
            {control => (
              <select
                {...control}
                className="field"
                value={person}
                onChange={({ target }) => setPerson(target.value)}
              >
                <option value="" />
                {members.data?.map(member => (
                  <option key={member.email} value={member.email}>
                    {member.email}
                  </option>
                ))}
              </select>
            )}
          </Field>
        )}
        <ScopeField
          scope={scope}
          first={TEXT.tokens.most}
          scopes={scopesWithin(caller.role)}
          error={error}
          onChange={setScope}
        />
        <EndField end={end} first={usualEnd(caller, zone)} caller={caller} error={error} onChange={setEnd} />
      </Form>
    </Dialog>
  )
}
