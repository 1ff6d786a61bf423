import type { Outbox } from './outbox.ts'

/** A line as a program hands it to the client that it logs with. */
export interface LoggedLine {
  /** Absent: the program logged nothing at all. */
  readonly text?: string
  readonly app: string
  readonly level: string
  /** UNIX ms. */
  readonly timeMs: number
  readonly meta?: object
}

/** Members of a line that all clients send. */
export interface SentLine {
  readonly line: string | undefined
  readonly [member: string]: unknown
}

/** A client that sends lines to a server. */
export interface ShippingClient {
  readonly outbox: Pick<Outbox<SentLine>, 'settled' | 'abandon' | 'lost' | 'failures' | 'delivered'>
  log(line: LoggedLine): void
}

export interface ClientOptions {
  readonly origin: string
  readonly key: string
  readonly hostname: string
}
