import type { TSchema } from 'typebox'

/** Gives a schema its name in the API document, where all others refer to it. Two shapes never share a name. */
export function named<Schema extends TSchema>(name: string, schema: Schema): Schema {
  return Object.assign(schema, { $id: name })
}

/** A copy of the schema without names, for validators: they refuse a name that occurs twice in one schema. */
export function unnamed<Schema>(schema: Schema): Schema {
  if (Array.isArray(schema)) return schema.map(unnamed) as Schema
  if (typeof schema !== 'object' || schema === null) return schema
  const members = Object.entries(schema).filter(
    ([name, value]) => name !== '$id' || typeof value !== 'string',
  )
  return Object.fromEntries(members.map(([name, value]) => [name, unnamed(value)])) as Schema
}
