import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { IconButton } from '../components/icon-button.tsx'
import { QuestionDialog } from '../components/question-dialog.tsx'
import { Refusal } from '../components/refusal.tsx'
import { Switch } from '../components/switch.tsx'
import listStyle from '../shell/list.module.css'
import { ListSection } from '../shell/list-section.tsx'
import { ExclusionDialog } from './exclusion-dialog.tsx'
import { LinesCell } from './lines-cell.tsx'
import { changeRule, type ExclusionList, type ExclusionRecord, readRules, removeRule } from './requests.ts'
import { TEXT } from './texts.ts'

type OpenDialog = 'new' | { readonly kind: 'change' | 'remove'; readonly rule: ExclusionRecord }

/** Rules that leave lines out of the store, or out of the stream. */
export function ExclusionsTab({ list: name }: { readonly list: ExclusionList }) {
  const queries = useQueryClient()
  const [open, setOpen] = useState<OpenDialog>()
  const list = useQuery({ queryKey: ['rules', name], queryFn: ({ signal }) => readRules(name, signal) })
  const refresh = () => queries.invalidateQueries({ queryKey: ['rules', name] })
  const switching = useMutation({
    mutationFn: ({ id, active }: ExclusionRecord) => changeRule(name, id, { active: !active }),
    onSettled: refresh,
  })
  const close = () => setOpen(undefined)
  const text = TEXT[name]
  const isStored = name === 'exclusions'
  return (
    <>
      <ListSection
        label={TEXT.tabs[name]}
        why={text.why}
        create={text.new}
        onCreate={() => setOpen('new')}
        list={list}
        none={text.none}
        noneWhy={text.noneWhy}
        refusal={<Refusal error={switching.error} />}
      >
        <table>
          <thead>
            <tr>
              {[TEXT.name, TEXT.lines, ...(isStored ? [TEXT.exclusions.effect] : []), TEXT.state].map(
                each => (
                  <th key={each} scope="col">
                    {each}
                  </th>
                ),
              )}
              <td />
            </tr>
          </thead>
          <tbody>
            {list.data?.map(rule => {
              const title = titleOf(rule)
              return (
                <tr key={rule.id} data-off={!rule.active || undefined}>
                  <th scope="row" className={listStyle.name}>
                    {title}
                  </th>
                  <LinesCell rule={rule} />
                  {isStored && <td>{rule.indexonly ? TEXT.exclusions.indexonly : TEXT.exclusions.all}</td>}
                  <td>
                    <Switch
                      label={rule.active ? TEXT.switchOff(title) : TEXT.switchOn(title)}
                      state={rule.active ? TEXT.on : TEXT.off}
                      isOn={rule.active}
                      isDisabled={switching.isPending}
                      onSwitch={() => switching.mutate(rule)}
                    />
                  </td>
                  <td className={listStyle.buttons}>
                    <IconButton label={TEXT.change(title)} onClick={() => setOpen({ kind: 'change', rule })}>
                      <Pencil size={15} aria-hidden />
                    </IconButton>
                    <IconButton
                      label={TEXT.removeTitle(title)}
                      onClick={() => setOpen({ kind: 'remove', rule })}
                    >
                      <Trash2 size={15} aria-hidden />
                    </IconButton>
                  </td>
                </tr>
              )
            })}
          </tbody>
        </table>
      </ListSection>
      {open === 'new' && <ExclusionDialog list={name} onDone={refresh} onClose={close} />}
      {typeof open === 'object' && open.kind === 'change' && (
        <ExclusionDialog list={name} present={open.rule} onDone={refresh} onClose={close} />
      )}
      {typeof open === 'object' && open.kind === 'remove' && (
        <QuestionDialog
          title={TEXT.removeTitle(titleOf(open.rule))}
          confirm={TEXT.removeConfirm}
          act={() => removeRule(name, open.rule.id)}
          onDone={refresh}
          onClose={close}
        >
          <p>{TEXT.removeWhy}</p>
        </QuestionDialog>
      )}
    </>
  )
}

function titleOf({ title }: ExclusionRecord): string {
  return title === '' ? TEXT.unnamed : title
}
