import { MINUTE_MS, SECOND_MS } from '../../../engine/times/duration.ts'

/** A line of the sample data, with the machine that it comes from. */
export interface DemoLine {
  readonly host: string
  readonly line: string
  readonly app: string
  readonly level: string
  /** UNIX ms. */
  readonly timestamp: number
  readonly meta: { readonly region: string }
}

/** The incident comes again in each period of this length, which begins quietly. */
export const PERIOD_MS = 15 * MINUTE_MS
/** Within a period, the database of orders is slow in this time. */
const INCIDENT_MS = { from: 6 * MINUTE_MS, to: 11 * MINUTE_MS }
/** Lines of the noisy service beside one usual line, while the database is slow. */
const NOISE = 1.5

const REGIONS = ['eu-1', 'us-2'] as const
const PATHS = ['cart', 'orders', 'items', 'account', 'search'] as const

/** Whether the incident is under way. */
export function isIncident(timeMs: number): boolean {
  const phaseMs = timeMs % PERIOD_MS
  return phaseMs >= INCIDENT_MS.from && phaseMs < INCIDENT_MS.to
}

/**
 * Lines of some services of a shop. A second always gives the same lines, so the stream goes on where it stopped.
 *
 * @param second UNIX time in seconds
 * @param ratePerS usual lines per second; the incident adds those of the noisy service
 */
export function linesOfSecond(second: number, ratePerS: number): readonly DemoLine[] {
  const next = numbers(second)
  const startMs = second * SECOND_MS
  const isSlow = isIncident(startMs)
  const usual = Array.from({ length: ratePerS }, () => usualLine(next, isSlow))
  const noise = isSlow ? Array.from({ length: Math.round(ratePerS * NOISE) }, () => noisyLine(next)) : []
  return [...usual, ...noise]
    .map(({ host, ...line }) => ({
      host,
      ...line,
      timestamp: startMs + Math.floor(next() * SECOND_MS),
      meta: { region: pick(REGIONS, next) },
    }))
    .sort((a, b) => a.timestamp - b.timestamp)
}

type Next = () => number
type Drawn = Pick<DemoLine, 'host' | 'app' | 'level' | 'line'>

function usualLine(next: Next, isSlow: boolean): Drawn {
  const kind = next()
  if (kind < 0.45) return gatewayLine(next, isSlow)
  if (kind < 0.65) return checkoutLine(next, isSlow)
  if (kind < 0.8) return paymentLine(next, isSlow)
  if (kind < 0.92) return databaseLine(next, isSlow)
  return {
    host: 'worker-1',
    app: 'mailer',
    level: 'info',
    line: `mail ${whole(next, 100_000)} delivered to mx${whole(next, 4) + 1} in ${whole(next, 900) + 80} ms`,
  }
}

function gatewayLine(next: Next, isSlow: boolean): Drawn {
  const path = pick(PATHS, next)
  const isHit = isSlow && path === 'orders'
  const status = isHit && next() < 0.7 ? 504 : next() < 0.03 ? 404 : 200
  const durationMs = status === 504 ? 3_000 : Math.round(8 + next() ** 3 * 240) + (isHit ? 900 : 0)
  const message = `GET /api/${path}/${whole(next, 900) + 100} ${status} in ${durationMs} ms`
  const members = { message, method: 'GET', path: `/api/${path}`, status, duration_ms: durationMs }
  return {
    host: `gateway-${whole(next, 2) + 1}`,
    app: 'gateway',
    level: status === 504 ? 'error' : status === 404 ? 'warn' : 'info',
    line: JSON.stringify({ ...members, trace_id: hexadecimal(next, 16), user: { id: whole(next, 400) } }),
  }
}

function checkoutLine(next: Next, isSlow: boolean): Drawn {
  const host = `shop-${whole(next, 3) + 1}`
  const order = 40_000 + whole(next, 9_000)
  if (isSlow && next() < 0.5)
    return {
      host,
      app: 'checkout',
      level: 'error',
      line: `order ${order} failed: payments answered 504 after 3000 ms, trace ${hexadecimal(next, 16)}`,
    }
  if (next() < 0.3) return { host, app: 'checkout', level: 'debug', line: `cart of order ${order} priced` }
  return { host, app: 'checkout', level: 'info', line: `order ${order} placed` }
}

function paymentLine(next: Next, isSlow: boolean): Drawn {
  const host = `pay-${whole(next, 2) + 1}`
  if (isSlow && next() < 0.6)
    return {
      host,
      app: 'payments',
      level: 'error',
      line: 'could not read the order: orders-db did not answer within 3000 ms (attempt 3 of 3)',
    }
  const amount = `${whole(next, 180) + 9}.${String(whole(next, 100)).padStart(2, '0')}`
  return { host, app: 'payments', level: 'info', line: `payment of ${amount} EUR authorised` }
}

function databaseLine(next: Next, isSlow: boolean): Drawn {
  const host = 'db-1'
  if (isSlow)
    return {
      host,
      app: 'orders-db',
      level: 'warn',
      line: `slow query: ${2_400 + whole(next, 2_000)} ms, SELECT * FROM orders WHERE customer = ? (lock wait, connections ${90 + whole(next, 10)} of 100)`,
    }
  return {
    host,
    app: 'orders-db',
    level: next() < 0.5 ? 'debug' : 'info',
    line: `checkpoint done, ${whole(next, 40) + 20} of 100 connections in use`,
  }
}

function noisyLine(next: Next): Drawn {
  return {
    host: 'reco-1',
    app: 'recommender',
    level: 'debug',
    line: `no orders for customer ${whole(next, 4_000)}, asking again at once`,
  }
}

/** Numbers from 0 to below 1 that depend on the seed alone (mulberry32). */
function numbers(seed: number): Next {
  let state = Math.imul(seed, 0x9e3779b1)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

function whole(next: Next, below: number): number {
  return Math.floor(next() * below)
}

function pick<Value>(values: readonly Value[], next: Next): Value {
  return values[whole(next, values.length)] as Value
}

function hexadecimal(next: Next, digits: number): string {
  return Array.from({ length: digits }, () => whole(next, 16).toString(16)).join('')
}
