import { useQuery, useQueryClient } from '@tanstack/react-query'
import { KeyRound, Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useSearchParams } from 'wouter'
import { type Caller, isAdministrator } from '../api/session.ts'
import { IconButton } from '../components/icon-button.tsx'
import { QuestionDialog } from '../components/question-dialog.tsx'
import style from '../shell/list.module.css'
import { ListSection } from '../shell/list-section.tsx'
import { useZone } from '../shell/preferences.ts'
import { ageOf, dayAndTime } from '../times/time.ts'
import { ChangeToken } from './change-token.tsx'
import { NewToken } from './new-token.tsx'
import { readTokens, removeToken, type TokenRecord } from './requests.ts'
import { RotateToken } from './rotate-token.tsx'
import { TEXT } from './texts.ts'

/** A dialog that is open, and the token that it is about. */
type OpenDialog = 'new' | { readonly kind: 'change' | 'rotate' | 'revoke'; readonly token: TokenRecord }

/** Access tokens with their rights and ends. */
export function TokensTab({ caller }: { readonly caller: Caller }) {
  const queries = useQueryClient()
  const [parameters] = useSearchParams()
  const zone = useZone(parameters.get('tz'))
  const [open, setOpen] = useState<OpenDialog>()
  const list = useQuery({ queryKey: ['tokens'], queryFn: ({ signal }) => readTokens(signal) })
  const refresh = () => queries.invalidateQueries({ queryKey: ['tokens'] })
  // Only administrators make tokens for programs, and a program has no person to make one for.
  const canCreate = isAdministrator(caller) || caller.email !== null
  const close = () => setOpen(undefined)
  return (
    <>
      <ListSection
        label={TEXT.tabs.tokens}
        why={TEXT.tokens.why}
        create={TEXT.tokens.new}
        onCreate={canCreate ? () => setOpen('new') : undefined}
        list={list}
        none={TEXT.tokens.none}
      >
        <table>
          <thead>
            <tr>
              {[TEXT.name, TEXT.tokens.right, TEXT.tokens.ends, TEXT.tokens.lastUsed].map(each => (
                <th key={each} scope="col">
                  {each}
                </th>
              ))}
              <td />
            </tr>
          </thead>
          <tbody>
            {list.data?.map(token => (
              <TokenRow
                key={token.id}
                token={token}
                caller={caller}
                zone={zone}
                onOpen={kind => setOpen({ kind, token })}
              />
            ))}
          </tbody>
        </table>
      </ListSection>
      {open === 'new' && <NewToken caller={caller} zone={zone} onMade={refresh} onClose={close} />}
      {typeof open === 'object' && open.kind === 'change' && (
        <ChangeToken token={open.token} caller={caller} zone={zone} onDone={refresh} onClose={close} />
      )}
      {typeof open === 'object' && open.kind === 'rotate' && (
        <RotateToken
          token={open.token}
          isOwn={open.token.id === caller.token_id}
          onMade={refresh}
          onClose={close}
        />
      )}
      {typeof open === 'object' && open.kind === 'revoke' && (
        <QuestionDialog
          title={TEXT.tokens.revoke(open.token.name)}
          confirm={TEXT.tokens.revokeConfirm}
          act={() => removeToken(open.token.id)}
          onDone={refresh}
          onClose={close}
        >
          <p>{TEXT.tokens.revokeWhy}</p>
          {open.token.id === caller.token_id && <p className={style.warning}>{TEXT.tokens.revokeSelf}</p>}
        </QuestionDialog>
      )}
    </>
  )
}

function TokenRow({
  token,
  caller,
  zone,
  onOpen,
}: {
  readonly token: TokenRecord
  readonly caller: Caller
  readonly zone: string
  readonly onOpen: (kind: 'change' | 'rotate' | 'revoke') => void
}) {
  const { id, name, kind, email, subject, right, expires_at: endsAt, last_used_at: usedAt } = token
  const { previous_secret_until: graceUntil } = token
  // The server lets only their user rotate personal tokens.
  const canRotate = kind !== 'user' || subject === caller.subject
  const time = (at: string) => dayAndTime(Date.parse(at), zone)
  const owner = [
    email ?? TEXT.tokens.kinds[kind] ?? kind,
    ...(id === caller.token_id ? [TEXT.tokens.thisOne] : []),
  ]
  return (
    <tr>
      <th scope="row" className={style.name}>
        {name}
        <small>{owner.join(' \u00b7 ')}</small>
        {graceUntil !== null && Date.parse(graceUntil) > Date.now() && (
          <small>{TEXT.tokens.graceUntil(time(graceUntil))}</small>
        )}
      </th>
      <td>{right === null ? TEXT.tokens.noRight : (TEXT.tokens.rights[right] ?? right)}</td>
      <td className={style.time} title={endsAt === null ? undefined : time(endsAt)}>
        {endsAt === null ? TEXT.tokens.never : ageOf(Date.parse(endsAt), Date.now())}
      </td>
      <td className={style.time} title={usedAt === null ? undefined : time(usedAt)}>
        {usedAt === null ? TEXT.tokens.never : ageOf(Date.parse(usedAt), Date.now())}
      </td>
      <td className={style.buttons}>
        <IconButton label={TEXT.change(name)} onClick={() => onOpen('change')}>
          <Pencil size={15} aria-hidden />
        </IconButton>
        {canRotate && (
          <IconButton label={TEXT.tokens.rotate(name)} onClick={() => onOpen('rotate')}>
            <KeyRound size={15} aria-hidden />
          </IconButton>
        )}
        <IconButton label={TEXT.tokens.revoke(name)} onClick={() => onOpen('revoke')}>
          <Trash2 size={15} aria-hidden />
        </IconButton>
      </td>
    </tr>
  )
}
