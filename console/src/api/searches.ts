import { linesOf } from './pieces.ts'
import { Problem } from './problem.ts'
import { elementTexts, type LineMembers, type LineText, lineText, parseExact, shownValue } from './records.ts'
import { read, send } from './request.ts'

/** Conditions of a search; both times are UNIX ms, inclusive. */
export interface Selection {
  readonly query: string
  readonly fromMs: number
  readonly toMs: number
  readonly hosts: readonly string[]
  readonly apps: readonly string[]
  readonly levels: readonly string[]
  readonly tags: readonly string[]
}

export const LISTS = ['hosts', 'apps', 'levels', 'tags'] as const
export type ListName = (typeof LISTS)[number]

/** Parameters of the conditions, as all searches take them. */
export function parametersOf(selection: Selection): URLSearchParams {
  const parameters = new URLSearchParams({ from: String(selection.fromMs), to: String(selection.toMs) })
  if (selection.query.trim() !== '') parameters.set('query', selection.query)
  for (const name of LISTS) if (selection[name].length > 0) parameters.set(name, selection[name].join(','))
  return parameters
}

/** Address of the request that answers the same as a page. */
export function searchAddress(selection: Selection, order: Order): string {
  const parameters = parametersOf(selection)
  parameters.set('order', order)
  return `/v3/search?${parameters}`
}

export type Order = 'newest' | 'oldest'

export interface SearchPage {
  readonly order: Order
  readonly limit: number
  /** Position of a line: only lines behind it are read. */
  readonly after?: string | undefined
}

export type SearchPiece =
  | { readonly lines: readonly LineText[] }
  | { readonly coveredToMs: number; readonly rows: number }
  | { readonly next: string | null; readonly access: string }

const INCOMPLETE = 'The answer ended too early: the server may have stopped.'

/** Reads lines as they are found. @throws Problem */
export async function* search(
  selection: Selection,
  { order, limit, after }: SearchPage,
  signal: AbortSignal,
): AsyncGenerator<SearchPiece> {
  const parameters = parametersOf(selection)
  parameters.set('order', order)
  parameters.set('limit', String(limit))
  if (after !== undefined) parameters.set('after', after)
  const answer = await send(`/v3/search?${parameters}`, { signal })
  for await (const piece of linesOf(answer)) {
    if (piece.startsWith('{"lines":[')) {
      yield { lines: elementTexts(piece).map(lineText) }
      continue
    }
    const { progress, end } = JSON.parse(piece) as {
      progress?: { covered_to: number; rows: number }
      end?: { next: string | null; access: string }
    }
    if (progress !== undefined) yield { coveredToMs: progress.covered_to, rows: progress.rows }
    if (end === undefined) continue
    yield end
    return
  }
  throw new Problem(0, INCOMPLETE)
}

/** Time for counts that are to cover the whole period; the server allows no more. */
export const WHOLE_BUDGET_MS = 30_000

export interface Histogram {
  readonly from: number
  readonly to: number
  readonly interval_ms: number
  readonly starts: readonly number[]
  readonly series: readonly { readonly name: string; readonly lines: readonly number[] }[]
  readonly other: readonly number[]
  readonly lines: number
  readonly complete: boolean
  readonly covered_from: number
}

export async function histogram(
  selection: Selection,
  {
    by,
    zone,
    buckets,
    budgetMs,
  }: { by: string; zone: string; buckets: number; budgetMs?: number | undefined },
  signal: AbortSignal,
): Promise<Histogram> {
  const parameters = parametersOf(selection)
  if (by !== '') parameters.set('by', by)
  parameters.set('zone', zone)
  parameters.set('buckets', String(buckets))
  if (budgetMs !== undefined) parameters.set('budget_ms', String(budgetMs))
  const { data } = await read<{ data: Histogram }>(`/v3/search/histogram?${parameters}`, { signal })
  return data
}

export interface Facet {
  readonly field: string
  readonly values: readonly { readonly value: string; readonly lines: number }[]
  readonly other: number
  readonly absent: number
  readonly distinct: number
  readonly exact: boolean
  readonly of_lines: number
  readonly complete: boolean
  readonly covered_from: number
}

export async function facets(
  selection: Selection,
  { fields, budgetMs }: { readonly fields: readonly string[]; readonly budgetMs?: number | undefined },
  signal: AbortSignal,
): Promise<readonly Facet[]> {
  const parameters = parametersOf(selection)
  parameters.set('fields', fields.join(','))
  if (budgetMs !== undefined) parameters.set('budget_ms', String(budgetMs))
  const { data } = await read<{ data: readonly Facet[] }>(`/v3/search/facet?${parameters}`, { signal })
  return data
}

export interface Context {
  readonly before: readonly LineText[]
  readonly line: LineText
  readonly after: readonly LineText[]
  readonly moreBefore: boolean
  readonly moreAfter: boolean
}

export interface ContextWish {
  readonly lineId: string
  readonly before: number
  readonly after: number
  readonly host?: string | undefined
  readonly app?: string | undefined
}

export async function context(wish: ContextWish, signal: AbortSignal): Promise<Context> {
  const parameters = new URLSearchParams({
    line_id: wish.lineId,
    before: String(wish.before),
    after: String(wish.after),
  })
  if (wish.host) parameters.set('hosts', wish.host)
  if (wish.app) parameters.set('apps', wish.app)
  const answer = await send(`/v3/search/context?${parameters}`, { signal })
  const { data } = parseExact(await answer.text()) as unknown as { data: ContextData }
  return {
    before: data.before.map(lineOf),
    line: lineOf(data.line),
    after: data.after.map(lineOf),
    moreBefore: data.more_before,
    moreAfter: data.more_after,
  }
}

interface ContextData {
  readonly before: readonly LineMembers[]
  readonly line: LineMembers
  readonly after: readonly LineMembers[]
  readonly more_before: boolean
  readonly more_after: boolean
}

/** @throws Problem 404 for a line that is gone */
export async function oneLine(id: string, signal: AbortSignal): Promise<LineText> {
  const answer = await send(`/v3/search/line/${encodeURIComponent(id)}`, { signal })
  const { data } = parseExact(await answer.text()) as unknown as { data: LineMembers }
  return lineOf(data)
}

function lineOf(members: LineMembers): LineText {
  return lineText(shownValue(members))
}
