import type { HttpOutcome, HttpRequest } from '../../../outbound/http-exchange.ts'
import type { EncodedRequest, Verdict } from '../../contract/define-destination.ts'
import { detailOf, type GoogleError, googleErrorOf } from '../../http/google-answer.ts'
import { deliveryFailed, statusVerdict } from '../../http/http-verdict.ts'

/** Status of a point that is there already. */
const CONFLICT = 409
const BAD_REQUEST = 400
/** Indexes of series in the text of an error, such as `timeSeries[0-2,7]`. */
const NAMED_SERIES = /timeSeries\[(\d+(?:-\d+)?(?:,\d+(?:-\d+)?)*)\]/gi

type PointVerdict = Verdict<'E_DELIVERY_FAILED'>

/** Judges the answer to series: good points of a request are stored, even if others are refused. */
export function pointVerdicts(
  answer: HttpOutcome,
  sent: EncodedRequest<HttpRequest>,
): PointVerdict | readonly PointVerdict[] {
  const waiting = new Set(sent.waiting)
  const count = sent.events - waiting.size
  const refused =
    'failure' in answer || answer.status !== BAD_REQUEST ? undefined : refusedSeries(answer, count)
  const isThere = 'status' in answer && answer.status === CONFLICT
  const whole = isThere ? 'delivered' : statusVerdict(answer, sent, { takesAllOrNothing: true })
  if (refused === undefined && (waiting.size === 0 || whole !== 'delivered')) return whole
  let series = -1
  return Array.from({ length: sent.events }, (_, index) => {
    if (waiting.has(index)) return 'again'
    series++
    return refused?.has(series) ? deliveryFailed('The server refused the point') : 'delivered'
  })
}

/** Indexes of refused series; undefined: the answer does not name all of them. */
function refusedSeries(
  answer: Parameters<typeof googleErrorOf>[0],
  count: number,
): ReadonlySet<number> | undefined {
  const error = googleErrorOf(answer)
  if (error === undefined) return undefined
  const named = new Set(
    [...error.message.matchAll(NAMED_SERIES)].flatMap(([, list = '']) => indexesIn(list, count)),
  )
  return named.size > 0 && named.size === refusedPoints(error) ? named : undefined
}

function indexesIn(list: string, count: number): readonly number[] {
  return list.split(',').flatMap(range => {
    const [first = 0, last = first] = range.split('-').map(Number)
    return Array.from(
      { length: Math.max(0, Math.min(last, count - 1) - first + 1) },
      (_, index) => first + index,
    )
  })
}

/** Number of points that the server did not store. */
function refusedPoints(error: GoogleError): number | undefined {
  const { totalPointCount: total, successPointCount: stored = 0 } =
    detailOf(error, 'CreateTimeSeriesSummary') ?? {}
  return total === undefined ? undefined : Number(total) - Number(stored)
}
