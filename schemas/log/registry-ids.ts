import assert from 'node:assert/strict'
import type avro from 'avsc'
import {
  avroType,
  BUNDLED_SCHEMAS,
  bundledSchema,
  decodeBody,
  HEADER_BYTES,
  isWireFormat,
  type SchemaName,
  schemaIdOf,
  schemaText,
  WireFormatError,
  withSchemaId,
} from './wire-format.ts'

type Translation = (value: Buffer) => Buffer

const unchanged: Translation = value => value

/**
 * Whether an id can name a schema beside the bundled ones. A log that was begun without a registry has records with bundled
 * ids, which stay readable: a registry's id must not name another schema there.
 */
export function isFreeFor(name: SchemaName, id: number): boolean {
  return BUNDLED_SCHEMAS.every(bundled => bundled.id !== id || bundled.name === name)
}

/**
 * Schema ids of records on a log whose schemas a registry manages. The program itself uses only bundled ids: values are
 * translated when they are written to that log and read from it.
 */
export class RegistryIds {
  readonly #outward = new Map<number, number>()
  /** Translations by the id in the record. */
  readonly #inward = new Map<number, Translation>()

  /** @param given the registry's id of every bundled schema */
  constructor(given: ReadonlyMap<SchemaName, number>) {
    for (const { id } of BUNDLED_SCHEMAS) this.#inward.set(id, unchanged)
    for (const [name, id] of given) {
      assert(
        isFreeFor(name, id),
        `Schema id ${id} cannot name ${name}: it is the bundled id of another schema.`,
      )
      const bundledId = bundledSchema(name).id
      this.#outward.set(bundledId, id)
      if (id !== bundledId) this.#inward.set(id, value => withSchemaId(value, bundledId))
    }
  }

  /** A value as it is written to the log. A value that is not in the wire format stays unchanged. */
  outward(value: Buffer): Buffer {
    const id = isWireFormat(value) ? this.#outward.get(schemaIdOf(value)) : undefined
    return id === undefined ? value : withSchemaId(value, id)
  }

  /** Unknown schema id of a value. It must be learnt before the value can be read. */
  unknownId(value: Buffer): number | undefined {
    if (!isWireFormat(value)) return undefined
    const id = schemaIdOf(value)
    return this.#inward.has(id) ? undefined : id
  }

  /**
   * Adds an id that another version of the program got from the registry.
   *
   * @param text its schema, JSON
   * @throws WireFormatError when this program cannot read values of that schema
   */
  learn(id: number, text: string): void {
    this.#inward.set(id, translationFrom(avroType(text)))
  }

  /** A value from the log as this program encodes it. @throws WireFormatError when it is damaged */
  inward(value: Buffer): Buffer {
    if (!isWireFormat(value)) return value
    const translate = this.#inward.get(schemaIdOf(value))
    assert(translate !== undefined, 'An id is learnt before its records are read.')
    return translate(value)
  }
}

/** Translates values of another version of a schema to this version, by Avro's rules of schema resolution. */
function translationFrom(writer: avro.Type): Translation {
  const bundled = BUNDLED_SCHEMAS.find(({ name }) => `weir.${name}` === writer.name)
  if (bundled === undefined)
    throw new WireFormatError(
      `records of ${writer.name} are unknown to this version: start the version that wrote them`,
    )
  const own = avroType(schemaText(bundled.name))
  const resolver = resolverOf(own, writer)
  return value => {
    const decoded = decodeBody(own, bundled.name, value, resolver)
    const header = withSchemaId(value.subarray(0, HEADER_BYTES), bundled.id)
    return Buffer.concat([header, own.toBuffer(decoded)])
  }
}

function resolverOf(own: avro.Type, writer: avro.Type) {
  try {
    return own.createResolver(writer)
  } catch (cause) {
    throw new WireFormatError(
      `this version cannot read a ${writer.name} written by another version: start that version. ${(cause as Error).message}`,
      { cause },
    )
  }
}
