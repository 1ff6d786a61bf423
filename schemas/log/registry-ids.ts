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
 * Whether an id may stand for a schema beside the bundled ones. A log that was begun without a registry has records
 * under bundled ids, which stay readable: a registry's id must not mean another schema there.
 */
export function isFreeFor(name: SchemaName, id: number): boolean {
  return BUNDLED_SCHEMAS.every(bundled => bundled.id !== id || bundled.name === name)
}

/**
 * The ids that records carry on a log whose schemas a registry keeps. The program itself knows its bundled ids alone:
 * values are translated on their way to that log and back.
 */
export class RegistryIds {
  readonly #outward = new Map<number, number>()
  /** By the id that a record carries. */
  readonly #inward = new Map<number, Translation>()

  /** @param given the registry's id of every bundled schema */
  constructor(given: ReadonlyMap<SchemaName, number>) {
    for (const { id } of BUNDLED_SCHEMAS) this.#inward.set(id, unchanged)
    for (const [name, id] of given) {
      assert(
        isFreeFor(name, id),
        `Schema id ${id} cannot stand for ${name}: it is the bundled id of another.`,
      )
      const bundledId = bundledSchema(name).id
      this.#outward.set(bundledId, id)
      if (id !== bundledId) this.#inward.set(id, value => withSchemaId(value, bundledId))
    }
  }

  /** A value as it goes to the log. What is not in the wire format goes as it is. */
  outward(value: Buffer): Buffer {
    const id = isWireFormat(value) ? this.#outward.get(schemaIdOf(value)) : undefined
    return id === undefined ? value : withSchemaId(value, id)
  }

  /** The id of a value that must be learnt before the value can be read. */
  unknownId(value: Buffer): number | undefined {
    if (!isWireFormat(value)) return undefined
    const id = schemaIdOf(value)
    return this.#inward.has(id) ? undefined : id
  }

  /**
   * Makes known an id that another version of the program got from the registry.
   *
   * @param text its schema, JSON
   * @throws WireFormatError when this program cannot read what was written with it
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

/** What another version of a schema wrote becomes what this one would have written, by the rules of Avro. */
function translationFrom(writer: avro.Type): Translation {
  const bundled = BUNDLED_SCHEMAS.find(({ name }) => `weir.${name}` === writer.name)
  if (bundled === undefined)
    throw new WireFormatError(
      `records of ${writer.name} are not known to this version: start the one that wrote them`,
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
      `this version cannot read a ${writer.name} of the one that wrote it: start that one. ${(cause as Error).message}`,
      { cause },
    )
  }
}
