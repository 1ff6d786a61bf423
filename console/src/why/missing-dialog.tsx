import { type FormEvent, useId, useState } from 'react'
import { shownValue, type Value } from '../api/records.ts'
import { Dialog } from '../components/dialog.tsx'
import { oneRow } from '../lines/visible-text.ts'
import { count } from '../numbers.ts'
import { Empty, Loading, ProblemBox } from '../shell/states.tsx'
import { TEXT } from '../texts.ts'
import { clockTime, dayAndTime, endOfRange, instantOf } from '../times/time.ts'
import { isStored, type Sought, useSought, type Wanted } from './sought-lines.ts'
import { timeOf } from './sought-pieces.ts'
import { Way } from './way.tsx'
import style from './why.module.css'

interface MissingDialogProps {
  readonly query: string
  readonly from: string
  readonly to: string
  readonly zone: string
  readonly onClose: () => void
}

/** Dialog about a missing line: lines are looked for in the log as they were sent, and each shows the rule that ended it. */
export function MissingDialog({ onClose, ...search }: MissingDialogProps) {
  const { sought, seek, seekAgain, seekFurther, cancel } = useSought()
  return (
    <Dialog title={TEXT.whyMissing} isWide onClose={onClose}>
      <p className="soft">{TEXT.whyMissingHow}</p>
      <SoughtForm {...search} isRunning={sought.isRunning} onSeek={seek} />
      <SoughtLines
        sought={sought}
        zone={search.zone}
        onRetry={seekAgain}
        onFurther={seekFurther}
        onCancel={cancel}
      />
    </Dialog>
  )
}

interface SoughtFormProps extends Omit<MissingDialogProps, 'onClose'> {
  readonly isRunning: boolean
  readonly onSeek: (wanted: Wanted) => void
}

/** Asks for the lines of a request, or those of a query and a range. */
function SoughtForm({ query, from, to, zone, isRunning, onSeek }: SoughtFormProps) {
  const id = useId()
  const [trouble, setTrouble] = useState('')
  const shownEnd = (text: string) => (/^\d+$/.test(text) ? dayAndTime(Number(text), zone) : text)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const wanted = wantedIn(new FormData(event.currentTarget), zone)
    setTrouble(typeof wanted === 'string' ? wanted : '')
    if (typeof wanted !== 'string') onSeek(wanted)
  }
  return (
    <form className={style.form} onSubmit={submit}>
      <label htmlFor={`${id}-query`} className={style.whole}>
        {TEXT.soughtQuery}
        <input id={`${id}-query`} className="field" name="query" defaultValue={query} autoComplete="off" />
      </label>
      <label htmlFor={`${id}-from`}>
        {TEXT.from}
        <input
          id={`${id}-from`}
          className="field"
          name="from"
          defaultValue={shownEnd(from)}
          autoComplete="off"
        />
      </label>
      <label htmlFor={`${id}-to`}>
        {TEXT.to}
        <input id={`${id}-to`} className="field" name="to" defaultValue={shownEnd(to)} autoComplete="off" />
      </label>
      <label htmlFor={`${id}-batch`}>
        {TEXT.orBatch}
        <input id={`${id}-batch`} className="field" name="batch" autoComplete="off" />
      </label>
      <button type="submit" className="primary" disabled={isRunning}>
        {TEXT.lookInLog}
      </button>
      <p className={trouble === '' ? 'soft' : style.error} role={trouble === '' ? undefined : 'alert'}>
        {trouble === '' ? TEXT.rangeHint(zone) : trouble}
      </p>
    </form>
  )
}

/** Reads the form. @returns the sentence about a range that is not valid */
function wantedIn(given: FormData, zone: string): Wanted | string {
  const text = (name: string) => String(given.get(name) ?? '').trim()
  if (text('batch') !== '') return { batch: text('batch') }
  const nowMs = Date.now()
  const [fromMs, toMs] = ['from', 'to'].map(name => {
    const end = endOfRange(text(name), zone)
    return end === undefined ? undefined : instantOf(end, nowMs)
  })
  if (fromMs === undefined || toMs === undefined) return TEXT.timeWrong
  return fromMs < toMs ? { query: text('query'), fromMs, toMs } : TEXT.rangeWrong
}

function SoughtLines({
  sought,
  zone,
  onRetry,
  onFurther,
  onCancel,
}: {
  readonly sought: Sought
  readonly zone: string
  readonly onRetry: () => void
  /** Looks through the time before the lines that were found. */
  readonly onFurther: () => void
  readonly onCancel: () => void
}) {
  const { missing, stored, lines, isIncomplete, isRunning, restToMs, error, progress, isDone } = sought
  const storedLines = lines - missing.length
  return (
    <div className={style.results} aria-busy={isRunning}>
      <Loading
        isLoading={isRunning}
        note={
          progress === undefined
            ? TEXT.replaying
            : TEXT.replayedTo(count(progress.records), clockTime(Date.parse(progress.handled_at), zone))
        }
        onCancel={onCancel}
      />
      {error !== null && <ProblemBox error={error} onRetry={onRetry} />}
      {isDone && lines === 0 && (
        <Empty title={TEXT.neverCame}>
          <p>{TEXT.neverCameWhy}</p>
        </Empty>
      )}
      {isDone && lines > 0 && (
        <p role="status">
          {missing.length === 0
            ? TEXT.noneMissing
            : TEXT.soughtFound(count(missing.length), count(storedLines))}
          {storedLines > stored.length && ` ${TEXT.soughtStored(count(stored.length))}`}
          {isIncomplete && ` ${TEXT.soughtPassedOver}`}
        </p>
      )}
      <ul className={style.found}>
        {/* Missing lines come first: they are what one looks for. */}
        {[...missing, ...stored].map(each => (
          <li key={each.line.place}>
            <details>
              <summary>
                <time dateTime={each.line.handled_at} title={TEXT.logTime}>
                  {dayAndTime(timeOf(each), zone)}
                </time>
                <span className={style.fate} data-stored={isStored(each)}>
                  {isStored(each) ? TEXT.isStored : TEXT.isNotStored}
                </span>
                <code>{oneRow(textOf(each.message))}</code>
              </summary>
              <Way explanation={each} zone={zone} />
            </details>
          </li>
        ))}
      </ul>
      {restToMs !== undefined && (
        <p className={style.rest}>
          {TEXT.soughtEnough(count(missing.length), dayAndTime(restToMs, zone))}
          <button type="button" className="button" onClick={onFurther}>
            {TEXT.lookFurther}
          </button>
        </p>
      )}
    </div>
  )
}

/** Text of a line, as it was sent. */
function textOf(message: Value): string {
  const line = typeof message === 'object' && message !== null && 'line' in message ? message.line : undefined
  return shownValue(line ?? message)
}
