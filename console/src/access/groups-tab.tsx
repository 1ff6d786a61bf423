import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Pencil, Search, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { IconButton } from '../components/icon-button.tsx'
import { QuestionDialog } from '../components/question-dialog.tsx'
import style from '../shell/list.module.css'
import { ListSection } from '../shell/list-section.tsx'
import { GroupDialog } from './group-dialog.tsx'
import { type AccessGroupRecord, readGroups, readMembers, removeGroup } from './requests.ts'
import { TEXT } from './texts.ts'

type OpenDialog = 'new' | { readonly kind: 'change' | 'remove'; readonly group: AccessGroupRecord }

/** Groups with the lines that their members see. */
export function GroupsTab() {
  const queries = useQueryClient()
  const [open, setOpen] = useState<OpenDialog>()
  const list = useQuery({ queryKey: ['groups'], queryFn: ({ signal }) => readGroups(signal) })
  const members = useQuery({ queryKey: ['members'], queryFn: ({ signal }) => readMembers(signal) })
  const refresh = () => queries.invalidateQueries({ queryKey: ['groups'] })
  const close = () => setOpen(undefined)
  const group = typeof open === 'object' ? open.group : undefined
  return (
    <>
      <ListSection
        label={TEXT.tabs.groups}
        why={list.data?.length ? `${TEXT.groups.why} ${TEXT.groups.searchHow}` : TEXT.groups.why}
        create={TEXT.groups.new}
        onCreate={() => setOpen('new')}
        list={list}
        none={TEXT.groups.none}
        noneWhy={TEXT.groups.noneWhy}
      >
        <table>
          <thead>
            <tr>
              {[TEXT.name, TEXT.groups.query, TEXT.tabs.members].map(each => (
                <th key={each} scope="col">
                  {each}
                </th>
              ))}
              <td />
            </tr>
          </thead>
          <tbody>
            {list.data?.map(each => (
              <GroupRow
                key={each.id}
                group={each}
                members={members.data
                  ?.filter(({ groups }) => groups.includes(each.id))
                  .map(({ email }) => email)}
                onOpen={kind => setOpen({ kind, group: each })}
              />
            ))}
          </tbody>
        </table>
      </ListSection>
      {(open === 'new' || (typeof open === 'object' && open.kind === 'change')) && (
        <GroupDialog present={group} onDone={refresh} onClose={close} />
      )}
      {typeof open === 'object' && open.kind === 'remove' && (
        <QuestionDialog
          title={TEXT.groups.removeTitle(open.group.name)}
          confirm={TEXT.groups.removeConfirm}
          act={() => removeGroup(open.group.id)}
          onDone={refresh}
          onClose={close}
        >
          <p>{TEXT.groups.removeWhy}</p>
        </QuestionDialog>
      )}
    </>
  )
}

function GroupRow({
  group: { name, accessScopes },
  members,
  onOpen,
}: {
  readonly group: AccessGroupRecord
  readonly members: readonly string[] | undefined
  readonly onOpen: (kind: 'change' | 'remove') => void
}) {
  return (
    <tr>
      <th scope="row" className={style.name}>
        {name}
      </th>
      <td className={style.text}>
        {accessScopes === '' ? (
          <span className="soft">{TEXT.groups.nothing}</span>
        ) : (
          <code>{accessScopes}</code>
        )}
      </td>
      <td className={style.time} title={members?.join(', ')}>
        {members === undefined ? TEXT.unknown : TEXT.groups.members(members.length)}
      </td>
      <td className={style.buttons}>
        {accessScopes !== '' && (
          <Link
            href={`/search?q=${encodeURIComponent(accessScopes)}`}
            aria-label={TEXT.groups.search(name)}
            title={TEXT.groups.search(name)}
          >
            <Search size={15} aria-hidden />
          </Link>
        )}
        <IconButton label={TEXT.change(name)} onClick={() => onOpen('change')}>
          <Pencil size={15} aria-hidden />
        </IconButton>
        <IconButton label={TEXT.groups.removeTitle(name)} onClick={() => onOpen('remove')}>
          <Trash2 size={15} aria-hidden />
        </IconButton>
      </td>
    </tr>
  )
}
