import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { ArrowDown, ArrowUp, Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { IconButton } from '../components/icon-button.tsx'
import { QuestionDialog } from '../components/question-dialog.tsx'
import { Refusal } from '../components/refusal.tsx'
import { Switch } from '../components/switch.tsx'
import { count } from '../numbers.ts'
import frame from '../shell/frame.module.css'
import listStyle from '../shell/list.module.css'
import { ListSection } from '../shell/list-section.tsx'
import { LinesCell } from './lines-cell.tsx'
import { inOrder, priorityChanges } from './priorities.ts'
import { changeRule, type RetentionRuleRecord, readRules, removeRule } from './requests.ts'
import { RetentionDialog } from './retention-dialog.tsx'
import style from './rules.module.css'
import { TEXT } from './texts.ts'
import { UsualRetention } from './usual-retention.tsx'

type OpenDialog = 'new' | { readonly kind: 'change' | 'remove'; readonly rule: RetentionRuleRecord }

/** Days for which lines are kept: rules in the order in which they decide, and the days of all other lines. */
export function RetentionTab() {
  const queries = useQueryClient()
  const [open, setOpen] = useState<OpenDialog>()
  const list = useQuery({
    queryKey: ['rules', 'retention'],
    queryFn: ({ signal }) => readRules('retention', signal),
  })
  const refresh = () => queries.invalidateQueries({ queryKey: ['rules', 'retention'] })
  const switching = useMutation({
    mutationFn: ({ id, active }: RetentionRuleRecord) => changeRule('retention', id, { active: !active }),
    onSettled: refresh,
  })
  const moving = useMutation({
    mutationFn: async (wanted: readonly RetentionRuleRecord[]) => {
      for (const { id, priority } of priorityChanges(wanted)) await changeRule('retention', id, { priority })
    },
    onSettled: refresh,
  })
  const rules = inOrder(list.data ?? [])
  const isBusy = switching.isPending || moving.isPending
  const move = (at: number, step: -1 | 1) => {
    const wanted = rules.toSpliced(at, 1)
    moving.mutate(wanted.toSpliced(at + step, 0, rules[at] as RetentionRuleRecord))
  }
  const close = () => setOpen(undefined)
  return (
    <>
      <ListSection
        label={TEXT.tabs.retention}
        why={TEXT.retention.why}
        create={TEXT.retention.new}
        onCreate={() => setOpen('new')}
        list={list}
        none={TEXT.retention.none}
        noneWhy={TEXT.retention.noneWhy}
        refusal={<Refusal error={switching.error ?? moving.error} />}
      >
        <table>
          <thead>
            <tr>
              <th scope="col">{TEXT.retention.order}</th>
              <th scope="col">{TEXT.name}</th>
              <th scope="col">{TEXT.lines}</th>
              <th scope="col" className={frame.number}>
                {TEXT.retention.days}
              </th>
              <th scope="col">{TEXT.state}</th>
              <td />
            </tr>
          </thead>
          <tbody>
            {rules.map((rule, at) => (
              <RuleRow
                key={rule.id}
                rule={rule}
                isFirst={at === 0}
                isLast={at === rules.length - 1}
                isBusy={isBusy}
                onMove={step => move(at, step)}
                onSwitch={() => switching.mutate(rule)}
                onOpen={kind => setOpen({ kind, rule })}
              />
            ))}
          </tbody>
        </table>
      </ListSection>
      <UsualRetention />
      {open === 'new' && (
        <RetentionDialog priority={(rules.at(-1)?.priority ?? -1) + 1} onDone={refresh} onClose={close} />
      )}
      {typeof open === 'object' && open.kind === 'change' && (
        <RetentionDialog present={open.rule} priority={open.rule.priority} onDone={refresh} onClose={close} />
      )}
      {typeof open === 'object' && open.kind === 'remove' && (
        <QuestionDialog
          title={TEXT.removeTitle(open.rule.name)}
          confirm={TEXT.removeConfirm}
          act={() => removeRule('retention', open.rule.id)}
          onDone={refresh}
          onClose={close}
        >
          <p>{TEXT.removeWhy}</p>
        </QuestionDialog>
      )}
    </>
  )
}

/** A rule with what can be done with it. */
function RuleRow({
  rule,
  isFirst,
  isLast,
  isBusy,
  onMove,
  onSwitch,
  onOpen,
}: {
  readonly rule: RetentionRuleRecord
  readonly isFirst: boolean
  readonly isLast: boolean
  /** Whether another change of rules is under way. */
  readonly isBusy: boolean
  readonly onMove: (step: -1 | 1) => void
  readonly onSwitch: () => void
  readonly onOpen: (kind: 'change' | 'remove') => void
}) {
  const { name } = rule
  return (
    <tr data-off={!rule.active || undefined}>
      <td className={style.moves}>
        <IconButton label={TEXT.retention.up(name)} isDisabled={isFirst || isBusy} onClick={() => onMove(-1)}>
          <ArrowUp size={15} aria-hidden />
        </IconButton>
        <IconButton label={TEXT.retention.down(name)} isDisabled={isLast || isBusy} onClick={() => onMove(1)}>
          <ArrowDown size={15} aria-hidden />
        </IconButton>
      </td>
      <th scope="row" className={listStyle.name}>
        {name}
      </th>
      <LinesCell rule={rule} />
      <td className={frame.number}>{count(rule.days)}</td>
      <td>
        <Switch
          label={rule.active ? TEXT.switchOff(name) : TEXT.switchOn(name)}
          state={rule.active ? TEXT.on : TEXT.off}
          isOn={rule.active}
          isDisabled={isBusy}
          onSwitch={onSwitch}
        />
      </td>
      <td className={listStyle.buttons}>
        <IconButton label={TEXT.change(name)} onClick={() => onOpen('change')}>
          <Pencil size={15} aria-hidden />
        </IconButton>
        <IconButton label={TEXT.removeTitle(name)} onClick={() => onOpen('remove')}>
          <Trash2 size={15} aria-hidden />
        </IconButton>
      </td>
    </tr>
  )
}
