import avro from 'avsc'
import { AVRO_SCHEMAS } from './avro-schemas.ts'

/**
 * Every value on the log: Avro in the Confluent wire format, that is one zero byte, the schema id as four
 * bytes, big endian, and the Avro body. The ids below are used where no schema registry is configured;
 * they are part of what is kept on disk and never change. A schema registry counts from 1, and one id must mean one
 * schema wherever it is met: schemas to come get ids from 1,000,000,001 on, which no registry reaches.
 */
export const BUNDLED_SCHEMAS = [
  { id: 1, name: 'LineBatch', file: 'line-batch.1.avsc' },
  { id: 2, name: 'Control', file: 'control.1.avsc' },
  { id: 4, name: 'CheckpointPart', file: 'checkpoint-part.1.avsc' },
  { id: 5, name: 'Checkpoint', file: 'checkpoint.1.avsc' },
  { id: 7, name: 'ConfigurationEvent', file: 'configuration-event.1.avsc' },
  { id: 8, name: 'ConfigurationSnapshot', file: 'configuration-snapshot.1.avsc' },
  { id: 1_000_000_001, name: 'Rekeyed', file: 'rekeyed.1.avsc' },
  { id: 1_000_000_002, name: 'DeadLetters', file: 'dead-letters.1.avsc' },
  { id: 1_000_000_003, name: 'KeyAnswers', file: 'key-answers.1.avsc' },
  { id: 1_000_000_005, name: 'ConfigurationLoss', file: 'configuration-loss.1.avsc' },
  {
    id: 1_000_000_006,
    name: 'ConfigurationSnapshotAfterLoss',
    file: 'configuration-snapshot-after-loss.1.avsc',
  },
] as const

export type SchemaName = (typeof BUNDLED_SCHEMAS)[number]['name']

export const HEADER_BYTES = 5
const MAGIC_BYTE = 0

/** A value that is not in the wire format, or whose schema this program does not know. */
export class WireFormatError extends Error {
  override readonly name = 'WireFormatError'
}

export function bundledSchema(name: SchemaName): (typeof BUNDLED_SCHEMAS)[number] {
  const found = BUNDLED_SCHEMAS.find(schema => schema.name === name)
  if (found === undefined) throw new WireFormatError(`unknown schema ${name}`)
  return found
}

/** A schema as it is written down, JSON. */
export function schemaText(name: SchemaName): string {
  return AVRO_SCHEMAS[bundledSchema(name).file]
}

export function avroType(text: string): avro.Type {
  // Unions are wrapped ({ 'weir.Tick': … }) only where the branches cannot be told apart otherwise.
  return avro.Type.forSchema(JSON.parse(text) as avro.Schema, { wrapUnions: 'auto' } as never)
}

/** Encodes and decodes the values of one schema. */
export class WireType<T> {
  readonly id: number
  readonly schemaName: SchemaName
  readonly #type: avro.Type

  constructor(schemaName: SchemaName) {
    this.id = bundledSchema(schemaName).id
    this.schemaName = schemaName
    this.#type = avroType(schemaText(schemaName))
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
    if (id !== this.id) {
      const isBundled = BUNDLED_SCHEMAS.some(schema => schema.id === id)
      const remedy = isBundled
        ? ''
        : ': give SCHEMA_REGISTRY_URL the value that the process which wrote it has'
      throw new WireFormatError(
        `expected a ${this.schemaName} (schema ${this.id}), found schema ${id}${remedy}`,
      )
    }
    return decodeBody(this.#type, this.schemaName, bytes) as T
  }

  #withHeader(bytes: Buffer): Buffer {
    bytes[0] = MAGIC_BYTE
    bytes.writeUInt32BE(this.id, 1)
    return bytes
  }
}

/** @param resolver where another version of the schema was written with @throws WireFormatError when it is damaged */
export function decodeBody(
  type: avro.Type,
  name: SchemaName,
  bytes: Buffer,
  resolver?: ReturnType<avro.Type['createResolver']>,
): unknown {
  try {
    const { value, offset } = type.decode(bytes, HEADER_BYTES, resolver)
    if (offset >= 0) return value // avsc answers -1 when bytes are missing.
  } catch (cause) {
    throw new WireFormatError(`damaged ${name}`, { cause })
  }
  throw new WireFormatError(`damaged ${name}: bytes are missing at its end`)
}

export function isWireFormat(bytes: Buffer): boolean {
  return bytes.length >= HEADER_BYTES && bytes[0] === MAGIC_BYTE
}

/** @throws WireFormatError when the bytes do not begin with a header */
export function schemaIdOf(bytes: Buffer): number {
  if (!isWireFormat(bytes)) throw new WireFormatError('not in the wire format')
  return bytes.readUInt32BE(1)
}

/** The same value under another id: a copy. */
export function withSchemaId(bytes: Buffer, id: number): Buffer {
  const copy = Buffer.from(bytes)
  copy.writeUInt32BE(id, 1)
  return copy
}
