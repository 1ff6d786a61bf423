import { BEHAVIOUR } from '../../../schemas/log/behaviour-numbers.ts'
import { controlType } from '../../../schemas/log/control.ts'
import { type DeliveryReport, deliveryReportsType } from '../../../schemas/log/delivery-reports.ts'
import { lossIn } from '../../../schemas/log/loss.ts'
import { outgoingType } from '../../../schemas/log/outgoing.ts'
import { NewerSchemaError, schemaIdOf } from '../../../schemas/log/wire-format.ts'
import { FoldError } from '../../fold/fold-error.ts'
import type { PartitionName } from '../../fold/run-watch.ts'
import { sourceKey } from '../../fold/spread/spread-account.ts'
import { valueFormsOf } from '../../lines/columns/value-forms.ts'
import type { LogRecord } from '../../log/log.ts'
import { type HandedPart, handedParts } from './handed-events.ts'

/** A record of an outbox partition, decoded. */
export interface OutboxRecord {
  readonly offset: bigint
  /** Log time is at least this, UNIX ms; 0: the record does not move it. */
  readonly timeMs: number
  /** Behaviour number that a program needs to read it. */
  readonly behaviour: number
  readonly content: OutboxContent
}

export type OutboxContent =
  /** Events that a partition handed over, and deletions that it has read. */
  | HandedRecord
  | { readonly kind: 'reports'; readonly epoch: number; readonly reports: readonly DeliveryReport[] }
  | { readonly kind: 'owner' }
  /** A tick, or the place of a lost record. */
  | { readonly kind: 'none' }

export interface HandedRecord {
  readonly kind: 'handed'
  readonly account: string
  /** Key of the partition that handed the events over. */
  readonly source: string
  readonly parts: readonly HandedPart[]
}

/** Records that several readers share are decoded once. */
const DECODED = new WeakMap<LogRecord, OutboxRecord>()
const NONE = { kind: 'none' } as const
const OWNER = { kind: 'owner' } as const

/**
 * Decodes a record of an outbox partition.
 *
 * @throws FoldError when it is damaged, was written by a newer program, or does not belong there
 */
export function outboxRecord(partition: PartitionName, record: LogRecord): OutboxRecord {
  const known = DECODED.get(record)
  if (known !== undefined) return known
  const where = `record ${record.offset} of ${partition.topic}/${partition.partition}`
  try {
    const decoded = decodedRecord(record)
    if (decoded.behaviour <= BEHAVIOUR) {
      DECODED.set(record, decoded)
      return decoded
    }
  } catch (cause) {
    if (!(cause instanceof NewerSchemaError))
      throw new FoldError(`${where} cannot be read: ${(cause as Error).message}`, { cause })
  }
  throw new FoldError(`${where} was written by a newer program: start that one`)
}

function decodedRecord(record: LogRecord): OutboxRecord {
  const { offset, appendTimeMs: timeMs, value } = record
  const loss = lossIn(record)
  if (loss !== undefined) return { offset, timeMs: loss.witnessed?.timeMs ?? 0, behaviour: 0, content: NONE }
  const id = schemaIdOf(value)
  if (id === outgoingType.id) {
    const outgoing = outgoingType.decode(value)
    const { behaviour, account, sourceTopic, sourcePartition } = outgoing
    const source = sourceKey({ topic: sourceTopic, partition: sourcePartition })
    const parts = handedParts(outgoing, valueFormsOf(behaviour))
    return { offset, timeMs, behaviour, content: { kind: 'handed', account, source, parts } }
  }
  if (id === deliveryReportsType.id) {
    const { behaviour, epoch, reports } = deliveryReportsType.decode(value)
    return { offset, timeMs, behaviour, content: { kind: 'reports', epoch, reports } }
  }
  const { behaviour, body } = controlType.decode(value)
  if ('weir.Owner' in body) return { offset, timeMs, behaviour, content: OWNER }
  const deadlineMs = 'weir.Tick' in body ? body['weir.Tick'].deadlineMs : 0
  return { offset, timeMs: Math.max(timeMs, deadlineMs), behaviour, content: NONE }
}
