import { ArrowDownWideNarrow, ShieldPlus } from 'lucide-react'
import { useRef, useState } from 'react'
import { IconButton } from '../components/icon-button.tsx'
import { count } from '../numbers.ts'
import { keyText } from '../pipelines/node/bucket-texts.ts'
import frame from '../shell/frame.module.css'
import { ageOf, clockTime, dayAndTime } from '../times/time.ts'
import { areInOrder, type KeptRow, keptRows } from './kept-rows.ts'
import { NumberCell } from './number-cell.tsx'
import type { BucketRecord } from './requests.ts'
import { TEXT } from './texts.ts'
import style from './throttles.module.css'

/** Rows of keys that are held at most, twice those of one answer. */
const MOST_ROWS = 200

/** Rows of keys, which stay where they are until somebody sorts them. */
export interface BucketRows {
  readonly rows: readonly KeptRow<BucketRecord>[]
  /** Whether they are the keys of the newest answer in its order. */
  readonly isSorted: boolean
  readonly sort: () => void
}

/** Keeps the rows of keys in their places while answers come. */
export function useBucketRows(buckets: readonly BucketRecord[] | undefined): BucketRows {
  const kept = useRef<readonly KeptRow<BucketRecord>[]>([])
  const [, setSorted] = useState(0)
  // Another run over the same answer leads to the same rows.
  if (buckets !== undefined) kept.current = keptRows(kept.current, buckets, idOf, MOST_ROWS)
  return {
    rows: kept.current,
    isSorted: buckets === undefined || areInOrder(kept.current, buckets, idOf),
    sort: () => {
      kept.current = []
      setSorted(times => times + 1)
    },
  }
}

function idOf({ bucket, key, key_sha256: hash }: BucketRecord): string {
  return `${bucket} ${key ?? hash}`
}

/** Puts the rows of keys in order again. It keeps its room while it is not needed. */
export function SortButton({ isSorted, sort }: BucketRows) {
  return (
    <button
      type="button"
      className={`button ${style.sort}`}
      data-idle={isSorted}
      disabled={isSorted}
      onClick={sort}
    >
      <ArrowDownWideNarrow size={14} aria-hidden />
      {TEXT.sort}
    </button>
  )
}

/** Keys of a throttle with their events in the window. */
export function BucketTable({
  rows,
  threshold,
  zone,
  onPasses,
  onExempt,
}: {
  readonly rows: BucketRows['rows']
  readonly threshold: number
  readonly zone: string
  readonly onPasses: (bucket: BucketRecord) => void
  /** Undefined where the caller cannot exempt keys. */
  readonly onExempt: ((key: string | null) => void) | undefined
}) {
  return (
    <table className={style.buckets}>
      <thead>
        <tr>
          <th scope="col">{TEXT.key}</th>
          <th scope="col" className={frame.number}>
            {TEXT.passed}
          </th>
          {[TEXT.oldest, TEXT.newest, TEXT.free, TEXT.exemptUntil].map(each => (
            <th key={each} scope="col">
              {each}
            </th>
          ))}
          {onExempt !== undefined && <td />}
        </tr>
      </thead>
      <tbody>
        {rows.map(row => (
          <BucketRow
            key={row.id}
            row={row}
            threshold={threshold}
            zone={zone}
            onPasses={() => onPasses(row.value)}
            onExempt={onExempt && (() => onExempt(row.value.key))}
          />
        ))}
      </tbody>
    </table>
  )
}

function BucketRow({
  row: { value: bucket, isGone },
  threshold,
  zone,
  onPasses,
  onExempt,
}: {
  readonly row: KeptRow<BucketRecord>
  readonly threshold: number
  readonly zone: string
  readonly onPasses: () => void
  readonly onExempt: (() => void) | undefined
}) {
  const { passed, oldest_at: oldest, newest_at: newest, free_from: free, exempt_until: exempt } = bucket
  const name = keyText(bucket)
  const time = (at: string | null) => (at === null || isGone ? TEXT.unknown : clockTime(Date.parse(at), zone))
  // Keys that are too long to be kept, and all further ones together, cannot be named.
  const isNamed = bucket.bucket === 'default' || bucket.key !== null
  return (
    <tr data-gone={isGone || undefined} title={isGone ? TEXT.gone : undefined}>
      <th scope="row" className={style.title}>
        {isNamed ? (
          <button type="button" className="link" onClick={onPasses}>
            {name}
          </button>
        ) : (
          name
        )}
      </th>
      <NumberCell text={isGone ? TEXT.unknown : `${count(passed)} / ${count(threshold)}`} />
      <td className={style.time}>{time(oldest)}</td>
      <td className={style.time}>{time(newest)}</td>
      <td className={style.time}>{free === null && !isGone ? TEXT.now : time(free)}</td>
      <td className={style.time} title={exempt === null ? undefined : dayAndTime(Date.parse(exempt), zone)}>
        {exempt === null ? TEXT.unknown : ageOf(Date.parse(exempt), Date.now())}
      </td>
      {onExempt !== undefined && (
        <td className={style.buttons}>
          {isNamed && (
            <IconButton label={TEXT.exemptKey(name)} onClick={onExempt}>
              <ShieldPlus size={15} aria-hidden />
            </IconButton>
          )}
        </td>
      )}
    </tr>
  )
}
