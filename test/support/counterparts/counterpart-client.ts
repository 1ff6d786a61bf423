import { setTimeout } from 'node:timers/promises'
import { networkOutbound } from '../../../deploy/outbound/network-outbound.ts'
import { systemClock } from '../../../engine/clock/system-clock.ts'
import {
  type CheckOutcome,
  DestinationChecks,
} from '../../../engine/delivery/destinations/destination-checks.ts'
import { Event } from '../../../engine/event/event.ts'
import type { Batch, EncodedRequest, Verdict } from '../../../engine/nodes/contract/define-destination.ts'
import type { HttpOutcome, HttpRequest } from '../../../engine/outbound/http-exchange.ts'
import { OutboundError } from '../../../engine/outbound/outbound-error.ts'
import type { JsonObject, JsonValue } from '../../../schemas/json.ts'
import { sendingNode } from '../sending-node.ts'
import { TEST_OUTBOUND } from '../test-installation.ts'

/** Id of all batches. */
export const BATCH_ID = '7d0ff2a4-56a3-4a0e-8d5d-2f0a9f7a5d10'
const CLOSED_MS = Date.parse('2031-03-09T08:15:32Z')
const MAX_ATTEMPTS = 100
const PAUSE_MS = 100

/** An event of a test. */
export interface TestEvent {
  readonly message: JsonValue
  readonly metadata?: JsonObject
  /** UNIX ms. */
  readonly timeMs: number
}

/** Answers to the requests of a batch, and the verdict on each event. */
export interface Exchange {
  readonly outcomes: readonly HttpOutcome[]
  readonly verdicts: readonly Verdict[]
}

/** A destination with options, which sends to a counterpart over the real outbound port. */
export interface CounterpartClient {
  /** Sends each request of a batch once. Event `index` has the id `firstId + index`. */
  exchange(events: readonly TestEvent[], firstId?: number): Promise<Exchange>
  /**
   * Sends a batch as a lane does: it repeats and halves requests until each event is delivered or has failed.
   *
   * @returns `delivered` or the message of the failure, by event
   */
  deliver(events: readonly TestEvent[], firstId?: number): Promise<readonly string[]>
  /** Sends the request of a check. */
  check(): Promise<CheckOutcome | undefined>
  close(): Promise<void>
}

/** @param redirected replaces a request, for a destination whose address is fixed */
export function counterpartClient(
  type: string,
  sent: JsonObject,
  redirected: (request: HttpRequest) => HttpRequest = request => request,
): CounterpartClient {
  const { destination, config } = sendingNode(type, sent)
  const outbound = networkOutbound({ ...TEST_OUTBOUND, rules: () => undefined, logId: 'log-1' })

  const checks = new DestinationChecks(
    {
      request: (request, signal) => outbound.request(redirected(request), signal),
      produce: (production, signal) => outbound.produce(production, signal),
    },
    systemClock(),
  )

  async function outcomeOf(request: HttpRequest): Promise<HttpOutcome> {
    try {
      return await outbound.request(redirected(request), new AbortController().signal)
    } catch (error) {
      if (error instanceof OutboundError) return { failure: error.code }
      throw error
    }
  }

  async function exchange(batch: Batch): Promise<Exchange> {
    const outcomes: HttpOutcome[] = []
    const verdicts: Verdict[] = []
    for (const encoded of destination.encode(batch, config) as Iterable<EncodedRequest<HttpRequest>>) {
      const outcome = await outcomeOf(encoded.request)
      const judged = destination.judge(outcome, config, encoded)
      outcomes.push(outcome)
      verdicts.push(...(Array.isArray(judged) ? judged : Array(encoded.events).fill(judged)))
    }
    return { outcomes, verdicts }
  }

  async function deliver(
    batch: Batch,
    rows: readonly number[],
    fates: string[],
    attempts = 1,
  ): Promise<void> {
    const { outcomes, verdicts } = await exchange(partOf(batch, rows))
    const rowsWith = (verdict: Verdict) => rows.filter((_, index) => verdicts[index] === verdict)
    for (const [index, verdict] of verdicts.entries())
      if (verdict === 'delivered') fates[rows[index] as number] = verdict
      else if (typeof verdict === 'object') fates[rows[index] as number] = verdict.message
    const halved = rowsWith('halve')
    const middle = Math.ceil(halved.length / 2)
    for (const half of [halved.slice(0, middle), halved.slice(middle)])
      if (half.length > 0) await deliver(batch, half, fates)
    const again = [...rowsWith('again'), ...rowsWith('rest')]
    if (again.length === 0) return
    if (attempts === MAX_ATTEMPTS) throw new Error(`no success: ${JSON.stringify(outcomes)}`)
    await setTimeout(PAUSE_MS)
    await deliver(batch, again, fates, attempts + 1)
  }

  return {
    exchange: (events, firstId = 0) => exchange(batchOf(events, firstId)),
    async deliver(events, firstId = 0) {
      const fates: string[] = []
      await deliver(batchOf(events, firstId), [...events.keys()], fates)
      return fates
    },
    check: () => checks.check(destination, config, 'account'),
    close: () => outbound.close(),
  }
}

function batchOf(events: readonly TestEvent[], firstId: number): Batch {
  return {
    id: BATCH_ID,
    events: events.map(({ message, metadata = {}, timeMs }) =>
      Event.of(message, metadata, new Date(timeMs).toISOString()),
    ),
    eventIds: events.map((_, index) => String(firstId + index)),
    closedMs: CLOSED_MS,
  }
}

function partOf({ events, eventIds, ...rest }: Batch, rows: readonly number[]): Batch {
  return {
    ...rest,
    events: rows.map(row => events[row] as Event),
    eventIds: rows.map(row => eventIds[row] as string),
  }
}
