import { lastAnswerMs } from '../api/request.ts'
import { TEXT } from '../texts.ts'
import { clockTime } from '../times/time.ts'
import style from './frame.module.css'
import { useZone } from './preferences.ts'
import { isWell, useReadiness } from './readiness.ts'

/** Tells on every page that the server is away or not ready, and goes by itself. */
export function ServerBanner() {
  const zone = useZone(null)
  const readiness = useReadiness()
  if (readiness === undefined || isWell(readiness)) return null
  const answeredMs = lastAnswerMs()
  const asOf = answeredMs === undefined ? undefined : clockTime(answeredMs, zone).replace(/\.\d+$/, '')
  return (
    <p className={style.banner} role="status">
      {readiness.isReachable
        ? `${TEXT.notReady} ${readiness.reasons.join(' ')}`
        : [TEXT.unreachable, asOf === undefined ? '' : TEXT.asOf(asOf)].join(' ')}
    </p>
  )
}
