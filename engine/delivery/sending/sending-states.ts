import { MINUTE_MS } from '../../times/duration.ts'
import type { LaneName } from '../fold/lane-cursor.ts'
import type { Standing } from './delivery-memory.ts'
import type { RemoteAnswer, RemoteFailure } from './remote.ts'

/** One sending of a shipment. */
export interface Attempt {
  readonly lane: LaneName
  readonly answer: RemoteAnswer
  /** End of the attempt, UNIX ms. */
  readonly atMs: number
  readonly tookMs: number
}

/** An attempt that failed. */
export interface DeliveryTrouble extends Pick<RemoteFailure, 'code' | 'message'> {
  /** Status of the answer; null: there was none. */
  readonly status: number | null
  /** UNIX ms. */
  readonly atMs: number
}

/** Sending of a lane at present. `resting`: the remote refuses the credentials. */
export interface SendingState {
  readonly state: 'delivering' | 'retrying' | 'resting'
  /** Time since which no attempt has succeeded, UNIX ms; null: the last one did, or there was none. */
  readonly failingSinceMs: number | null
  /** The last attempt that failed since this process took the partition; null: there was none. */
  readonly trouble: DeliveryTrouble | null
}

/** Time without success after which a failing lane is reported to an operator: components, section 7.1. */
const REPORTED_AFTER_MS = 5 * MINUTE_MS

const IDLE: SendingState = { state: 'delivering', failingSinceMs: null, trouble: null }

/** Keeps the state of each lane's remote, as its attempts show it. It is not on the log, because it decides nothing. */
export class SendingStates {
  readonly #states = new Map<string, SendingState>()
  /** Lanes whose present failing was reported to an operator. */
  readonly #reported = new Set<string>()

  of(lane: LaneName): SendingState {
    return this.#states.get(keyOf(lane)) ?? IDLE
  }

  /** @param wasReported works as in `isReported` */
  standingOf(lane: LaneName, wasReported: boolean): Standing {
    const state = this.#states.get(keyOf(lane))
    if (state === undefined) return wasReported ? 'failing' : 'new'
    return state.failingSinceMs === null ? 'proven' : 'failing'
  }

  /**
   * Whether it was reported to an operator that a lane fails, and no attempt has succeeded since.
   *
   * @param wasReported whether it was reported before the first attempt here
   */
  isReported(lane: LaneName, wasReported: boolean): boolean {
    const key = keyOf(lane)
    return this.#states.has(key) ? this.#reported.has(key) : wasReported
  }

  /**
   * Notes an attempt.
   *
   * @param wasReported works as in `isReported`
   * @returns whether it has to be reported to an operator that deliveries fail: at once when the credentials are refused, otherwise after some
   *   minutes without success
   */
  note({ lane, answer, atMs }: Attempt, wasReported = false): boolean {
    const key = keyOf(lane)
    if (this.isReported(lane, wasReported)) this.#reported.add(key)
    const before = this.of(lane)
    const trouble = troubleOf(answer)
    const isFailing = answer.kind === 'again' || answer.kind === 'rest'
    const sinceMs = isFailing ? (before.failingSinceMs ?? atMs) : null
    this.#states.set(key, {
      state: answer.kind === 'rest' ? 'resting' : isFailing ? 'retrying' : 'delivering',
      failingSinceMs: sinceMs,
      trouble: trouble === undefined ? before.trouble : { ...trouble, status: answer.status, atMs },
    })
    if (sinceMs === null) this.#reported.delete(key)
    const isDue = answer.kind === 'rest' || (sinceMs !== null && atMs - sinceMs >= REPORTED_AFTER_MS)
    if (!isDue || this.#reported.has(key)) return false
    this.#reported.add(key)
    return true
  }
}

function troubleOf(answer: RemoteAnswer): Pick<RemoteFailure, 'code' | 'message'> | undefined {
  if (answer.kind === 'delivered') return undefined
  // It is tried again, so nothing has failed for good.
  if (answer.kind === 'again' || answer.kind === 'rest')
    return { code: 'E_DELIVERY_RETRYING', message: answer.failure.message }
  const failure =
    answer.kind === 'each' ? answer.outcomes.find(outcome => typeof outcome !== 'string') : answer.failure
  return failure && { code: failure.code, message: failure.message }
}

function keyOf({ account, pipeline, node }: LaneName): string {
  return `${account} ${pipeline} ${node}`
}
