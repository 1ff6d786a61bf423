import { BEHAVIOUR } from '../../schemas/log/behaviour-numbers.ts'
import { type Control, controlType } from '../../schemas/log/control.ts'
import { type DeadLetters, deadLettersType } from '../../schemas/log/dead-letters.ts'
import { lineBatchType } from '../../schemas/log/line-batch.ts'
import { type Rekeyed, rekeyedType } from '../../schemas/log/rekeyed.ts'
import { NewerSchemaError, schemaIdOf } from '../../schemas/log/wire-format.ts'
import { LineBatchView } from '../lines/columns/line-batch-view.ts'
import type { LogRecord } from '../log/log.ts'
import { FoldError } from './fold-error.ts'
import type { FoldMoment } from './fold-moment.ts'
import type { PartitionName } from './run-watch.ts'

/** Content of a record that is not a control record. */
export type RecordContent = { readonly account: string } & (
  | { readonly kind: 'lines'; readonly batch: LineBatchView }
  | { readonly kind: 'rekeyed'; readonly rekeyed: Rekeyed }
  | { readonly kind: 'letters'; readonly letters: DeadLetters }
)

/** Decodes the records of a partition, and puts the behaviour numbers that they carry into force. */
export class RecordReader {
  readonly #partition: PartitionName
  readonly #moment: FoldMoment

  constructor(partition: PartitionName, moment: FoldMoment) {
    this.#partition = partition
    this.#moment = moment
  }

  /**
   * @returns undefined when it is not a control record
   * @throws FoldError when it is damaged, or was written by a newer program
   */
  control(record: LogRecord): Control | undefined {
    const id = this.#decoded(record, () => schemaIdOf(record.value))
    if (id === lineBatchType.id || rekeyedType.has(id) || deadLettersType.has(id)) return undefined
    const control = this.#decoded(record, () => controlType.decode(record.value))
    this.#bringIntoForce(record, control.behaviour)
    return control
  }

  /** Reads a record that is not a control record. @throws FoldError like `control` */
  content(record: LogRecord): RecordContent {
    const { value } = record
    const id = schemaIdOf(value)
    if (deadLettersType.has(id)) {
      const letters = this.#decoded(record, () => deadLettersType.decode(value))
      this.#bringIntoForce(record, letters.behaviour)
      return { account: letters.account, kind: 'letters', letters }
    }
    if (rekeyedType.has(id)) {
      const rekeyed = this.#decoded(record, () => rekeyedType.decode(value))
      this.#bringIntoForce(record, rekeyed.behaviour)
      return { account: rekeyed.account, kind: 'rekeyed', rekeyed }
    }
    const batch = this.#decoded(record, () => LineBatchView.decode(value, this.#moment.forms))
    return { account: batch.account, kind: 'lines', batch }
  }

  #bringIntoForce(record: LogRecord, behaviour: number): void {
    if (this.#moment.bringIntoForce(behaviour)) return
    const newer = `behaviour ${behaviour}, this one knows ${BEHAVIOUR}`
    throw this.#refusal(record, `was written by a newer program (${newer}): start that one`)
  }

  #decoded<T>(record: LogRecord, decode: () => T): T {
    try {
      return decode()
    } catch (cause) {
      if (cause instanceof NewerSchemaError)
        throw this.#refusal(record, 'was written by a newer program: start that one', { cause })
      throw this.#refusal(record, `cannot be read: ${(cause as Error).message}`, { cause })
    }
  }

  #refusal({ offset }: LogRecord, why: string, options?: ErrorOptions): FoldError {
    const { topic, partition } = this.#partition
    return new FoldError(`record ${offset} of ${topic}/${partition} ${why}`, options)
  }
}
