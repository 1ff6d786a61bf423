import type { FailedRows } from '../../../schemas/log/delivery-reports.ts'
import type { LaneBatch } from '../../../schemas/log/lanes-checkpoint.ts'
import { BackOff } from '../../clock/back-off.ts'
import type { Clock } from '../../clock/clock.ts'
import type { Entropy } from '../../entropy/entropy.ts'
import { MINUTE_MS, SECOND_MS } from '../../times/duration.ts'
import type { LaneName } from '../fold/lane-cursor.ts'
import { readBytesOf } from './batch-events.ts'
import { partId, partPlace } from './batch-id.ts'
import type { DeliveryMemory, Held, Standing } from './delivery-memory.ts'
import type { LanePauses } from './lane-pauses.ts'
import type { Remote, RemoteAnswer, RemoteFailure, SentEvent, Shipment, ShipmentOrigin } from './remote.ts'
import type { RequestSlots } from './request-slots.ts'
import type { Attempt } from './sending-states.ts'

/** Pauses between attempts: components, section 7.1. */
const PAUSES = { firstMs: SECOND_MS, longestMs: 30 * SECOND_MS }
/** Longest pause that a remote may ask for. */
const MAX_RETRY_AFTER_MS = 10 * MINUTE_MS
/** Pause between attempts while a remote refuses the credentials. */
const REST_MS = 30 * SECOND_MS
/** Time between two looks during a wait whether the events must make room. (Our choice.) */
const LOOK_MS = 5 * SECOND_MS

const CROWDED = 'the events must make room'
const BEGUN = 'the request has begun'

const NOT_IN_TIME: RemoteFailure = {
  code: 'E_DELIVERY_FAILED',
  field: null,
  message: 'The remote did not accept the event in the time that the pipeline allows.',
  answer: null,
}

const NO_ROOM: RemoteFailure = {
  ...NOT_IN_TIME,
  message: 'The remote was away or slow, and the log had no room for events that wait.',
}

/** Decides when the events of a batch are given up. */
export interface Patience {
  /** Log time after which a batch that was refused at least once is given up; null: never. */
  giveUpAfterMs(): number | null
  /** Whether the events must make room at once. */
  mustMakeRoom(): boolean
}

export interface DeliveryPorts {
  readonly remote: Remote
  /** Shared by the partitions of a process. */
  readonly slots: RequestSlots
  /** Shared by the partitions of a process. */
  readonly memory: DeliveryMemory
  readonly clock: Clock
  readonly entropy: Pick<Entropy, 'bytes'>
  /** Shared by the partitions of a process. */
  readonly pauses: LanePauses
  /** Called after each attempt. */
  readonly observe?: ((attempt: Attempt) => void) | undefined
}

/** A batch that can be sent. */
export interface ReadyBatch {
  readonly id: string
  readonly lane: LaneName
  /** See `laneId`. */
  readonly laneId: string
  readonly batch: LaneBatch
  /** Reads its events. Nothing holds them between two attempts, so batches that wait need no memory. */
  readonly read: () => Promise<readonly SentEvent[]>
  /** Log time since the batch was closed. */
  readonly ageMs: number
  /** Present standing of its remote. */
  readonly standing: () => Standing
}

/** Attempts and outcome of a batch, for its report. */
export interface DeliveredBatch {
  readonly attempts: number
  readonly bytes: number
  readonly failures: readonly FailedRows[]
}

/** An event that was given up, by its index in the batch. */
interface FailedRow {
  readonly row: number
  readonly status: number | null
  readonly failure: RemoteFailure
}

/**
 * Sends one batch until each of its events is delivered or given up. Parts of a batch are sent in order, one at a time.
 */
export class BatchDelivery {
  readonly #ports: DeliveryPorts
  readonly #ready: ReadyBatch
  readonly #patience: Patience
  readonly #failed: FailedRow[] = []
  readonly #backOff: BackOff
  readonly #beganMs: number
  #attempts = 0
  #bytes = 0

  constructor(ports: DeliveryPorts, ready: ReadyBatch, patience: Patience) {
    this.#ports = ports
    this.#ready = ready
    this.#patience = patience
    this.#backOff = new BackOff(ports.clock, PAUSES)
    this.#beganMs = ports.clock.monotonicMs()
  }

