import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useSearchParams } from 'wouter'
import { confirmSuspension, offerSuspension, resumeIngestion } from '../api/ingestion.ts'
import { type Caller, isAdministrator } from '../api/session.ts'
import { QuestionDialog } from '../components/question-dialog.tsx'
import { Refusal } from '../components/refusal.tsx'
import { count } from '../numbers.ts'
import frame from '../shell/frame.module.css'
import { ListSection } from '../shell/list-section.tsx'
import { Empty } from '../shell/states.tsx'
import { AccountDialog } from './account-dialog.tsx'
import { AccountRow } from './account-row.tsx'
import style from './accounts.module.css'
import { type AccountRecord, readEnterprise, setSuspended } from './requests.ts'
import { TEXT } from './texts.ts'

/** Rows that are shown at once; the field above finds the others. */
const MOST_ROWS = 200
const KEY = ['enterprise'] as const

/** A dialog of the page. A suspension of ingestion has the token that confirms it. */
type OpenDialog =
  | 'new'
  | { readonly kind: 'change'; readonly account: AccountRecord }
  | { readonly kind: 'suspend'; readonly account: AccountRecord }
  | { readonly kind: 'ingestion'; readonly account: AccountRecord; readonly token: string }

/** `/console/accounts`: the accounts of an enterprise, for its tokens. */
export default function AccountsPage({ caller }: { readonly caller: Caller }) {
  const queries = useQueryClient()
  const [parameters, setParameters] = useSearchParams()
  const [open, setOpen] = useState<OpenDialog>()
  const list = useQuery({ queryKey: KEY, queryFn: ({ signal }) => readEnterprise(signal) })
  const refresh = () => queries.invalidateQueries({ queryKey: KEY })
  const offer = useMutation({
    mutationFn: (account: AccountRecord) => offerSuspension(account.account),
    onSuccess: (token, account) => setOpen({ kind: 'ingestion', account, token }),
  })
  const resumption = useMutation({
    mutationFn: (account: AccountRecord) => resumeIngestion(account.account),
    onSuccess: refresh,
  })
  const activation = useMutation({
    mutationFn: (account: AccountRecord) => setSuspended(account.account, false),
    onSuccess: refresh,
  })
  const isSending = offer.isPending || resumption.isPending || activation.isPending
  // Buttons that wait are not disabled: they would lose the focus.
  const send = (action: typeof offer | typeof resumption, account: AccountRecord) => {
    if (!isSending) action.mutate(account)
  }
  const mayWrite = isAdministrator(caller)
  const sought = parameters.get('q') ?? ''
  const found = list.data?.accounts.filter(each => isFound(each, sought)) ?? []
  const seek = (text: string) =>
    setParameters(
      before => {
        if (text === '') before.delete('q')
        else before.set('q', text)
        return before
      },
      { replace: true },
    )
  return (
    <div className={frame.page}>
      <div className={frame.head}>
        <h1>{TEXT.title}</h1>
        {list.data !== undefined && <span className="soft">{TEXT.of(list.data.name)}</span>}
      </div>
      <ListSection
        label={TEXT.title}
        why={TEXT.why}
        create={TEXT.new}
        onCreate={mayWrite ? () => setOpen('new') : undefined}
        list={{ ...list, data: list.data?.accounts }}
        none={TEXT.none}
        noneWhy={TEXT.noneWhy}
        refusal={<Refusal error={offer.error ?? resumption.error ?? activation.error} />}
        tools={
          <label className={style.find}>
            {TEXT.find}
            <input
              className="field"
              type="search"
              placeholder={TEXT.findHint}
              value={sought}
              onChange={({ target }) => seek(target.value)}
            />
          </label>
        }
      >
        {found.length === 0 && (
          <Empty
            title={TEXT.noMatch}
            action={
              <button type="button" className="button" onClick={() => seek('')}>
                {TEXT.all}
              </button>
            }
          >
            <p>{TEXT.noMatchWhy}</p>
          </Empty>
        )}
        {found.length > 0 && (
          <table>
            <thead>
              <tr>
                <th scope="col">{TEXT.company}</th>
                <th scope="col" className={style.wide}>
                  {TEXT.owner}
                </th>
                <th scope="col">{TEXT.retention}</th>
                <th scope="col">{TEXT.ingestion}</th>
                {mayWrite && <td />}
              </tr>
            </thead>
            <tbody>
              {found.slice(0, MOST_ROWS).map(account => (
                <AccountRow
                  key={account.account}
                  account={account}
                  mayWrite={mayWrite}
                  onChange={() => setOpen({ kind: 'change', account })}
                  onIngestion={isOn => send(isOn ? resumption : offer, account)}
                  onSuspend={() => setOpen({ kind: 'suspend', account })}
                  onResume={() => send(activation, account)}
                />
              ))}
            </tbody>
          </table>
        )}
      </ListSection>
      {found.length > MOST_ROWS && (
        <p className={style.note}>{TEXT.most(count(MOST_ROWS), count(found.length))}</p>
      )}
      {open !== undefined && <OpenedDialog open={open} onDone={refresh} onClose={() => setOpen(undefined)} />}
    </div>
  )
}

function OpenedDialog({
  open,
  onDone,
  onClose,
}: {
  readonly open: OpenDialog
  readonly onDone: () => Promise<unknown>
  readonly onClose: () => void
}) {
  if (open === 'new') return <AccountDialog present={undefined} onDone={onDone} onClose={onClose} />
  const { company, account } = open.account
  if (open.kind === 'change')
    return <AccountDialog present={open.account} onDone={onDone} onClose={onClose} />
  if (open.kind === 'suspend')
    return (
      <QuestionDialog
        title={TEXT.suspend(company)}
        confirm={TEXT.suspendConfirm}
        act={() => setSuspended(account, true)}
        onDone={onDone}
        onClose={onClose}
      >
        <p>{TEXT.suspendWhy}</p>
      </QuestionDialog>
    )
  return (
    <QuestionDialog
      title={TEXT.suspendIngestion(company)}
      confirm={TEXT.suspendIngestionConfirm}
      act={() => confirmSuspension(open.token, account)}
      onDone={onDone}
      onClose={onClose}
    >
      <p>{TEXT.suspendIngestionWhy}</p>
    </QuestionDialog>
  )
}

function isFound({ account, company, owneremail }: AccountRecord, sought: string): boolean {
  const wanted = sought.trim().toLowerCase()
  return [account, company, owneremail].some(text => text.toLowerCase().includes(wanted))
}
