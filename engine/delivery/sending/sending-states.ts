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

/** Time without success after which an operator is told: components, section 7.1. */
const TOLD_AFTER_MS = 5 * MINUTE_MS

const IDLE: SendingState = { state: 'delivering', failingSinceMs: null, trouble: null }

/** Keeps the state of each lane's remote, as its attempts show it. It is not on the log, because it decides nothing. */
export class SendingStates {
  readonly #states = new Map<string, SendingState>()
  /** Lanes about whose present failing an operator was told. */
  readonly #told = new Set<string>()

  of(lane: LaneName): SendingState {
    return this.#states.get(keyOf(lane)) ?? IDLE
  }

  /** @param wasTold works as in `isTold` */
  standingOf(lane: LaneName, wasTold: boolean): Standing {
    const state = this.#states.get(keyOf(lane))
    if (state === undefined) return wasTold ? 'failing' : 'new'
    return state.failingSinceMs === null ? 'proven' : 'failing'
  }

  /**
   * Whether an operator was told that a lane fails, and no attempt has succeeded since.
   *
   * @param wasTold whether an operator was told before the first attempt here
   */
  isTold(lane: LaneName, wasTold: boolean): boolean {
    const key = keyOf(lane)
    return this.#states.has(key) ? this.#told.has(key) : wasTold
  }

  /**
   * Notes an attempt.
   *
   * @param wasTold works as in `isTold`
   * @returns whether an operator is to be told that deliveries fail: at once when the credentials are refused, otherwise after some
   *   minutes without success
   */
  note({ lane, answer, atMs }: Attempt, wasTold = false): boolean {
    const key = keyOf(lane)
    if (this.isTold(lane, wasTold)) this.#told.add(key)
    const before = this.of(lane)
    const trouble = troubleOf(answer)
    const isFailing = answer.kind === 'again' || answer.kind === 'rest'
    const sinceMs = isFailing ? (before.failingSinceMs ?? atMs) : null
    this.#states.set(key, {
      state: answer.kind === 'rest' ? 'resting' : isFailing ? 'retrying' : 'delivering',
      failingSinceMs: sinceMs,
      trouble: trouble === undefined ? before.trouble : { ...trouble, status: answer.status, atMs },
    })
    if (sinceMs === null) this.#told.delete(key)
    const isDue = answer.kind === 'rest' || (sinceMs !== null && atMs - sinceMs >= TOLD_AFTER_MS)
    if (!isDue || this.#told.has(key)) return false
    this.#told.add(key)
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
