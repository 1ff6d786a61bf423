import { useQuery } from '@tanstack/react-query'
import { Dialog } from '../components/dialog.tsx'
import { count } from '../numbers.ts'
import { keyText } from '../pipelines/node/bucket-texts.ts'
import { Loading, ProblemBox } from '../shell/states.tsx'
import { clockTime } from '../times/time.ts'
import { passBars } from './pass-bars.ts'
import { type BucketRecord, type BucketTotals, readBucket, type Throttle } from './requests.ts'
import { TEXT } from './texts.ts'
import style from './throttles.module.css'

const POLL_MS = 5_000

/** The events of one key that passed in the window: a chart, and the times. */
export function PassesDialog({
  throttle,
  bucket,
  totals: { threshold, window_ms: windowMs },
  zone,
  onClose,
}: {
  readonly throttle: Throttle
  readonly bucket: BucketRecord
  readonly totals: BucketTotals
  readonly zone: string
  readonly onClose: () => void
}) {
  const { data, error, isFetching, dataUpdatedAt, refetch } = useQuery({
    queryKey: ['buckets', throttle.pipelineId, throttle.nodeId, bucket.key],
    queryFn: ({ signal }) => readBucket(throttle, bucket.key, signal),
    refetchInterval: POLL_MS,
  })
  return (
    <Dialog title={TEXT.passesOf(keyText(bucket))} onClose={onClose}>
      <Loading isLoading={isFetching && data === undefined} />
      {error !== null && <ProblemBox error={error} onRetry={() => void refetch()} />}
      {data !== undefined && (
        <>
          <p>
            {TEXT.passesText(count(data.passed), count(threshold))}
            {data.free_from !== null && ` ${TEXT.free} ${clockTime(Date.parse(data.free_from), zone)}.`}
          </p>
          <Bars
            passes={data.passes.map(({ at, count: events }) => ({ atMs: Date.parse(at), events }))}
            toMs={dataUpdatedAt}
            windowMs={windowMs}
          />
          <p className={style.ends} aria-hidden>
            <span>{clockTime(dataUpdatedAt - windowMs, zone)}</span>
            <span>{clockTime(dataUpdatedAt, zone)}</span>
          </p>
          {data.passes.length < data.runs && (
            <p className={style.note}>{TEXT.shownTimes(count(data.passes.length), count(data.runs))}</p>
          )}
          <section
            className={style.passes}
            aria-label={TEXT.passes}
            // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys scroll what has the focus
            tabIndex={0}
          >
            <table>
              <thead>
                <tr>
                  <th scope="col">{TEXT.time}</th>
                  <th scope="col" className={style.number}>
                    {TEXT.count}
                  </th>
                </tr>
              </thead>
              <tbody>
                {data.passes.toReversed().map(({ at, count: events }) => (
                  <tr key={at}>
                    <td>{clockTime(Date.parse(at), zone)}</td>
                    <td className={style.number}>{count(events)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </section>
        </>
      )}
    </Dialog>
  )
}

function Bars(given: Parameters<typeof passBars>[0]) {
  const bars = passBars(given)
  const most = Math.max(...bars, 1)
  return (
    <svg
      className={style.bars}
      viewBox={`0 0 ${bars.length} 1`}
      preserveAspectRatio="none"
      role="img"
      aria-label={TEXT.passes}
    >
      {bars.map((events, at) => (
        <rect
          // biome-ignore lint/suspicious/noArrayIndexKey: bars are known by their place in the window
          key={at}
          x={at + 0.1}
          y={1 - events / most}
          width={0.8}
          height={events / most}
        />
      ))}
    </svg>
  )
}
