import { useQuery } from '@tanstack/react-query'
import { RotateCw, ShieldPlus } from 'lucide-react'
import { type CSSProperties, useRef, useState } from 'react'
import { Link } from 'wouter'
import { count } from '../numbers.ts'
import { spanOf } from '../pipelines/node/bucket-texts.ts'
import { readBuckets } from '../pipelines/requests.ts'
import frame from '../shell/frame.module.css'
import { Empty, Loading, ProblemBox } from '../shell/states.tsx'
import { clockTime } from '../times/time.ts'
import { BucketTable, SortButton, useBucketRows } from './bucket-table.tsx'
import { ExemptDialog } from './exempt-dialog.tsx'
import { Exemptions } from './exemptions.tsx'
import { PassesDialog } from './passes-dialog.tsx'
import type { BucketRecord, BucketTotals, Throttle } from './requests.ts'
import { TEXT } from './texts.ts'
import style from './throttles.module.css'

const POLL_MS = 5_000
/** A read that takes longer is not repeated by itself. */
const SLOW_MS = 2_000
const MOST = 100
/** Rows of keys in sight, before the list is scrolled. */
const LEAST_ROWS = 5
const MOST_SHOWN_ROWS = 10

/** A dialog about a key; `null` is the key of events without one. */
type OpenDialog =
  | { readonly kind: 'passes'; readonly bucket: BucketRecord }
  | { readonly kind: 'exempt'; readonly key: string | null | undefined }

/** Keys and exemptions of one throttle. */
export function ThrottleDetails({
  throttle,
  zone,
  canWrite,
}: {
  readonly throttle: Throttle
  readonly zone: string
  readonly canWrite: boolean
}) {
  const { pipelineId, nodeId, name, title } = throttle
  const [open, setOpen] = useState<OpenDialog>()
  const isSlow = useRef(false)
  const { data, error, isFetching, dataUpdatedAt, refetch } = useQuery({
    queryKey: ['buckets', pipelineId, nodeId],
    queryFn: async ({ signal }) => {
      const start = performance.now()
      const buckets = await readBuckets(pipelineId, nodeId, signal)
      isSlow.current = performance.now() - start > SLOW_MS
      return buckets
    },
    refetchInterval: () => (isSlow.current ? false : POLL_MS),
  })
  const totals = data?.meta.totals
  const kept = useBucketRows(data?.data)
  const shownRows = useShownRows(data?.data.length)
  return (
    <section className={style.details} aria-label={title}>
      <div className={style.head}>
        <h2>{title}</h2>
        {canWrite && (
          <button
            type="button"
            className="button"
            onClick={() => setOpen({ kind: 'exempt', key: undefined })}
          >
            <ShieldPlus size={14} aria-hidden />
            {TEXT.exempt}
          </button>
        )}
        <Link
          className="button"
          href={`/pipelines/${pipelineId}?node=${encodeURIComponent(name)}`}
          title={TEXT.changeHow}
        >
          {TEXT.change}
        </Link>
      </div>
      {totals !== undefined && (
        <>
          <p className="soft">{TEXT.droppedSum}</p>
          <p className={style.totals}>{totalsText(totals)}</p>
        </>
      )}
      {error !== null && <ProblemBox error={error} onRetry={() => void refetch()} />}
      <div
        className={`${frame.card} ${style.keys}`}
        style={{ '--rows': shownRows } as CSSProperties}
        aria-busy={isFetching}
        hidden={error !== null && data === undefined}
      >
        <Loading isLoading={isFetching && (data === undefined || isSlow.current)} />
        {kept.rows.length === 0 && data !== undefined && (
          <Empty title={TEXT.noKeys}>
            <p>{TEXT.noKeysWhy}</p>
          </Empty>
        )}
        {totals !== undefined && kept.rows.length > 0 && (
          <BucketTable
            rows={kept.rows}
            threshold={totals.threshold}
            zone={zone}
            onPasses={bucket => setOpen({ kind: 'passes', bucket })}
            onExempt={canWrite ? key => setOpen({ kind: 'exempt', key }) : undefined}
          />
        )}
      </div>
      <div className={style.foot}>
        <p className={`${style.note} ${style.notes}`}>
          {[
            data?.data.length === MOST ? TEXT.busiest(count(MOST)) : '',
            isSlow.current ? `${TEXT.byHand} ${TEXT.asOf(clockTime(dataUpdatedAt, zone))}` : '',
          ].join(' ')}
        </p>
        {isSlow.current && (
          <button type="button" className="button" disabled={isFetching} onClick={() => void refetch()}>
            <RotateCw size={14} aria-hidden />
            {TEXT.refresh}
          </button>
        )}
        <SortButton {...kept} />
      </div>
      <Exemptions throttle={throttle} zone={zone} canWrite={canWrite} />
      {open?.kind === 'passes' && totals !== undefined && (
        <PassesDialog
          throttle={throttle}
          bucket={open.bucket}
          totals={totals}
          zone={zone}
          onClose={() => setOpen(undefined)}
        />
      )}
      {open?.kind === 'exempt' && (
        <ExemptDialog throttle={throttle} present={open.key} zone={zone} onClose={() => setOpen(undefined)} />
      )}
    </section>
  )
}

/** The sums of a throttle as one text, whose start stays while numbers grow. */
function totalsText({
  buckets,
  threshold,
  window_ms: windowMs,
  joined_passes: joined,
}: BucketTotals): string {
  const text = TEXT.totals(count(buckets), count(threshold), spanOf(windowMs))
  return joined > 0 ? `${text} ${TEXT.joined(count(joined))}` : text
}

/** Rows that the list has room for. It is fixed with the first answer, so that nothing below moves with the keys. */
function useShownRows(keys: number | undefined): number {
  const first = useRef<number>(undefined)
  if (first.current === undefined && keys !== undefined)
    first.current = Math.max(LEAST_ROWS, Math.min(keys + 1, MOST_SHOWN_ROWS))
  return first.current ?? LEAST_ROWS
}
