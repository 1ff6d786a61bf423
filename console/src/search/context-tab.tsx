import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { type LineText, membersOf, shownValue } from '../api/records.ts'
import { context } from '../api/searches.ts'
import { Check } from '../components/check.tsx'
import { useTermMarks } from '../lines/term-marks.ts'
import { oneRow } from '../lines/visible-text.ts'
import { Loading, ProblemBox } from '../shell/states.tsx'
import { TEXT } from '../texts.ts'
import { clockTime } from '../times/time.ts'
import style from './details.module.css'

const STEP = 50
/** The server answers at most this many in each direction. */
const MOST = 1_000

interface ContextTabProps {
  readonly line: LineText
  readonly zone: string
  /** Words of the query, which are marked. */
  readonly words: readonly string[]
  readonly onLine: (id: string) => void
}

/** Scrolls the line that was asked for into view when it is first drawn. */
function inTheMiddle(row: HTMLElement | null): void {
  row?.scrollIntoView({ block: 'center' })
}

/** Lines before and after a line, of the same host and app unless these are released. */
export function ContextTab({ line, zone, words, onLine }: ContextTabProps) {
  const [before, setBefore] = useState(STEP)
  const [after, setAfter] = useState(STEP)
  const [isSameHost, setSameHost] = useState(true)
  const [isSameApp, setSameApp] = useState(true)
  const { _host, _app } = membersOf(line)
  const wish = {
    lineId: line.id,
    before,
    after,
    host: isSameHost ? shownValue(_host) : undefined,
    app: isSameApp ? shownValue(_app) : undefined,
  }
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['context', wish],
    queryFn: ({ signal }) => context(wish, signal),
    placeholderData: keepPreviousData,
  })
  const list = useRef<HTMLOListElement>(null)
  useTermMarks(list, words, data)
  const row = (each: LineText) => (
    <li key={each.id} ref={each.id === line.id ? inTheMiddle : undefined} aria-current={each.id === line.id}>
      <button type="button" onClick={() => onLine(each.id)}>
        <span>{clockTime(each.timeMs, zone)}</span>{' '}
        <span data-text>{oneRow(shownValue(membersOf(each)._line))}</span>
      </button>
    </li>
  )
  return (
    <div className={style.context}>
      <Loading isLoading={isFetching} />
      <div className={style.releases}>
        <Check label={TEXT.sameHost} isChecked={isSameHost} onChange={setSameHost} />
        <Check label={TEXT.sameApp} isChecked={isSameApp} onChange={setSameApp} />
      </div>
      {error !== null && <ProblemBox error={error} onRetry={() => void refetch()} />}
      {data !== undefined && (
        <>
          {data.moreBefore && before < MOST && (
            <button type="button" className="quiet" onClick={() => setBefore(before + STEP)}>
              {TEXT.moreBefore}
            </button>
          )}
          <ol ref={list}>
            {data.before.map(row)}
            {row(data.line)}
            {data.after.map(row)}
          </ol>
          {data.moreAfter && after < MOST && (
            <button type="button" className="quiet" onClick={() => setAfter(after + STEP)}>
              {TEXT.moreAfter}
            </button>
          )}
        </>
      )}
    </div>
  )
}
