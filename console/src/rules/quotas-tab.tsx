import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Pencil, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { type QuotaRecord, type QuotaWrite, quotas, setQuotas } from '../api/usage.ts'
import { IconButton } from '../components/icon-button.tsx'
import { QuestionDialog } from '../components/question-dialog.tsx'
import { Refusal } from '../components/refusal.tsx'
import { Switch } from '../components/switch.tsx'
import frame from '../shell/frame.module.css'
import listStyle from '../shell/list.module.css'
import { Loading, ProblemBox } from '../shell/states.tsx'
import { LinesCell } from './lines-cell.tsx'
import { QuotaRuleDialog } from './quota-rule-dialog.tsx'
import { PERIODS, type Period, type QuotaRule, withRules } from './quota-rules.ts'
import style from './rules.module.css'
import { TEXT } from './texts.ts'

/** A dialog about a rule; `at` is the index of a present one. */
interface OpenDialog {
  readonly kind: 'edit' | 'remove'
  readonly period: Period
  readonly at?: number
}

/** Rules of the quotas, which act from a share of the limit on. */
export function QuotasTab() {
  const queries = useQueryClient()
  const [open, setOpen] = useState<OpenDialog>()
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['quotas'],
    queryFn: ({ signal }) => quotas(signal),
  })
  const write = async (body: QuotaWrite) => queries.setQueryData(['quotas'], await setQuotas(body))
  const switching = useMutation({ mutationFn: write })
  const close = () => setOpen(undefined)
  return (
    <section aria-label={TEXT.tabs.quotas} className={listStyle.section}>
      <p className="soft">
        {TEXT.quotas.why} {TEXT.quotas.limit} <Link href="/usage">{TEXT.quotas.toUsage}</Link>
      </p>
      <Loading isLoading={isFetching && data === undefined} />
      {error !== null && <ProblemBox error={error} onRetry={() => void refetch()} />}
      <Refusal error={switching.error} />
      {data !== undefined &&
        PERIODS.map(period => (
          <PeriodRules
            key={period}
            period={period}
            record={data}
            isBusy={switching.isPending}
            onOpen={(kind, at) => setOpen({ kind, period, ...(at !== undefined && { at }) })}
            onSwitch={(at, rule) =>
              switching.mutate(
                withRules(data, period, data[period].rules.with(at, { ...rule, active: !rule.active })),
              )
            }
          />
        ))}
      {data !== undefined && open?.kind === 'edit' && (
        <QuotaRuleDialog record={data} period={open.period} at={open.at} write={write} onClose={close} />
      )}
      {data !== undefined && open?.kind === 'remove' && open.at !== undefined && (
        <QuestionDialog
          title={TEXT.removeTitle(TEXT.quotas.rule(String(open.at + 1)))}
          confirm={TEXT.removeConfirm}
          act={() =>
            write(withRules(data, open.period, data[open.period].rules.toSpliced(open.at as number, 1)))
          }
          onDone={() => undefined}
          onClose={close}
        >
          <p>{TEXT.quotas.removeWhy}</p>
        </QuestionDialog>
      )}
    </section>
  )
}

function PeriodRules({
  period,
  record,
  isBusy,
  onOpen,
  onSwitch,
}: {
  readonly period: Period
  readonly record: QuotaRecord
  readonly isBusy: boolean
  readonly onOpen: (kind: OpenDialog['kind'], at?: number) => void
  readonly onSwitch: (at: number, rule: QuotaRule) => void
}) {
  const { limit, rules } = record[period]
  return (
    <div className={style.period}>
      <div className={style.periodHead}>
        <h2>{TEXT.quotas.periods[period]}</h2>
        {limit === 0 && rules.length > 0 && <span className="soft">{TEXT.quotas.noLimit}</span>}
        <button
          type="button"
          className="button"
          aria-label={TEXT.quotas.newFor(TEXT.quotas.periods[period])}
          onClick={() => onOpen('edit')}
        >
          <Plus size={14} aria-hidden />
          {TEXT.retention.new}
        </button>
      </div>
      <div className={frame.card}>
        {rules.length === 0 && <p className={style.empty}>{TEXT.quotas.none}</p>}
        {rules.length > 0 && (
          <table>
            <thead>
              <tr>
                <th scope="col">{TEXT.retention.order}</th>
                <th scope="col" className={frame.number}>
                  {TEXT.quotas.share}
                </th>
                <th scope="col">{TEXT.lines}</th>
                <th scope="col">{TEXT.exclusions.effect}</th>
                <th scope="col">{TEXT.state}</th>
                <td />
              </tr>
            </thead>
            <tbody>
              {rules.map((rule, at) => {
                const name = TEXT.quotas.rule(String(at + 1))
                return (
                  // biome-ignore lint/suspicious/noArrayIndexKey: rules are known by their numbers
                  <tr key={at} data-off={!rule.active || undefined}>
                    <th scope="row" className={listStyle.name}>
                      {name}
                    </th>
                    <td className={frame.number}>{TEXT.quotas.percentText(String(rule.percent))}</td>
                    <LinesCell rule={rule} />
                    <td>{rule.indexonly ? TEXT.exclusions.indexonly : TEXT.exclusions.all}</td>
                    <td>
                      <Switch
                        label={rule.active ? TEXT.switchOff(name) : TEXT.switchOn(name)}
                        state={rule.active ? TEXT.on : TEXT.off}
                        isOn={rule.active}
                        isDisabled={isBusy}
                        onSwitch={() => onSwitch(at, rule)}
                      />
                    </td>
                    <td className={listStyle.buttons}>
                      <IconButton label={TEXT.change(name)} onClick={() => onOpen('edit', at)}>
                        <Pencil size={15} aria-hidden />
                      </IconButton>
                      <IconButton label={TEXT.removeTitle(name)} onClick={() => onOpen('remove', at)}>
                        <Trash2 size={15} aria-hidden />
                      </IconButton>
                    </td>
                  </tr>
                )
              })}
            </tbody>
          </table>
        )}
      </div>
    </div>
  )
}
