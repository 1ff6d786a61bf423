import avro from 'avsc'
import { AVRO_SCHEMAS } from './avro-schemas.ts'

/**
 * Schemas of all values on the log. The Confluent wire format is one zero byte, the schema id as four big-endian bytes, and the
 * Avro body. The ids below are used without a schema registry. They are part of the stored data and never change.
 * A schema registry counts from 1, and an id must name the same schema everywhere. New schemas therefore get ids from
 * 1,000,000,001 on, which no registry reaches.
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
  { id: 1_000_000_007, name: 'NamedStatesCheckpoint', file: 'named-states-checkpoint.1.avsc' },
  { id: 1_000_000_008, name: 'AnnotatedRekeyed', file: 'annotated-rekeyed.1.avsc' },
  { id: 1_000_000_009, name: 'AnnotatedDeadLetters', file: 'annotated-dead-letters.1.avsc' },
  { id: 1_000_000_010, name: 'ConfigurationQuarantine', file: 'configuration-quarantine.1.avsc' },
  {
    id: 1_000_000_011,
    name: 'ConfigurationSnapshotWithQuarantine',
    file: 'configuration-snapshot-with-quarantine.1.avsc',
  },
  { id: 1_000_000_012, name: 'Outgoing', file: 'outgoing.1.avsc' },
  { id: 1_000_000_013, name: 'DeliveryReports', file: 'delivery-reports.1.avsc' },
  { id: 1_000_000_014, name: 'LanesCheckpoint', file: 'lanes-checkpoint.1.avsc' },
] as const

export type SchemaName = (typeof BUNDLED_SCHEMAS)[number]['name']

/** Lowest id that only this program gives to schemas; registries do not reach it. */
const FIRST_OWN_ID = 1_000_000_001

export const HEADER_BYTES = 5
const MAGIC_BYTE = 0

/** A value that is not in the wire format, or whose schema this program does not know. */
export class WireFormatError extends Error {
  override readonly name = 'WireFormatError'
}

/** A value of a schema that a newer program has added. */
export class NewerSchemaError extends WireFormatError {
  constructor(id: number) {
    super(`schema ${id} belongs to a newer program: start that one`)
  }
}

export function bundledSchema(name: SchemaName): (typeof BUNDLED_SCHEMAS)[number] {
  const found = BUNDLED_SCHEMAS.find(schema => schema.name === name)
  if (found === undefined) throw new WireFormatError(`unknown schema ${name}`)
  return found
}

/** Source text of a schema, JSON. */
export function schemaText(name: SchemaName): string {
  return AVRO_SCHEMAS[bundledSchema(name).file]
}

/** @param typeHook gives own types for parts of the schema */
export function avroType(text: string, typeHook?: (schema: unknown) => avro.Type | undefined): avro.Type {
  // Unions are wrapped ({ 'weir.Tick': … }) only where the branches cannot be distinguished otherwise.
  // The hook may be absent, which the declared type of the options does not allow.
  return avro.Type.forSchema(JSON.parse(text) as avro.Schema, { wrapUnions: 'auto', typeHook } as never)
}

/** Part of avsc's reader and writer. */
interface Tap {
  readonly buf: Buffer
  pos: number
  readLong(): number
}

/** Bytes that share the memory of the value that they are read from, where avsc copies them. */
class SharedBytesType extends avro.types.BytesType {
  _read(tap: Tap): Buffer {
    const length = tap.readLong()
    const start = tap.pos
    tap.pos = length < 0 ? Number.POSITIVE_INFINITY : start + length
    return tap.buf.subarray(start, tap.pos)
  }
}

function sharedBytes(schema: unknown): avro.Type | undefined {
  return schema === 'bytes' ? new SharedBytesType() : undefined
}

/** Encodes and decodes the values of one schema. */
export class WireType<T> {
  readonly id: number
  readonly schemaName: SchemaName
  readonly #type: avro.Type

  /** @param options.sharesBytes whether decoded bytes share the memory of the encoded value instead of being copies */
  constructor(schemaName: SchemaName, { sharesBytes = false } = {}) {
    this.id = bundledSchema(schemaName).id
    this.schemaName = schemaName
    this.#type = avroType(schemaText(schemaName), sharesBytes ? sharedBytes : undefined)
  }

  /** @param sizeHint expected size in bytes; a wrong hint costs a second pass, nothing else */
  encode(value: T, sizeHint = 1024): Buffer {
    const first = Buffer.allocUnsafe(sizeHint + HEADER_BYTES)
    const end = this.#type.encode(value, first, HEADER_BYTES)
    if (end >= 0) return this.#withHeader(first.subarray(0, end))
    const second = Buffer.allocUnsafe(first.length - end) // on overflow avsc returns the negated number of missing bytes
    this.#type.encode(value, second, HEADER_BYTES)
    return this.#withHeader(second)
  }

  /** @throws NewerSchemaError; WireFormatError when the bytes are of another schema or damaged */
  decode(bytes: Buffer): T {
    const id = schemaIdOf(bytes)
    if (id !== this.id) {
      const isBundled = BUNDLED_SCHEMAS.some(schema => schema.id === id)
      if (!isBundled && id >= FIRST_OWN_ID) throw new NewerSchemaError(id)
      const remedy = isBundled ? '' : ': set SCHEMA_REGISTRY_URL to the value of the process that wrote it'
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

/**
 * Values of a schema that an extension of it can hold, too. Only values that need the extension are written by it, so programs that do not
 * know it read all others.
 */
export class ExtendedType<T> {
  readonly #plain: WireType<T>
  readonly #extended: WireType<T>
  readonly #isExtended: (value: T) => boolean

  /** @param isExtended whether a value needs the extension */
  constructor(plain: SchemaName, extended: SchemaName, isExtended: (value: T) => boolean) {
    this.#plain = new WireType(plain)
    this.#extended = new WireType(extended)
    this.#isExtended = isExtended
  }

  /** Whether a schema is one of the two. */
  has(schemaId: number): boolean {
    return schemaId === this.#plain.id || schemaId === this.#extended.id
  }

  /** @param sizeHint works as in `WireType.encode` */
  encode(value: T, sizeHint?: number): Buffer {
    return (this.#isExtended(value) ? this.#extended : this.#plain).encode(value, sizeHint)
  }

  /** @throws NewerSchemaError; WireFormatError like `WireType.decode` */
  decode(bytes: Buffer): T {
    return (schemaIdOf(bytes) === this.#extended.id ? this.#extended : this.#plain).decode(bytes)
  }
}

/**
 * @param resolver needed when the value was written with another version of the schema
 * @throws WireFormatError when the value is damaged
 */
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

/** A copy of the value with another schema id. */
export function withSchemaId(bytes: Buffer, id: number): Buffer {
  const copy = Buffer.from(bytes)
  copy.writeUInt32BE(id, 1)
  return copy
}
