import type { ReceiverMode, TakenBody } from './taken-body.ts'

/** Counterpart of a destination, which keeps on the disk what it takes. */
export interface DeliveryReceiver {
  /** Its address, also after a restart. */
  readonly origin: string
  /** Manners that it can have. */
  readonly modes: readonly ReceiverMode[]
  /** Key that it asks senders for; absent: none. */
  readonly ingestionKey?: string
  behave(mode: ReceiverMode): Promise<void>
  /** Everything that it has taken, in order. */
  taken(): Promise<readonly TakenBody[]>
  /** Kills it, and starts it again. */
  restart(): Promise<void>
  close(): Promise<void>
}
