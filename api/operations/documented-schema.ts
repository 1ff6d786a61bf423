import type { Keywords, Reads } from '../../schemas/keywords.ts'

type Schema = { readonly [name: string]: unknown }

/** A schema in the words of JSON Schema alone, for readers who do not know ours (schemas/keywords.ts). */
export function documentedSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(documentedSchema)
  if (typeof schema !== 'object' || schema === null) return schema
  const { reads, needsOneOf, exclusivePeers, distinctBy, searchQuery, ...rest } = schema as Schema & Keywords
  const plain = Object.fromEntries(
    Object.entries(rest).map(([name, value]) => [name, documentedSchema(value)]),
  )
  const anyOf = needsOneOf?.map(member => ({ required: [member] }))
  const all = anyOf === undefined ? plain : { ...plain, anyOf }
  return reads === undefined ? all : readSchema(reads, all)
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
