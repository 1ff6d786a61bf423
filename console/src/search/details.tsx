import { useQuery } from '@tanstack/react-query'
import { ChevronDown, ChevronUp, Columns3, Minus, Plus, X } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { Problem } from '../api/problem.ts'
import { type LineText, membersOf, shownJson, shownValue } from '../api/records.ts'
import { oneLine } from '../api/searches.ts'
import { CopyButton } from '../components/copy-button.tsx'
import { IconButton } from '../components/icon-button.tsx'
import { Tabs } from '../components/tabs.tsx'
import { fieldOf, flattened, OWN_MEMBER } from '../lines/record-fields.ts'
import { visibleText } from '../lines/visible-text.ts'
import { count } from '../numbers.ts'
import { Loading, ProblemBox } from '../shell/states.tsx'
import { TEXT } from '../texts.ts'
import { ageOf, rfc3339 } from '../times/time.ts'
import { WhyTab } from '../why/why-tab.tsx'
import { ContextTab } from './context-tab.tsx'
import style from './details.module.css'
import { useFieldKeys } from './field-keys.ts'
import { LongText } from './long-text.tsx'
import { TABS, type Tab } from './search-address.ts'

/** Fields that are shown at first, and further ones for each press of a button. */
const FIRST_FIELDS = 100
const FIELDS_STEP = 2_000
/** A longer value is cut among the fields; JSON and the raw line have all of it. */
const LINE_CHARACTERS = 2_000

interface DetailsProps {
  readonly id: string
  /** The line, if it is among those of the list. */
  readonly line: LineText | undefined
  readonly tab: Tab
  readonly zone: string
  readonly columns: readonly string[]
  /** Words of the query, which are marked in the context. */
  readonly words: readonly string[]
  /** Whether the caller may ask for the line's way through the pipelines. */
  readonly mayAskWhy: boolean
  readonly onTab: (tab: Tab) => void
  readonly onLine: (id: string) => void
  readonly onStep: (rows: number) => void
  readonly onTerm: (field: string, value: string, isLeftOut: boolean) => void
  readonly onColumns: (columns: readonly string[]) => void
  readonly onClose: () => void
}

/** One line: its fields, its JSON text, the line as sent, its neighbours, and its way through the pipelines. */
export function Details(props: DetailsProps) {
  const { id, line: held, zone, onStep, onClose } = props
  const panel = useRef<HTMLElement>(null)
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['line', id],
    queryFn: ({ signal }) => oneLine(id, signal),
    enabled: held === undefined,
  })
  const line = held ?? data
  useEffect(() => panel.current?.focus(), [])
  const isGone = error instanceof Problem && error.status === 404
  return (
    <section
      ref={panel}
      className={style.details}
      aria-label={TEXT.details}
      tabIndex={-1}
      onKeyDown={event => {
        if (event.key === 'Escape') onClose()
      }}
    >
      <Loading isLoading={isFetching} />
      <div className={style.head}>
        <h2>{line === undefined ? id : rfc3339(line.timeMs, zone)}</h2>
        {line !== undefined && <span className="soft">{ageOf(line.timeMs, Date.now())}</span>}
        <span className={style.buttons}>
          <IconButton label={TEXT.previous} onClick={() => onStep(-1)}>
            <ChevronUp size={16} aria-hidden />
          </IconButton>
          <IconButton label={TEXT.next} onClick={() => onStep(1)}>
            <ChevronDown size={16} aria-hidden />
          </IconButton>
          <IconButton label={TEXT.close} onClick={onClose}>
            <X size={16} aria-hidden />
          </IconButton>
        </span>
      </div>
      {isGone && <p className={style.gone}>{TEXT.lineGone}</p>}
      {error !== null && !isGone && <ProblemBox error={error} onRetry={() => void refetch()} />}
      {line !== undefined && <LineTabs {...props} line={line} />}
    </section>
  )
}

