import { read } from './request.ts'
import { parametersOf, type Selection } from './searches.ts'

export interface FieldOfLines {
  /** Name of the field in the query language. */
  readonly name: string
  readonly type: 'text' | 'number' | 'both'
  readonly lines: number
  readonly examples: readonly string[]
}

interface Coverage {
  /** Whether there are further ones that are not listed. */
  readonly more: boolean
  readonly of_lines: number
  readonly complete: boolean
}

export interface Fields extends Coverage {
  readonly fields: readonly FieldOfLines[]
}

export interface Values extends Coverage {
  readonly values: readonly { readonly value: string; readonly lines: number }[]
}

/** Names of fields in the newest lines of a search, those of most lines first. @throws Problem */
export async function fields(
  selection: Selection,
  { prefix, limit }: { readonly prefix: string; readonly limit: number },
  signal: AbortSignal,
): Promise<Fields> {
  const parameters = parametersOf(selection)
  parameters.set('limit', String(limit))
  if (prefix !== '') parameters.set('prefix', prefix)
  const { data } = await read<{ data: Fields }>(`/v3/search/field?${parameters}`, { signal })
  return data
}

/** Values of a field in the newest lines of a search, those of most lines first. @throws Problem */
export async function values(
  selection: Selection,
  { field, prefix, limit }: { readonly field: string; readonly prefix: string; readonly limit: number },
  signal: AbortSignal,
): Promise<Values> {
  const parameters = parametersOf(selection)
  parameters.set('field', field)
  parameters.set('limit', String(limit))
  if (prefix !== '') parameters.set('prefix', prefix)
  const { data } = await read<{ data: Values }>(`/v3/search/value?${parameters}`, { signal })
  return data
}
