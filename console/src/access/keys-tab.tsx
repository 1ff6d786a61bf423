import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useSearchParams } from 'wouter'
import { Dialog } from '../components/dialog.tsx'
import { Form } from '../components/form.tsx'
import { IconButton } from '../components/icon-button.tsx'
import { QuestionDialog } from '../components/question-dialog.tsx'
import { HiddenSecret } from '../components/secret.tsx'
import { TextField } from '../components/text-field.tsx'
import style from '../shell/list.module.css'
import { ListSection } from '../shell/list-section.tsx'
import { useZone } from '../shell/preferences.ts'
import { dayAndTime, dayOf } from '../times/time.ts'
import { type AccountKeyRecord, createIngestionKey, readKeys, removeKey, renameKey } from './requests.ts'
import { TEXT } from './texts.ts'

const MAX_NAME_CHARACTERS = 30

type OpenDialog = 'new' | { readonly kind: 'rename' | 'delete'; readonly key: AccountKeyRecord }

/** Ingestion and service keys. The server keeps them in clear; the page shows one on purpose. */
export function KeysTab() {
  const queries = useQueryClient()
  const [parameters] = useSearchParams()
  const zone = useZone(parameters.get('tz'))
  const [open, setOpen] = useState<OpenDialog>()
  const list = useQuery({ queryKey: ['keys'], queryFn: ({ signal }) => readKeys(signal) })
  const refresh = () => queries.invalidateQueries({ queryKey: ['keys'] })
  const close = () => setOpen(undefined)
  return (
    <>
      <ListSection
        label={TEXT.tabs.keys}
        why={TEXT.keys.why}
        create={TEXT.keys.new}
        onCreate={() => setOpen('new')}
        list={list}
        none={TEXT.keys.none}
        noneWhy={TEXT.keys.noneWhy}
      >
        <table>
          <thead>
            <tr>
              {[TEXT.name, TEXT.keys.type, TEXT.keys.key, TEXT.keys.created].map(each => (
                <th key={each} scope="col">
                  {each}
                </th>
              ))}
              <td />
            </tr>
          </thead>
          <tbody>
            {list.data?.map(key => (
              <tr key={key.id}>
                <th scope="row" className={style.name}>
                  {nameOf(key)}
                </th>
                <td>{TEXT.keys.types[key.type]}</td>
                <td>
                  <HiddenSecret name={TEXT.keys.keyOf(nameOf(key))} secret={key.key} />
                </td>
                <td className={style.time} title={dayAndTime(key.created, zone)}>
                  {dayOf(key.created, zone)}
                </td>
                <td className={style.buttons}>
                  <IconButton
                    label={TEXT.change(nameOf(key))}
                    onClick={() => setOpen({ kind: 'rename', key })}
                  >
                    <Pencil size={15} aria-hidden />
                  </IconButton>
                  <IconButton
                    label={TEXT.keys.deleteTitle(nameOf(key))}
                    onClick={() => setOpen({ kind: 'delete', key })}
                  >
                    <Trash2 size={15} aria-hidden />
                  </IconButton>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </ListSection>
      {open === 'new' && <KeyName onDone={refresh} onClose={close} />}
      {typeof open === 'object' && open.kind === 'rename' && (
        <KeyName present={open.key} onDone={refresh} onClose={close} />
      )}
      {typeof open === 'object' && open.kind === 'delete' && (
        <QuestionDialog
          title={TEXT.keys.deleteTitle(nameOf(open.key))}
          confirm={TEXT.keys.deleteConfirm}
          act={() => removeKey(open.key.id)}
          onDone={refresh}
          onClose={close}
        >
          <p>{TEXT.keys.deleteWhy[open.key.type]}</p>
        </QuestionDialog>
      )}
    </>
  )
}

function nameOf({ name }: AccountKeyRecord): string {
  return name === '' ? TEXT.unnamed : name
}

/** Makes an ingestion key, or renames a key. */
function KeyName({
  present,
  onDone,
  onClose,
}: {
  readonly present?: AccountKeyRecord
  readonly onDone: () => Promise<unknown>
  readonly onClose: () => void
}) {
  const [name, setName] = useState(present?.name ?? '')
  const { mutate, error, isPending } = useMutation({
    mutationFn: () =>
      present === undefined ? createIngestionKey(name.trim()) : renameKey(present.id, name.trim()),
    onSuccess: async () => {
      await onDone()
      onClose()
    },
  })
  return (
    <Dialog title={present === undefined ? TEXT.keys.new : TEXT.change(nameOf(present))} onClose={onClose}>
      <Form
        submit={present === undefined ? TEXT.create : TEXT.save}
        error={error}
        places={['name']}
        isPending={isPending}
        onSubmit={() => mutate()}
        onClose={onClose}
      >
        <TextField
          label={TEXT.name}
          place="name"
          error={error}
          note={TEXT.keys.nameNote}
          value={name}
          maxLength={MAX_NAME_CHARACTERS}
          onChange={setName}
        />
      </Form>
    </Dialog>
  )
}