function LineTabs(props: DetailsProps & { readonly line: LineText }) {
  const { id, line, zone, columns, words, mayAskWhy, onTab, onLine, onTerm, onColumns } = props
  const tabs: readonly Tab[] = mayAskWhy ? TABS : TABS.filter(each => each !== 'why')
  const tab = tabs.includes(props.tab) ? props.tab : 'fields'
  return (
    <>
      <Tabs
        label={TEXT.details}
        names={tabs}
        present={tab}
        nameOf={each => TEXT.tabs[each]}
        onChoose={onTab}
      />
      <div className={style.content} role="tabpanel" aria-label={TEXT.tabs[tab]}>
        {tab === 'fields' && (
          <FieldsTab line={line} columns={columns} onTerm={onTerm} onColumns={onColumns} />
        )}
        {tab === 'json' && <TextTab text={shownJson(membersOf(line))} />}
        {tab === 'raw' && <TextTab text={shownValue(membersOf(line)._line)} />}
        {tab === 'context' && <ContextTab line={line} zone={zone} words={words} onLine={onLine} />}
        {tab === 'why' && <WhyTab lineId={id} zone={zone} />}
      </div>
    </>
  )
}

function FieldsTab({
  line,
  columns,
  onTerm,
  onColumns,
}: { readonly line: LineText } & Pick<DetailsProps, 'columns' | 'onTerm' | 'onColumns'>) {
  const [filter, setFilter] = useState('')
  const [most, setMost] = useState(FIRST_FIELDS)
  const fieldKeys = useFieldKeys()
  const all = flattened(membersOf(line)).filter(([name]) => name !== '_line')
  const rows = [
    ...all.filter(([name]) => !OWN_MEMBER.test(name)),
    ...all.filter(([name]) => OWN_MEMBER.test(name)),
  ]
  const shown = rows.filter(([name]) => name.toLowerCase().includes(filter.toLowerCase()))
  return (
    <>
      <LongText
        key={line.id}
        className={style.line}
        text={shownValue(membersOf(line)._line)}
        first={LINE_CHARACTERS}
      />
      <input
        className="field"
        type="search"
        aria-label={TEXT.fieldFilter}
        placeholder={TEXT.fieldFilter}
        value={filter}
        onChange={({ target }) => setFilter(target.value)}
      />
      <dl className={style.fields}>
        {shown.slice(0, most).map(([name, value]) => {
          const field = fieldOf(name)
          const whole = shownValue(value)
          const text = whole.length > LINE_CHARACTERS ? `${whole.slice(0, LINE_CHARACTERS)}\u2026` : whole
          return (
            // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the buttons within
            <div
              key={name}
              onKeyDown={
                OWN_MEMBER.test(name) ? undefined : fieldKeys(isLeftOut => onTerm(field, whole, isLeftOut))
              }
            >
              <dt>{visibleText(field)}</dt>
              <dd>
                <span className={style.value}>{visibleText(text)}</span>
                <span className={style.actions}>
                  {!OWN_MEMBER.test(name) && (
                    <>
                      <IconButton
                        label={`${TEXT.addToQuery}: ${field}`}
                        onClick={() => onTerm(field, whole, false)}
                      >
                        <Plus size={14} aria-hidden />
                      </IconButton>
                      <IconButton
                        label={`${TEXT.leaveOut}: ${field}`}
                        onClick={() => onTerm(field, whole, true)}
                      >
                        <Minus size={14} aria-hidden />
                      </IconButton>
                      {!columns.includes(field) && (
                        <IconButton
                          label={TEXT.addColumn(field)}
                          onClick={() => onColumns([...columns, field])}
                        >
                          <Columns3 size={14} aria-hidden />
                        </IconButton>
                      )}
                    </>
                  )}
                  <CopyButton text={whole} label={`${TEXT.copy}: ${field}`} />
                </span>
              </dd>
            </div>
          )
        })}
      </dl>
      {shown.length > most && (
        <button type="button" className="button" onClick={() => setMost(most + FIELDS_STEP)}>
          {TEXT.furtherFields(count(shown.length - most))}
        </button>
      )}
    </>
  )
}

function TextTab({ text }: { readonly text: string }) {
  return (
    <>
      <div className={style.copy}>
        <CopyButton text={text} label={TEXT.copy} />
      </div>
      <LongText key={text} className={style.text} text={text} />
    </>
  )
}
