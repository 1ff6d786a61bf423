import type { Clock } from '../../clock/clock.ts'
import { HTTP_TRANSPORT, KAFKA_TRANSPORT } from '../../nodes/contract/define-destination.ts'
import type { HttpOutcome, HttpRequest } from '../../outbound/http-exchange.ts'
import type { KafkaOutbound, KafkaOutcome, KafkaProduction } from '../../outbound/kafka-exchange.ts'
import type { Outbound } from '../../outbound/outbound.ts'
import { OutboundError, type OutboundErrorCode } from '../../outbound/outbound-error.ts'
import { retryAfterMs } from '../../outbound/retry-after.ts'

/** A request that was sent, and the meaning of its outcome for those who do not know the transport. */
export interface Carried {
  /** Form that the `judge` of the destination reads. */
  readonly outcome: unknown
  /** Size of the body before compression. */
  readonly bytes: number
  /** HTTP status of the answer; null: it has none. */
  readonly status: number | null
  /** Text of the answer; empty: it has none. */
  readonly text: string
  /** Why the request has to be sent again, if it has to be: one sentence without its dot. */
  readonly trouble: string
  /** Pause that the server asks for; 0: none. */
  readonly pauseMs: number
}

/** Carries requests of one kind for an account. @throws the reason of the signal */
export type Transport = (request: unknown, owner: string, signal: AbortSignal) => Promise<Carried>

/** Sentences about requests without an answer, each without its dot. */
export const NO_ANSWER: Readonly<Record<OutboundErrorCode, string>> = {
  DENIED: 'Connections to the server are not allowed',
  UNRESOLVED: 'The name of the server has no address',
  NOT_CONNECTED: 'No connection to the server was possible',
  NOT_VERIFIED: 'The certificate of the server is not trusted',
  TIMED_OUT: 'The server did not answer in time',
  BROKEN: 'The connection ended before the answer was complete',
  INVALID: 'The request cannot be written as HTTP',
}

/** Transports by their names in the declarations of destinations. */
export function transportsOf(
  outbound: Pick<Outbound, 'request'> & KafkaOutbound,
  clock: Clock,
): ReadonlyMap<string, Transport> {
  return new Map([
    [HTTP_TRANSPORT, httpTransport(outbound, clock)],
    [KAFKA_TRANSPORT, kafkaTransport(outbound)],
  ])
}

function httpTransport(outbound: Pick<Outbound, 'request'>, clock: Clock): Transport {
  return async (sent, owner, signal) => {
    const request: HttpRequest = { ...(sent as HttpRequest), owner }
    const outcome = await httpOutcome(outbound, request, signal)
    const carried = { outcome, bytes: request.body.length }
    if ('failure' in outcome)
      return { ...carried, status: null, text: '', trouble: NO_ANSWER[outcome.failure], pauseMs: 0 }
    const { status, headers, body } = outcome
    const pauseMs = retryAfterMs(headers['retry-after'], clock.wallMs())
    return { ...carried, status, text: body, trouble: `The server answered ${status}`, pauseMs }
  }
}

async function httpOutcome(
  outbound: Pick<Outbound, 'request'>,
  request: HttpRequest,
  signal: AbortSignal,
): Promise<HttpOutcome> {
  try {
    return await outbound.request(request, signal)
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof OutboundError) return { failure: error.code }
    throw error
  }
}

function kafkaTransport(outbound: KafkaOutbound): Transport {
  return async (sent, owner, signal) => {
    const production: KafkaProduction = { ...(sent as KafkaProduction), owner }
    const outcome = await outbound.produce(production, signal)
    return {
      ...{ outcome, bytes: bytesOf(production), trouble: kafkaTrouble(outcome) },
      ...{ status: null, text: '', pauseMs: 0 },
    }
  }
}

function bytesOf({ records }: KafkaProduction): number {
  return records.reduce(
    (sum, { key, value }) => sum + Buffer.byteLength(value) + Buffer.byteLength(key ?? ''),
    0,
  )
}

function kafkaTrouble(outcome: KafkaOutcome): string {
  if ('failure' in outcome) return NO_ANSWER[outcome.failure]
  return outcome.error === null ? '' : `The cluster answered ${outcome.error}`
}
