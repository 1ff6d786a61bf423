import { TEXT } from '../texts.ts'
import { clockTime, dayAndTime } from '../times/time.ts'
import style from './why.module.css'

/** Reason of a node or rule, as the server gives it. */
type Reason = Readonly<Record<string, unknown>>

/** The rule that decided, with the values that it looked at. */
export function ReasonBox({ reason, zone }: { readonly reason: object; readonly zone: string }) {
  const { rule, ...members } = reason as Reason
  return (
    <div className={style.reason}>
      {typeof rule === 'string' && <p>{TEXT.because(rule)}</p>}
      {isThrottle(members) ? (
        <ThrottleReason reason={members} zone={zone} />
      ) : (
        Object.keys(members).length > 0 && (
          <dl>
            {Object.entries(members).map(([name, value]) => (
              <div key={name}>
                <dt>{name.replaceAll('_', ' ')}</dt>
                <dd>{typeof value === 'string' ? value : JSON.stringify(value, undefined, 1)}</dd>
              </div>
            ))}
          </dl>
        )
      )}
    </div>
  )
}

interface FullBucket {
  readonly bucket: string | null
  readonly threshold: number
  readonly window_ms: number
  readonly passed: readonly { readonly at: string; readonly count: number }[]
  readonly free_from: string | null
}

function isThrottle(reason: object): reason is FullBucket {
  return 'threshold' in reason && 'window_ms' in reason && 'passed' in reason
}

function ThrottleReason({ reason, zone }: { readonly reason: FullBucket; readonly zone: string }) {
  const { bucket, threshold, window_ms: windowMs, passed, free_from: freeFrom } = reason
  const times = passed.map(({ at, count }) => {
    const time = clockTime(Date.parse(at), zone)
    return count === 1 ? time : `${time} \u00d7 ${count}`
  })
  return (
    <dl>
      <div>
        <dt>{TEXT.throttleKey}</dt>
        <dd>{bucket ?? TEXT.throttleNoKey}</dd>
      </div>
      <div>
        <dt>{TEXT.throttleLimit}</dt>
        <dd>{TEXT.throttleLimitIs(String(threshold), String(windowMs / 1_000))}</dd>
      </div>
      <div>
        <dt>{TEXT.throttlePassed}</dt>
        <dd>{times.join(', ')}</dd>
      </div>
      {freeFrom !== null && (
        <div>
          <dt>{TEXT.throttleFree}</dt>
          <dd>{dayAndTime(Date.parse(freeFrom), zone)}</dd>
        </div>
      )}
    </dl>
  )
}
