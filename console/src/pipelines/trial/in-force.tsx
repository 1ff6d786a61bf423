import { useSearchParams } from 'wouter'
import { useZone } from '../../shell/preferences.ts'
import { dayAndTime, MINUTE_MS } from '../../times/time.ts'
import type { PreviewRecord } from '../requests.ts'
import { TEXT } from '../texts.ts'
import style from './trial.module.css'

/** The previewed time, and the revisions with which it compares the draft. */
export function InForce({
  record,
  onNarrow,
}: {
  readonly record: PreviewRecord
  /** Begins a preview of so many last minutes, in all of which the pipeline ran; absent where none can begin. */
  readonly onNarrow?: ((minutes: number) => void) | undefined
}) {
  const [parameters] = useSearchParams()
  const zone = useZone(parameters.get('tz'))
  const timeOf = (time: string | number) => dayAndTime(new Date(time).getTime(), zone)
  const { from, to, result } = record
  const revisions = result?.in_force ?? []
  const startMs = comparedFromMs(record)
  const minutes = startMs === undefined ? 0 : Math.floor((Date.now() - startMs) / MINUTE_MS)
  const isWhole = startMs === undefined || startMs <= Date.parse(from)
  return (
    <>
      <p className="soft">{TEXT.preview.time(timeOf(from), timeOf(to), zone)}</p>
      {revisions.length === 0 && <p className={style.caution}>{TEXT.preview.ranNothing}</p>}
      {startMs !== undefined && !isWhole && (
        <div className={style.caution}>
          <p>{TEXT.preview.ranSince(timeOf(startMs))}</p>
          {onNarrow !== undefined && minutes > 0 && (
            <button type="button" className="button" onClick={() => onNarrow(minutes)}>
              {TEXT.preview.narrow(minutes)}
            </button>
          )}
        </div>
      )}
      {revisions.length > 0 && (
        <ul className={style.inForce} aria-label={TEXT.preview.inForce}>
          {revisions.map(({ from, revision, paused }) => (
            <li key={from + revision + paused}>
              {TEXT.preview.revisionSince(timeOf(from), revision, paused)}
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

/** UNIX ms from which on a revision handled lines; undefined: never in the previewed time. */
function comparedFromMs({ result }: PreviewRecord): number | undefined {
  const first = result?.in_force.find(({ revision, paused }) => revision !== null && !paused)
  return first && Date.parse(first.from)
}
