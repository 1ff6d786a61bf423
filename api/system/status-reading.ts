import { SECOND_MS } from '../../engine/times/duration.ts'
import type { SystemStatusRecord } from '../../schemas/http/system-api.ts'
import { type SystemStatusPorts, systemStatus } from './system-status.ts'

interface Reading {
  readonly beganMs: number
  readonly status: Promise<SystemStatusRecord>
  isOver: boolean
}

/** Readings of the status, which ask the store and the log: callers within a second share one. */
export class StatusReading {
  readonly #ports: SystemStatusPorts
  #last: Reading | undefined

  constructor(ports: SystemStatusPorts) {
    this.#ports = ports
  }

  /** Status of now, or of the last second. A reading that takes longer is shared until it is over. */
  status(): Promise<SystemStatusRecord> {
    const nowMs = this.#ports.clock.monotonicMs()
    const last = this.#last
    if (last !== undefined && (!last.isOver || nowMs - last.beganMs < SECOND_MS)) return last.status
    const reading: Reading = { beganMs: nowMs, status: systemStatus(this.#ports), isOver: false }
    this.#last = reading
    const over = () => {
      reading.isOver = true
    }
    reading.status.then(over, () => {
      // A failed reading is not shared.
      this.#last = undefined
    })
    return reading.status
  }
}
