import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useSearchParams } from 'wouter'
import { Dialog } from '../../components/dialog.tsx'
import formStyle from '../../components/form.module.css'
import { Form } from '../../components/form.tsx'
import { IconButton } from '../../components/icon-button.tsx'
import { QuestionDialog } from '../../components/question-dialog.tsx'
import { NewSecret } from '../../components/secret.tsx'
import { TextField } from '../../components/text-field.tsx'
import { useZone } from '../../shell/preferences.ts'
import { Loading, ProblemBox } from '../../shell/states.tsx'
import { dayAndTime } from '../../times/time.ts'
import style from './gateway.module.css'
import { type AccessKeyRecord, createAccessKey, readAccessKeys, removeAccessKey } from './requests.ts'
import { TEXT } from './texts.ts'

/** Keys of a gateway route. The server keeps their hashes alone. */
export function AccessKeys({ routeId, canWrite }: { readonly routeId: string; readonly canWrite: boolean }) {
  const queries = useQueryClient()
  const [parameters] = useSearchParams()
  const zone = useZone(parameters.get('tz'))
  const [open, setOpen] = useState<'new' | AccessKeyRecord>()
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['access keys', routeId],
    queryFn: ({ signal }) => readAccessKeys(routeId, signal),
  })
  const refresh = () => queries.invalidateQueries({ queryKey: ['access keys', routeId] })
  const close = () => setOpen(undefined)
  return (
    <section className={style.part} aria-label={TEXT.keys}>
      <h3>{TEXT.keys}</h3>
      <p className="soft">{TEXT.keysWhy}</p>
      <Loading isLoading={isFetching && data === undefined} />
      {error !== null && <ProblemBox error={error} onRetry={() => void refetch()} />}
      {data?.length === 0 && <p>{TEXT.noKeys}</p>}
      <ul className={style.keys}>
        {data?.map(key => (
          <li key={key.id}>
            <div>
              {key.title}
              <small>{TEXT.made(dayAndTime(Date.parse(key.created_at), zone))}</small>
            </div>
            {canWrite && (
              <IconButton label={TEXT.revoke(key.title)} onClick={() => setOpen(key)}>
                <Trash2 size={15} aria-hidden />
              </IconButton>
            )}
          </li>
        ))}
      </ul>
      {canWrite && data !== undefined && (
        <button type="button" className="button" onClick={() => setOpen('new')}>
          <Plus size={14} aria-hidden />
          {TEXT.newKey}
        </button>
      )}
      {open === 'new' && <NewKey routeId={routeId} onMade={refresh} onClose={close} />}
      {typeof open === 'object' && (
        <QuestionDialog
          title={TEXT.revoke(open.title)}
          confirm={TEXT.revokeConfirm}
          act={() => removeAccessKey(routeId, open.id)}
          onDone={refresh}
          onClose={close}
        >
          <p>{TEXT.revokeWhy}</p>
        </QuestionDialog>
      )}
    </section>
  )
}

/** Makes a key, and shows it once. */
function NewKey({
  routeId,
  onMade,
  onClose,
}: {
  readonly routeId: string
  readonly onMade: () => Promise<unknown>
  readonly onClose: () => void
}) {
  const [title, setTitle] = useState('')
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: () => createAccessKey(routeId, title.trim()),
    onSuccess: onMade,
  })
  return (
    <Dialog title={data === undefined ? TEXT.newKey : data.title} onClose={onClose}>
      {data === undefined ? (
        <Form
          submit={TEXT.create}
          error={error}
          places={['title']}
          isPending={isPending}
          isReady={title.trim() !== ''}
          onSubmit={() => mutate()}
          onClose={onClose}
        >
          <TextField
            label={TEXT.keyTitle}
            place="title"
            error={error}
            value={title}
            maxLength={512}
            onChange={setTitle}
          />
        </Form>
      ) : (
        <>
          <NewSecret label={TEXT.key} secret={data.key} />
          <div className={formStyle.buttons}>
            <button type="button" className="primary" onClick={onClose}>
              {TEXT.done}
            </button>
          </div>
        </>
      )}
    </Dialog>
  )
}
