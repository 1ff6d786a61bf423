import type { Dice } from '../support/dice.ts'
import type { FrontDoor } from './front-door.ts'
import type { SimulatedProcess } from './simulated-process.ts'

/** Somebody who sends, one request at a time. */
export interface Client {
  /** Answers that no rule allows. */
  readonly alarms: readonly string[]
  /** Nothing is left that it would repeat. */
  readonly isDone: boolean
  /** Makes one attempt: of the request that is still open, or of a new one. */
  send(process: SimulatedProcess): void
  /** The connection broke, or the client lost patience: whether anything was taken is unknown. */
  loseConnection(process?: SimulatedProcess): void
  /** Leaves the open request as it is; what it holds may be there. */
  giveUp(): void
}

/** What a client has of its world. */
export interface SendingWorld {
  readonly door: FrontDoor
  readonly dice: Dice
  /** Filling of a line, at most. */
  readonly lineBytes: number
  /** Whether now and then a request has so many lines that dear expressions use up what they share. */
  readonly sendsFloods: boolean
  /** The log's clock, UNIX ms. */
  logClockMs(): number
  tell(what: string): void
}

/** Bytes and characters of a line are not the same. */
const FILLINGS = ['.', 'é', '😀'] as const

/** Text that no other line has, the number of its client first. */
export function newText(client: number, line: number, fillings: number): string {
  // Large worlds fill the log: there a character is a byte.
  const filling = fillings > 100 ? '.' : (FILLINGS[line % FILLINGS.length] as string)
  return `${client}-${line}${filling.repeat(fillings)}`
}
