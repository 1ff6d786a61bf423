import { lazy, Suspense } from 'react'
import { type Selection, searchAddress } from '../api/searches.ts'
import { LineList, type LineListProps } from '../lines/line-list.tsx'
import { Empty, Loading, ProblemBox } from '../shell/states.tsx'
import { TEXT } from '../texts.ts'
import { dayAndTime, offsetAt } from '../times/time.ts'
import type { FoundLines } from './found-lines.ts'
import { NewerLines } from './newer-lines.tsx'
import style from './search.module.css'
import type { AddressChange, SearchAddress } from './search-address.ts'

/** Searches that find lines do not need it. */
const PartsAlone = lazy(() => import('./parts-alone.tsx'))

interface ResultsProps {
  readonly found: FoundLines
  readonly selection: Selection
  readonly address: SearchAddress
  readonly list: Omit<LineListProps, 'rows' | 'onEnd' | 'onReleased' | 'following'>
  /** Lets the list begin with its first line again. */
  readonly onStart: () => void
  readonly onMore: () => void
  /** Reads the line of a row again, which was released. */
  readonly onReleased: (row: number) => void
  readonly onCancel: () => void
  readonly onRepeat: () => void
  readonly onSearch: (change: AddressChange) => void
  readonly onMissing: (() => void) | undefined
}

/** The found lines, with the states of the search. */
export function Results(props: ResultsProps) {
  const { found, selection, address, list, onMore, onReleased, onCancel, onRepeat, onSearch, onMissing } =
    props
  const { lines, isLoading, isStale, error, coveredToMs } = found
  const searched = coveredToMs === undefined ? undefined : TEXT.searched(dayAndTime(coveredToMs, list.zone))
  const isEmpty = lines.length === 0 && !isLoading && error === null
  const { atMs, order } = address
  const followsNow =
    address.to === 'now' && order === 'newest' && atMs === null && error === null && !isLoading
  return (
    <div className={style.results} aria-busy={isLoading} data-stale={isStale}>
      <Loading isLoading={isLoading} note={searched} onCancel={onCancel} />
      {followsNow && <NewerLines selection={selection} zone={list.zone} onShow={() => onSearch({})} />}
      {atMs !== null && (
        <p className={style.at}>
          <span>{TEXT.listBegins(dayAndTime(atMs, list.zone), order)}</span>
          <button type="button" className="link" onClick={props.onStart}>
            {TEXT.listStart[order]}
          </button>
        </p>
      )}
      {error !== null && <ProblemBox error={error} onRetry={onRepeat} />}
      {isEmpty && (
        <Empty
          title={TEXT.nothingFound}
          action={
            <span className={style.ways}>
              <button
                type="button"
                className="button"
                onClick={() => onSearch({ from: '30d', to: undefined })}
              >
                {TEXT.widen}
              </button>
              {onMissing !== undefined && (
                <button type="button" className="button" onClick={onMissing}>
                  {TEXT.whyMissing}
                </button>
              )}
            </span>
          }
        >
          <p>{TEXT.nothingFoundWhy}</p>
          <Suspense>
            <PartsAlone selection={selection} onSearch={onSearch} />
          </Suspense>
        </Empty>
      )}
      {lines.length > 0 && (
        <LineList
          key={searchAddress(selection, address.order)}
          {...list}
          rows={lines}
          onEnd={onMore}
          onReleased={onReleased}
        />
      )}
      <Foot found={found} zone={list.zone} nowMs={selection.toMs} />
    </div>
  )
}

function Foot({
  found,
  zone,
  nowMs,
}: {
  readonly found: FoundLines
  readonly zone: string
  readonly nowMs: number
}) {
  const { lines, next, isLoading, access } = found
  const rest = next === null ? TEXT.allLoaded : TEXT.moreWhenScrolled
  return (
    <p className={style.foot}>
      <span>
        {TEXT.linesLoaded(lines.length.toLocaleString('en'))}
        {!isLoading && lines.length > 0 && `. ${rest}`}
      </span>
      <span className={style.access}>
        {access === undefined ? '' : TEXT.access[access as keyof typeof TEXT.access]}
      </span>
      <span>
        {zone} {offsetAt(nowMs, zone)}
      </span>
    </p>
  )
}
