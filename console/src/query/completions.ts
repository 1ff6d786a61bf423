import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { fields, values } from '../api/completions.ts'
import type { Selection } from '../api/searches.ts'
import { count } from '../numbers.ts'
import { TEXT } from '../texts.ts'
import { MINUTE_MS } from '../times/time.ts'
import type { QueryContext } from './query-context.ts'
import { quoted } from './query-text.ts'

/** One row of the list below the query field. */
export interface Completion {
  readonly text: string
  /** Replaces the part of the query at the cursor, or the whole query. */
  readonly insert: string
  readonly from: number
  readonly to: number
  readonly note: string
}

const MOST = 12
const TYPING_MS = 150
const KEYWORDS = ['AND', 'OR', 'NOT']
const PLAIN_VALUE = /^[\p{L}\p{N}_][\p{L}\p{N}_./@+-]*$/u

/** @returns a value as a query contains it behind the name of its field */
export function valueText(value: string): string {
  return PLAIN_VALUE.test(value) && !KEYWORDS.includes(value) ? value : quoted(value)
}

/** Names of fields, values, keywords and earlier queries that fit at the cursor. */
export function useCompletions(
  context: QueryContext | undefined,
  { query, selection, recent }: { query: string; selection: Selection; recent: readonly string[] },
): readonly Completion[] {
  const wanted = useSettled(context)
  // The whole query is not complete while one types; time and filters narrow the names.
  const among = { ...selection, query: '' }
  const { data } = useQuery({
    queryKey: ['completions', among, subjectOf(wanted), wanted?.prefix],
    queryFn: async ({ signal }) => ({
      subject: subjectOf(wanted),
      rows: wanted === undefined ? [] : await found(wanted, among, signal),
    }),
    enabled: wanted !== undefined,
    staleTime: MINUTE_MS,
    placeholderData: before => before,
  })
  if (context === undefined) return []
  const { prefix, from, to } = context
  const fits = (text: string) => text.toLowerCase().startsWith(prefix.toLowerCase())
  // Rows of the term before do not fit this one.
  const known = data?.subject === subjectOf(context) ? data.rows : []
  const rows = known.filter(({ text }) => fits(text)).map(each => ({ ...each, from, to }))
  if (context.kind === 'value') return rows
  if (query.trim() === '')
    return recent
      .slice(0, MOST)
      .map(each => ({ text: each, insert: each, from: 0, to: query.length, note: TEXT.earlierQuery }))
  const keywords = KEYWORDS.filter(each => prefix !== '' && each.startsWith(prefix) && from > 0)
  return [...keywords.map(each => ({ text: each, insert: `${each} `, from, to, note: '' })), ...rows]
}

type FoundCompletion = Omit<Completion, 'from' | 'to'>

/** The kind of completion, and the field whose values are completed. */
function subjectOf(context: QueryContext | undefined): string {
  return context?.kind === 'value' ? `value ${context.field}` : (context?.kind ?? '')
}

async function found(
  wanted: QueryContext,
  among: Selection,
  signal: AbortSignal,
): Promise<readonly FoundCompletion[]> {
  const { prefix } = wanted
  if (wanted.kind === 'value') {
    const { values: all } = await values(among, { field: wanted.field, prefix, limit: MOST }, signal)
    return all.map(({ value, lines }) => ({
      text: value,
      insert: valueText(value),
      note: TEXT.lines(count(lines)),
    }))
  }
  const { fields: all } = await fields(among, { prefix, limit: MOST }, signal)
  return all.map(({ name, examples }) => ({ text: name, insert: `${name}:`, note: examples.join(', ') }))
}

/** The context at the cursor, once one does not type any more. */
function useSettled(context: QueryContext | undefined): QueryContext | undefined {
  const [settled, setSettled] = useState<QueryContext>()
  const text = context === undefined ? '' : JSON.stringify(context)
  useEffect(() => {
    const timer = setTimeout(
      () => setSettled(text === '' ? undefined : (JSON.parse(text) as QueryContext)),
      TYPING_MS,
    )
    return () => clearTimeout(timer)
  }, [text])
  return settled
}
