import type { Keywords, Reads } from '../../schemas/keywords.ts'

type Schema = { readonly [name: string]: unknown }
type Properties = { readonly [name: string]: unknown }

/** Returns a schema in terms of JSON Schema only, for readers that do not know our keywords (schemas/keywords.ts). */
export function documentedSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(documentedSchema)
  if (typeof schema !== 'object' || schema === null) return schema
  const { reads, needsOneOf, needsConditionOf, exclusivePeers, distinctBy, searchQuery, ...rest } =
    schema as Schema & Keywords
  const plain = Object.fromEntries(
    Object.entries(rest).map(([name, value]) =>
      // A property may be called "secret", too.
      name === 'secret' && value === true ? ['x-secret', true] : [name, documentedSchema(value)],
    ),
  )
  if (reads !== undefined) return readSchema(reads, plain)
  return withOneOf(needsOneOf ?? needsConditionOf, withVariants(withMembersOfBoth(plain)))
}

function readSchema(reads: Reads, { items, minItems, ...rest }: Schema): Schema {
  switch (reads.type) {
    case 'integer': {
      const { type, ...bounds } = reads
      return {
        ...rest,
        anyOf: [
          { type, ...bounds },
          { type: 'string', pattern: '^\\s*[+-]?[0-9]{1,15}\\s*$' },
        ],
      }
    }
    case 'boolean':
      return { ...rest, enum: [true, false, 'true', 'false'] }
    case 'word':
      return { ...rest, enum: [...reads.words, ...reads.words.map(Number).filter(Number.isFinite)] }
    case 'list':
      return {
        ...rest,
        anyOf: [
          { type: 'array', items, minItems },
          { type: 'string', minLength: 1 },
        ],
      }
    case 'json':
      return { ...rest, anyOf: [{ type: 'object' }, { type: 'string', minLength: 1 }] }
  }
}

/** Gives a member that only `then` and `else` describe the values of both, because generators read neither. */
function withMembersOfBoth(schema: Schema): Schema {
  const { properties } = schema
  const [one, other] = [schema.then, schema.else].map(branch => (branch as Schema | undefined)?.properties)
  if (properties === undefined || one === undefined || other === undefined) return schema
  const members = Object.entries(properties as Properties).map(([name, member]) => {
    const values = [one, other].flatMap(branch => valuesOf((branch as Properties)[name]))
    return [name, values.length === 0 ? member : { ...(member as Schema), enum: [...new Set(values)] }]
  })
  return { ...schema, properties: Object.fromEntries(members) }
}

function valuesOf(schema: unknown): readonly unknown[] {
  return (schema as { readonly enum?: readonly unknown[] } | undefined)?.enum ?? []
}

interface Variant {
  readonly if: { readonly properties: Properties; readonly required: readonly string[] }
  readonly then: { readonly properties: Properties; readonly required?: readonly string[] }
}

/** Turns the variants that `byWord` expresses as conditions into alternatives, which a generator reads as a union. */
function withVariants(schema: Schema): Schema {
  const { allOf } = schema
  if (!Array.isArray(allOf) || !allOf.every(part => 'if' in part && 'then' in part)) return schema
  const alternatives = (allOf as Variant[]).map(({ if: holds, then: variant }) => ({
    ...variant,
    required: [...holds.required, ...(variant.required ?? [])],
    properties: { ...holds.properties, ...variant.properties },
  }))
  const { allOf: _, ...common } = schema
  return together(common, { oneOf: alternatives })
}

/** @param members at least one of them must be present; absent: no condition */
function withOneOf(members: readonly string[] | undefined, schema: Schema): Schema {
  if (members === undefined) return schema
  const properties = schema.properties as Properties | undefined
  // A part of a condition does not describe members of its own.
  if (properties === undefined) return { ...schema, anyOf: members.map(member => ({ required: [member] })) }
  const anyOf = members.map(member => ({
    type: 'object',
    required: [member],
    properties: { [member]: properties[member] },
  }))
  return together(schema, { anyOf })
}

/** Combines both into one schema with the name and the description of the first. */
function together({ $id, description, ...first }: Schema, second: Schema): Schema {
  return {
    ...($id === undefined ? {} : { $id }),
    ...(description === undefined ? {} : { description }),
    allOf: [first, second],
  }
}
