import { Ban, Pencil, Play } from 'lucide-react'
import { IconButton } from '../components/icon-button.tsx'
import { Switch } from '../components/switch.tsx'
import { count } from '../numbers.ts'
import list from '../shell/list.module.css'
import style from './accounts.module.css'
import { MOST_SHOWN_DAYS } from './changed-members.ts'
import type { AccountRecord } from './requests.ts'
import { TEXT } from './texts.ts'

const ACTIVE = 'active'

/** One account with its actions. Nobody can act for an account that is suspended. */
export function AccountRow({
  account: { account, company, owneremail, retention, status, meta },
  mayWrite,
  onChange,
  onIngestion,
  onSuspend,
  onResume,
}: {
  readonly account: AccountRecord
  readonly mayWrite: boolean
  readonly onChange: () => void
  /** @param isOn whether ingestion is to be resumed, or suspended */
  readonly onIngestion: (isOn: boolean) => void
  readonly onSuspend: () => void
  readonly onResume: () => void
}) {
  const isActive = status === ACTIVE
  const accepts = !meta.suspendIngestion
  const state = accepts ? TEXT.accepts : TEXT.refuses
  return (
    <tr data-off={isActive ? undefined : true}>
      <th scope="row" className={list.name}>
        {isActive ? <a href={`/console/a/${account}/`}>{company}</a> : company}
        <small>
          <code>{account}</code>
        </small>
        <div className={style.narrow}>{owneremail}</div>
      </th>
      <td className={`${list.text} ${style.wide}`}>{owneremail}</td>
      <td className={list.time}>
        {retention === MOST_SHOWN_DAYS ? TEXT.daysAndMore(count(retention)) : TEXT.days(count(retention))}
      </td>
      <td className={list.time}>
        {!isActive && <span className={list.warning}>{TEXT.suspendedAccount}</span>}
        {isActive && !mayWrite && state}
        {isActive && mayWrite && (
          <Switch
            label={accepts ? TEXT.suspendIngestion(company) : TEXT.resumeIngestion(company)}
            state={state}
            isOn={accepts}
            onSwitch={() => onIngestion(!accepts)}
          />
        )}
      </td>
      {mayWrite && (
        <td className={list.buttons}>
          <IconButton label={TEXT.change(company)} onClick={onChange}>
            <Pencil size={15} aria-hidden />
          </IconButton>
          {isActive ? (
            <IconButton label={TEXT.suspend(company)} onClick={onSuspend}>
              <Ban size={15} aria-hidden />
            </IconButton>
          ) : (
            <IconButton label={TEXT.resume(company)} onClick={onResume}>
              <Play size={15} aria-hidden />
            </IconButton>
          )}
        </td>
      )}
    </tr>
  )
}
