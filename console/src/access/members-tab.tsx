import { useQuery, useQueryClient } from '@tanstack/react-query'
import { KeyRound, Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useSearchParams } from 'wouter'
import type { Caller } from '../api/session.ts'
import { IconButton } from '../components/icon-button.tsx'
import { QuestionDialog } from '../components/question-dialog.tsx'
import style from '../shell/list.module.css'
import { ListSection } from '../shell/list-section.tsx'
import { useZone } from '../shell/preferences.ts'
import { MemberDialog } from './member-dialog.tsx'
import { NewToken } from './new-token.tsx'
import {
  type AccessGroupRecord,
  type MemberRecord,
  readGroups,
  readMembers,
  removeMember,
} from './requests.ts'
import { TEXT } from './texts.ts'

type OpenDialog = 'new' | { readonly kind: 'change' | 'token' | 'remove'; readonly member: MemberRecord }

/** People of the account with their roles and groups. */
export function MembersTab({ caller }: { readonly caller: Caller }) {
  const queries = useQueryClient()
  const [parameters] = useSearchParams()
  const zone = useZone(parameters.get('tz'))
  const [open, setOpen] = useState<OpenDialog>()
  const list = useQuery({ queryKey: ['members'], queryFn: ({ signal }) => readMembers(signal) })
  const groups = useQuery({ queryKey: ['groups'], queryFn: ({ signal }) => readGroups(signal) })
  const refresh = () => queries.invalidateQueries({ queryKey: ['members'] })
  const close = () => setOpen(undefined)
  const member = typeof open === 'object' ? open.member : undefined
  return (
    <>
      <ListSection
        label={TEXT.tabs.members}
        why={TEXT.members.why}
        create={TEXT.members.new}
        onCreate={() => setOpen('new')}
        list={list}
        none={TEXT.members.none}
        noneWhy={TEXT.members.noneWhy}
      >
        <table>
          <thead>
            <tr>
              {[TEXT.members.email, TEXT.members.role, TEXT.members.groups].map(each => (
                <th key={each} scope="col">
                  {each}
                </th>
              ))}
              <td />
            </tr>
          </thead>
          <tbody>
            {list.data?.map(each => (
              <MemberRow
                key={each.email}
                member={each}
                groups={groups.data ?? []}
                onOpen={kind => setOpen({ kind, member: each })}
              />
            ))}
          </tbody>
        </table>
      </ListSection>
      {(open === 'new' || (typeof open === 'object' && open.kind === 'change')) && (
        <MemberDialog present={member} groups={groups.data ?? []} onDone={refresh} onClose={close} />
      )}
      {typeof open === 'object' && open.kind === 'token' && (
        <NewToken
          caller={caller}
          zone={zone}
          email={open.member.email}
          onMade={() => queries.invalidateQueries({ queryKey: ['tokens'] })}
          onClose={close}
        />
      )}
      {typeof open === 'object' && open.kind === 'remove' && (
        <QuestionDialog
          title={TEXT.members.removeTitle(open.member.email)}
          confirm={TEXT.members.removeConfirm}
          act={() => removeMember(open.member.email)}
          onDone={() => queries.invalidateQueries()}
          onClose={close}
        >
          <p>{TEXT.members.removeWhy}</p>
        </QuestionDialog>
      )}
    </>
  )
}

function MemberRow({
  member: { email, role, groups: ids },
  groups,
  onOpen,
}: {
  readonly member: MemberRecord
  readonly groups: readonly AccessGroupRecord[]
  readonly onOpen: (kind: 'change' | 'token' | 'remove') => void
}) {
  const names = ids.map(id => groups.find(each => each.id === id)?.name ?? id)
  return (
    <tr>
      <th scope="row" className={style.name}>
        {email}
      </th>
      <td>{TEXT.members.roles[role] ?? role}</td>
      <td className={style.text}>
        {names.length === 0 ? <span className="soft">{TEXT.members.allLines}</span> : names.join(', ')}
      </td>
      <td className={style.buttons}>
        <IconButton label={TEXT.members.token(email)} onClick={() => onOpen('token')}>
          <KeyRound size={15} aria-hidden />
        </IconButton>
        {role !== 'owner' && (
          <>
            <IconButton label={TEXT.change(email)} onClick={() => onOpen('change')}>
              <Pencil size={15} aria-hidden />
            </IconButton>
            <IconButton label={TEXT.members.removeTitle(email)} onClick={() => onOpen('remove')}>
              <Trash2 size={15} aria-hidden />
            </IconButton>
          </>
        )}
      </td>
    </tr>
  )
}
