import { readFileSync } from 'node:fs'
import avro from 'avsc'

/**
 * Every value on the log: Avro in the Confluent wire format, that is one zero byte, the schema id as four
 * bytes, big endian, and the Avro body. The ids below are used where no schema registry is configured;
 * they are part of what is kept on disk and never change.
 */
export const BUNDLED_SCHEMAS = [
  { id: 1, name: 'LineBatch', file: 'line-batch.1.avsc' },
  { id: 2, name: 'Control', file: 'control.1.avsc' },
  { id: 3, name: 'KeyedEvents', file: 'keyed-events.1.avsc' },
  { id: 4, name: 'CheckpointPart', file: 'checkpoint-part.1.avsc' },
  { id: 5, name: 'Checkpoint', file: 'checkpoint.1.avsc' },
  { id: 6, name: 'DeadLetter', file: 'dead-letter.1.avsc' },
  { id: 7, name: 'ConfigurationEvent', file: 'configuration-event.1.avsc' },
  { id: 8, name: 'ConfigurationSnapshot', file: 'configuration-snapshot.1.avsc' },
] as const

export type SchemaName = (typeof BUNDLED_SCHEMAS)[number]['name']

const HEADER_BYTES = 5
const MAGIC_BYTE = 0

/** A value that is not in the wire format, or whose schema this program does not know. */
export class WireFormatError extends Error {
  override readonly name = 'WireFormatError'
}

/** Encodes and decodes the values of one schema. */
export class WireType<T> {
  readonly id: number
  readonly schemaName: SchemaName
  readonly #type: avro.Type

  constructor(schemaName: SchemaName) {
    const entry = BUNDLED_SCHEMAS.find(schema => schema.name === schemaName)
    if (entry === undefined) throw new WireFormatError(`unknown schema ${schemaName}`)
    const text = readFileSync(new URL(`./avro/${entry.file}`, import.meta.url), 'utf8')
    this.id = entry.id
    this.schemaName = schemaName
    // Unions are wrapped ({ 'weir.Tick': … }) only where the branches cannot be told apart otherwise.
    this.#type = avro.Type.forSchema(JSON.parse(text) as avro.Schema, { wrapUnions: 'auto' } as never)
  }

  /** @param sizeHint expected size in bytes; a wrong hint costs a second pass, nothing else */
  encode(value: T, sizeHint = 1024): Buffer {
    const first = Buffer.allocUnsafe(sizeHint + HEADER_BYTES)
    const end = this.#type.encode(value, first, HEADER_BYTES)
    if (end >= 0) return this.#withHeader(first.subarray(0, end))
    const second = Buffer.allocUnsafe(first.length - end) // avsc answers minus the bytes that were missing
    this.#type.encode(value, second, HEADER_BYTES)
    return this.#withHeader(second)
  }

  /** @throws WireFormatError when the bytes are of another schema or damaged */
  decode(bytes: Buffer): T {
    const id = schemaIdOf(bytes)
    if (id !== this.id)
      throw new WireFormatError(`expected a ${this.schemaName} (schema ${this.id}), found schema ${id}`)
    try {
      return this.#type.decode(bytes, HEADER_BYTES).value as T
    } catch (cause) {
      throw new WireFormatError(`damaged ${this.schemaName}`, { cause })
    }
  }

  #withHeader(bytes: Buffer): Buffer {
    bytes[0] = MAGIC_BYTE
    bytes.writeUInt32BE(this.id, 1)
    return bytes
  }
}

/** @throws WireFormatError when the bytes do not begin with a header */
export function schemaIdOf(bytes: Buffer): number {
  if (bytes.length < HEADER_BYTES || bytes[0] !== MAGIC_BYTE)
    throw new WireFormatError('not in the wire format')
  return bytes.readUInt32BE(1)
}
