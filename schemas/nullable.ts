import Type from 'typebox'

/** A value of a schema, or null. */
export function nullable<T>(schema: Record<string, unknown>): Type.TUnsafe<T | null> {
  return Type.Unsafe<T | null>({ ...schema, type: [schema.type, 'null'] })
}
