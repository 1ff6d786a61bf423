import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { Caller } from '../api/session.ts'
import { Dialog } from '../components/dialog.tsx'
import { Form } from '../components/form.tsx'
import { TextField } from '../components/text-field.tsx'
import { dayAndTime } from '../times/time.ts'
import { changeToken, type TokenRecord } from './requests.ts'
import { TEXT } from './texts.ts'
import {
  EndField,
  expiresOf,
  FIRST_END,
  isWhole,
  type Scope,
  ScopeField,
  scopesWithin,
} from './token-fields.tsx'

const PLACES = ['name', 'scope', 'expires']

/** Renames or narrows a token, or changes its end. */
export function ChangeToken({
  token,
  caller,
  zone,
  onDone,
  onClose,
}: {
  readonly token: TokenRecord
  readonly caller: Caller
  readonly zone: string
  readonly onDone: () => Promise<unknown>
  readonly onClose: () => void
}) {
  const { id, right, expires_at: endsAt } = token
  const [name, setName] = useState(token.name)
  const [scope, setScope] = useState<Scope>()
  const [end, setEnd] = useState(FIRST_END)
  const { mutate, error, isPending } = useMutation({
    mutationFn: () =>
      changeToken(id, {
        ...(name.trim() !== token.name && { name: name.trim() }),
        ...(scope !== undefined && { scope }),
        ...expiresOf(end),
      }),
    onSuccess: async () => {
      await onDone()
      onClose()
    },
  })
  const present = right === null ? TEXT.tokens.noRight : (TEXT.tokens.rights[right] ?? right)
  const presentEnd = endsAt === null ? TEXT.tokens.never : dayAndTime(Date.parse(endsAt), zone)
  return (
    <Dialog title={TEXT.change(token.name)} onClose={onClose}>
      <Form
        submit={TEXT.save}
        error={error}
        places={PLACES}
        isPending={isPending}
        isReady={name.trim() !== '' && isWhole(end)}
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
        {right !== null && (
          <ScopeField
            scope={scope}
            first={TEXT.tokens.present(present)}
            scopes={scopesWithin(right).filter(each => each !== right)}
            error={error}
            note={TEXT.tokens.narrowNote}
            onChange={setScope}
          />
        )}
        <EndField
          end={end}
          first={`${TEXT.tokens.asNow}: ${presentEnd}`}
          caller={caller}
          error={error}
          onChange={setEnd}
        />
      </Form>
    </Dialog>
  )
}
