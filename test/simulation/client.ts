import type { Dice } from '../support/dice.ts'
import type { FrontDoor } from './front-door.ts'
import type { SimulatedProcess } from './simulated-process.ts'

/** A sender of requests, one at a time. */
export interface Client {
  /** Answers that no rule allows. */
  readonly alarms: readonly string[]
  /** true: there is nothing left to repeat. */
  readonly isDone: boolean
  /** Makes one attempt: of the request that is still open, or of a new one. */
  send(process: SimulatedProcess): void
  /** The connection broke, or the client lost patience: whether anything was taken is unknown. */
  loseConnection(process?: SimulatedProcess): void
  /** Abandons the open request; its lines may have been stored. */
  giveUp(): void
}

/** The parts of a world that a client uses. */
export interface SendingWorld {
  readonly door: FrontDoor
  readonly dice: Dice
  /** Filling of a line, at most. */
  readonly lineBytes: number
  /** Whether some requests have enough lines for expensive expressions to use up the shared units. */
  readonly sendsFloods: boolean
  /**
   * Deployments of an account that, as a process knows, hold the events of log ingestion or of its route, by `<pipeline>
   * <number>`.
   */
  heldBy(process: SimulatedProcess, account: string, what: 'lines' | 'route'): ReadonlySet<string>
  /** The log's clock, UNIX ms. */
  logClockMs(): number
  tell(what: string): void
}

/** Bytes and characters of a line are not the same. */
const FILLINGS = ['.', 'é', '😀'] as const

/** Text that no other line has, with the number of its client before its first dash. Some are JSON objects. */
export function newText(client: number, line: number, fillings: number): string {
  // Large worlds fill the log: there a character is a byte.
  const filling = fillings > 100 ? '.' : (FILLINGS[line % FILLINGS.length] as string)
  const rest = filling.repeat(fillings)
  return line % 3 === 0
    ? `{"id":"${client}-${line}","n":${line},"text":"${rest}"}`
    : `${client}-${line}${rest}`
}
