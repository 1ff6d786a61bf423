import type { ErrorCode } from '../../event/errors.ts'
import type { Event } from '../../event/event.ts'
import type { OwnStoreContext } from '../../lines/stored-line/line-draft.ts'
import type { StoredLine } from '../../lines/stored-line/stored-line.ts'
import type { Steps } from '../../steps.ts'

/** Turns events into lines of the own store. */
export interface OwnStoreSink {
  /**
   * Fills every member of `line`, which may refer to memory that the next call reuses: the caller appends it to a block
   * before that. The same event and context always give the same line.
   *
   * @returns undefined, or the reason why the event gives no line
   */
  fill(event: Event, line: StoredLine, context: OwnStoreContext): DeliveryFailure | undefined

  /** First step of `fill`: every member of `line` except level and fields. */
  fillHead(event: Event, line: StoredLine, context: OwnStoreContext): DeliveryFailure | undefined

  /** Like `fillHead`, in steps, for a line that is long. Nothing else may be filled between them. */
  fillingHead(event: Event, line: StoredLine, context: OwnStoreContext): Steps<DeliveryFailure | undefined>

  /** Facts about the line whose head was filled last. */
  readonly head: LineHead

  /** Work per event that grows with the options, for `CostMeter.work`; 0: it is little. */
  readonly renderingUnits: number

  /** Second step of `fill`, on the line whose head was filled last. */
  fillFields(line: StoredLine, context: OwnStoreContext): void

  /** Like `fillFields`, in steps. Nothing else may be filled between them. */
  fillingFields(line: StoredLine, context: OwnStoreContext): Steps
}

/** Facts that determine level and fields of a line, in addition to its text. */
export interface LineHead {
  /** Sent level; empty: none. */
  readonly level: string
  /** Members that the service gives the record: a sum of OWN_MEMBERS. */
  readonly own: number
  /**
   * Whether level and fields follow from these facts and a text that was sent. If so, the text stays where it is when the
   * next line is filled. A LineCodec may then read it with others of its batch instead of `fillFields`.
   */
  readonly isSentTextAlone: boolean
}

/** Reason why an event cannot be delivered. */
export interface DeliveryFailure<Code extends ErrorCode = ErrorCode> {
  readonly code: Code
  /** The path concerned. */
  readonly field: string | null
  /** One sentence, which contains nothing of the event's content. */
  readonly message: string
}
