import { Link } from 'wouter'
import type { HourlyError } from '../api/trouble.ts'
import { count } from '../numbers.ts'
import { dayAndTime, HOUR_MS } from '../times/time.ts'
import { TEXT } from './texts.ts'
import style from './trouble.module.css'

/** Equal errors of a node, with the event that the first of them was captured with. */
export function OneError({
  error,
  hours,
  zone,
  pipeline,
  node,
}: {
  readonly error: HourlyError
  /** Length of the period. */
  readonly hours: number
  readonly zone: string
  /** Title of the pipeline. */
  readonly pipeline: string
  /** Title of the node. */
  readonly node: string
}) {
  const { code, message, count: number, captured, pipeline_id: id, node_id: nodeId } = error
  const time = (at: string) => dayAndTime(Date.parse(at), zone)
  return (
    <>
      <div className={style.row}>
        <div>
          <p>
            <code>{code}</code> {message}
          </p>
          <p className="soft">
            <Link href={`/pipelines/${id}?rev=deployed&node=${encodeURIComponent(nodeId)}&open=errors`}>
              {TEXT.errors.nodeOf(node, pipeline)}
            </Link>
            {` \u00b7 ${TEXT.errors.seen(time(error.first_seen), time(error.last_seen))}`}
          </p>
        </div>
        {hours > 1 && <Hours counted={error.hours} hours={hours} />}
        <b className={style.count}>{count(number)}</b>
      </div>
      {captured !== '' && (
        <details>
          <summary>{TEXT.errors.captured}</summary>
          <pre>{captured}</pre>
        </details>
      )}
    </>
  )
}

/** Errors of each hour as small bars; a list of the numbers is there for screen readers. */
export function Hours({
  counted,
  hours,
}: {
  readonly counted: HourlyError['hours']
  readonly hours: number
}) {
  const last = Math.floor(Date.now() / HOUR_MS)
  const counts = new Map(counted.map(({ start, count: of }) => [Math.floor(Date.parse(start) / HOUR_MS), of]))
  const most = Math.max(...counts.values(), 1)
  const text = counted.map(({ start, count: of }) => `${start.slice(0, 13)}: ${of}`).join(', ')
  return (
    <svg
      className={style.hours}
      viewBox={`0 0 ${hours} 1`}
      preserveAspectRatio="none"
      role="img"
      aria-label={text}
    >
      {[...counts].map(([hour, of]) => (
        <rect
          key={hour}
          x={hours - 1 - (last - hour) + 0.1}
          y={1 - of / most}
          width={0.8}
          height={of / most}
        />
      ))}
    </svg>
  )
}