  /**
   * @param signal ends a request on its way
   * @param leave  ends everything except a request on its way; absent: nothing does
   * @throws the reason of the signal
   */
  async run(signal: AbortSignal, leave = signal): Promise<DeliveredBatch> {
    const waiting: (readonly number[])[] = [Array.from({ length: this.#ready.batch.events }, (_, row) => row)]
    for (let rows = waiting[0]; rows !== undefined; rows = waiting[0]) {
      await this.#waitForTurn(leave)
      const answer = this.#patience.mustMakeRoom() ? undefined : await this.#send(rows, signal, leave)
      if (answer === undefined) {
        this.#giveUp(waiting.splice(0), NO_ROOM, null)
        break
      }
      const parts = this.#partsAfter(rows, answer)
      waiting.splice(0, 1, ...parts)
      const isRetried = parts.length > 0 && answer.kind !== 'refused'
      if (!isRetried) this.#backOff.reset()
      else if (answer.kind !== 'rest' && this.#isTooOld())
        this.#giveUp(waiting.splice(0), answer.kind === 'again' ? answer.failure : NOT_IN_TIME, answer.status)
      else await this.#pause(answer, leave)
    }
    return { attempts: this.#attempts, bytes: this.#bytes, failures: failedRows(this.#failed) }
  }

  /** Waits while the rate of requests allows no further one. Ends early when the events must make room. */
  async #waitForTurn(signal: AbortSignal): Promise<void> {
    const { remote, clock } = this.#ports
    const isFar = () => (remote.untilDueMs?.(this.#origin) ?? 0) > LOOK_MS
    while (isFar() && !signal.aborted && !this.#patience.mustMakeRoom()) await clock.sleep(LOOK_MS, signal)
  }

  /** Sends a part as soon as it has its turn. @returns undefined when the events must make room before that */
  async #send(
    rows: readonly number[],
    signal: AbortSignal,
    leave: AbortSignal,
  ): Promise<RemoteAnswer | undefined> {
    leave.throwIfAborted()
    const lost = await this.#lostAnswer(leave)
    if (lost !== undefined) return lost
    const crowded = new AbortController()
    const begun = new AbortController()
    void this.#watchRoom(crowded, begun.signal)
    const { remote, slots, memory, clock } = this.#ports
    const { lane, batch, read, standing } = this.#ready
    const { bytes } = batch
    const request = async (held: Held) => {
      begun.abort(BEGUN)
      // Nothing here holds the events: the remote lets them go when it has made their requests.
      const shipments = [this.#shipment(rows, await read())]
      held.shrinkTo(bytes)
      const beganMs = clock.monotonicMs()
      const answered = await remote.send(shipments.pop() as Shipment, signal)
      this.#observe(answered, clock.monotonicMs() - beganMs)
      return answered
    }
    // Records that are being read are memory, too.
    const wait = AbortSignal.any([leave, crowded.signal])
    const turn = () => memory.run(bytes + readBytesOf(batch), standing(), wait, request)
    try {
      const answer = await slots.run(lane, wait, turn)
      signal.throwIfAborted()
      this.#attempts++
      this.#bytes += answer.bytes
      return answer
    } catch (error) {
      if (error === CROWDED) return undefined
      throw error
    } finally {
      begun.abort(BEGUN)
    }
  }

  /** The answer of a server that accepts no connection, as at the attempt before; undefined: it may accept one. */
  async #lostAnswer(leave: AbortSignal): Promise<RemoteAnswer | undefined> {
    const { remote, clock } = this.#ports
    if (this.#attempts === 0 || remote.lostAnswer === undefined) return undefined
    const beganMs = clock.monotonicMs()
    const answer = await remote.lostAnswer(this.#origin, leave)
    if (answer === undefined) return undefined
    this.#observe(answer, clock.monotonicMs() - beganMs)
    this.#attempts++
    return answer
  }

  get #origin(): ShipmentOrigin {
    const { lane, batch } = this.#ready
    const { version, type, options } = batch
    return { lane, version, type, options }
  }

  /** Ends the wait for a turn when the events must make room. */
  async #watchRoom(wait: AbortController, begun: AbortSignal): Promise<void> {
    while (!begun.aborted) {
      await this.#ports.clock.sleep(LOOK_MS, begun)
      if (!begun.aborted && this.#patience.mustMakeRoom()) return wait.abort(CROWDED)
    }
  }

  #shipment(rows: readonly number[], events: readonly SentEvent[]): Shipment {
    const { id, lane, laneId, batch } = this.#ready
    const { version, type, options, split, closedMs } = batch
    const place = partPlace({ lane: laneId, number: batch.number }, rows, events.length)
    return {
      ...{ id: partId(id, rows, events.length), lane, version, type, options, split, closedMs },
      ...(place !== undefined && { place }),
      events: rows.map(row => events[row] as SentEvent),
    }
  }

  #observe(answer: RemoteAnswer, tookMs: number): void {
    const { observe, clock } = this.#ports
    observe?.({ lane: this.#ready.lane, answer, atMs: clock.wallMs(), tookMs })
  }

  /** Notes the events that an answer gives up. @returns the parts that remain of the one that was sent */
  #partsAfter(rows: readonly number[], answer: RemoteAnswer): readonly (readonly number[])[] {
    switch (answer.kind) {
      case 'delivered':
        return []
      case 'again':
      case 'rest':
        return [rows]
      case 'refused':
        if (answer.divides && rows.length > 1) return halves(rows)
        this.#fail(rows, answer.status, answer.failure)
        return []
      case 'each': {
        const again: number[] = []
        for (const [index, row] of rows.entries()) {
          const outcome = answer.outcomes[index] ?? 'again'
          if (outcome === 'again') again.push(row)
          else if (outcome !== 'delivered') this.#fail([row], answer.status, outcome)
        }
        return again.length > 0 ? [again] : []
      }
    }
  }

  #fail(rows: readonly number[], status: number | null, failure: RemoteFailure): void {
    for (const row of rows) this.#failed.push({ row, status, failure })
  }

  #giveUp(parts: readonly (readonly number[])[], failure: RemoteFailure, status: number | null): void {
    for (const rows of parts) this.#fail(rows, status, failure)
  }

  #isTooOld(): boolean {
    const limitMs = this.#patience.giveUpAfterMs()
    const ageMs = this.#ready.ageMs + this.#ports.clock.monotonicMs() - this.#beganMs
    return limitMs !== null && ageMs >= limitMs
  }

  /** Ends early when the events must make room. */
  async #pause(answer: RemoteAnswer, signal: AbortSignal): Promise<void> {
    const { clock, pauses } = this.#ports
    const endMs = clock.monotonicMs() + this.#pauseMs(answer)
    while (!signal.aborted && !this.#patience.mustMakeRoom()) {
      const ms = Math.min(endMs - clock.monotonicMs(), LOOK_MS)
      if (ms <= 0) return
      if (answer.kind !== 'rest') await clock.sleep(ms, signal)
      else if (await pauses.wait(this.#ready.lane, ms, signal)) return
    }
  }

  #pauseMs(answer: RemoteAnswer): number {
    if (answer.kind === 'rest') return REST_MS
    const { entropy } = this.#ports
    const drawnMs = (this.#backOff.nextMs() * entropy.bytes(2).readUInt16BE()) / 65_536
    const askedMs = answer.kind === 'again' ? (answer.retryAfterMs ?? 0) : 0
    return Math.max(drawnMs, Math.min(askedMs, MAX_RETRY_AFTER_MS))
  }
}

function halves(rows: readonly number[]): readonly (readonly number[])[] {
  const middle = Math.ceil(rows.length / 2)
  return [rows.slice(0, middle), rows.slice(middle)]
}

/** Joins consecutive events with one reason. */
function failedRows(failed: readonly FailedRow[]): FailedRows[] {
  const joined: (FailedRows & { count: number })[] = []
  let lastFailure: RemoteFailure | undefined
  for (const { row, status, failure } of failed.toSorted((a, b) => a.row - b.row)) {
    const last = joined.at(-1)
    if (last !== undefined && failure === lastFailure && last.row + last.count === row) last.count++
    else joined.push({ row, count: 1, status, ...failure })
    lastFailure = failure
  }
  return joined
}
