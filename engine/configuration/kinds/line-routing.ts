import { crc32 } from 'node:zlib'
import { NUMBERED_KEY } from '../../../schemas/log/line-batch.ts'
import { partitionOfAccount } from '../../../schemas/log/topics.ts'
import { MINUTE_MS } from '../../times/duration.ts'
import type { ConfigurationLog } from '../configuration-log.ts'
import { type SpreadSpan, spreads } from '../entities.ts'
import { spreadSpans } from './spread.ts'

/** A UUID with the time of its creation (RFC 9562, version 7). */
const UUID7 = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-/
/** Tolerance for clocks of senders, and for ingesting processes that do not know of a change yet. */
const MARGIN_MS = MINUTE_MS

/** Members of a request that decide its partition. */
export interface RoutedRequest {
  readonly account: string
  /** undefined: unknown; the request goes to the home partition. */
  readonly hostname: string | undefined
  /** Idempotency key; empty: none. */
  readonly key: string
}

export type LineRouting = (request: RoutedRequest) => number

/**
 * Chooses the partition of a request. All requests of an account go to its home partition until the account is spread; then each
 * host has one. A repeat of a request must reach the partition that remembers its idempotency key, even across a change. A key
 * therefore stays at home, unless it belongs to a numbered stream whose name shows that it began while lines were spread. Such a
 * stream keeps its partition.
 */
export function lineRouting(configuration: ConfigurationLog, partitions: number): LineRouting {
  const known = new Map<string, readonly SpreadSpan[]>()
  configuration.subscribe(() => known.clear())
  const spansOf = (account: string) => {
    let spans = known.get(account)
    if (spans === undefined) {
      spans = spreadSpans(configuration, account, partitions)
      known.set(account, spans)
    }
    return spans
  }
  return ({ account, hostname, key }) => {
    const home = partitionOfAccount(account, partitions)
    if (hostname === undefined || configuration.get(spreads, account) === undefined) return home
    const spans = spansOf(account)
    if (key === '')
      return spans.at(-1)?.untilMs === null ? crc32(`${account} ${hostname}`) % partitions : home
    const stream = NUMBERED_KEY.exec(key)?.[1]
    const beganMs = stream === undefined ? undefined : timeOfStream(stream)
    if (beganMs === undefined || !spans.some(span => isWithin(span, beganMs))) return home
    return crc32(`${account} ${stream}`) % partitions
  }
}

function isWithin({ fromMs, untilMs }: SpreadSpan, timeMs: number): boolean {
  return timeMs >= fromMs + MARGIN_MS && (untilMs === null || timeMs < untilMs + MARGIN_MS)
}

/** Start of a stream, UNIX ms; undefined when its name does not contain it. */
export function timeOfStream(stream: string): number | undefined {
  const match = UUID7.exec(stream)
  return match === null ? undefined : Number.parseInt(`${match[1]}${match[2]}`, 16)
}
