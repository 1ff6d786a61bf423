import { useCallback, useMemo } from 'react'
import { useSearchParams } from 'wouter'
import { LISTS, type ListName, type Order, type Selection } from '../api/searches.ts'
import { instantOf } from '../times/time.ts'

/** One value of a filter. */
export interface FilterValue {
  readonly list: ListName
  readonly value: string
}

/** State of the search page: the query string of its address holds all of it. */
export interface SearchAddress {
  readonly query: string
  readonly from: string
  readonly to: string
  /** Filters of the search. */
  readonly lists: Readonly<Record<ListName, readonly string[]>>
  /** Filters that are switched off: they stay on the page, and leave no line out. */
  readonly off: readonly FilterValue[]
  /** Id of the selected line. */
  readonly line: string | null
  /** Tab of its details. */
  readonly tab: Tab
  readonly order: Order
  readonly isWrapped: boolean
  /** Fields of the columns between the time and the line. */
  readonly columns: readonly string[]
  /** Whether lines are watched as they are accepted. */
  readonly isLive: boolean
  /** Field whose values the histogram tells apart. */
  readonly by: string
  /** Id of the saved view that was opened last. */
  readonly view: string | null
  readonly zone: string | null
  /** UNIX ms at which the list begins, within the range; null: at its end that the order prefers. */
  readonly atMs: number | null
  /** Open dialog: about missing lines, or about a time to go to. */
  readonly asks: 'missing' | 'time' | null
}

export const TABS = ['fields', 'json', 'raw', 'context', 'why'] as const
export type Tab = (typeof TABS)[number]

const USUAL_COLUMNS: readonly string[] = ['level', 'app', 'host']
const USUAL_FROM = '1h'
const MAX_COLUMNS = 12
const NOW = 'now'

export function readAddress(parameters: URLSearchParams): SearchAddress {
  const list = (name: ListName) => (parameters.get(name) ?? '').split(',').filter(each => each !== '')
  const lists = { hosts: list('hosts'), apps: list('apps'), levels: list('levels'), tags: list('tags') }
  const tab = parameters.get('open') as Tab | null
  return {
    query: parameters.get('q') ?? '',
    from: parameters.get('from') ?? USUAL_FROM,
    to: parameters.get('to') ?? NOW,
    lists,
    off: filtersOf(parameters.get('off') ?? '').filter(({ list, value }) => !lists[list].includes(value)),
    line: parameters.get('line'),
    tab: tab !== null && TABS.includes(tab) ? tab : 'fields',
    order: parameters.get('order') === 'oldest' ? 'oldest' : 'newest',
    isWrapped: parameters.get('wrap') === 'on',
    columns: columnsOf(parameters.get('cols')),
    isLive: parameters.get('live') === 'on',
    by: parameters.get('by') ?? 'level',
    view: parameters.get('view'),
    zone: parameters.get('tz'),
    atMs: instant(parameters.get('at')),
    asks: (['missing', 'time'] as const).find(each => each === parameters.get('ask')) ?? null,
  }
}

/** Reads filters that are switched off, such as `apps:web,levels:error`. Other texts are passed over. */
function filtersOf(text: string): FilterValue[] {
  return [...new Set(text.split(','))].flatMap(each => {
    const list = LISTS.find(name => each.startsWith(`${name}:`))
    const value = each.slice(each.indexOf(':') + 1)
    return list === undefined || value === '' ? [] : [{ list, value }]
  })
}

/** Change of an address that switches a filter on or off, or removes it. */
export function changeOfFilter(
  { lists, off }: Pick<SearchAddress, 'lists' | 'off'>,
  { list, value }: FilterValue,
  state: 'on' | 'off' | 'removed',
): AddressChange {
  const otherValues = lists[list].filter(each => each !== value)
  const otherFilters = off.filter(each => each.list !== list || each.value !== value)
  const filters = state === 'off' ? [...otherFilters, { list, value }] : otherFilters
  return {
    [list]: (state === 'on' ? [...otherValues, value] : otherValues).join(','),
    off: filters.map(each => `${each.list}:${each.value}`).join(','),
  }
}

function instant(text: string | null): number | null {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null
}

/** An address without the key has the usual columns; `line` stands for a list of none. */
function columnsOf(text: string | null): readonly string[] {
  if (text === null) return USUAL_COLUMNS
  const names = text.split(',').filter(each => each !== '' && each !== 'line')
  return [...new Set(names)].slice(0, MAX_COLUMNS)
}

/** Text of the columns in an address; undefined for the usual ones. */
export function columnsText(columns: readonly string[]): string | undefined {
  if (columns.join() === USUAL_COLUMNS.join()) return undefined
  return columns.length === 0 ? 'line' : columns.join()
}

/** Members of the address by the names of its keys; undefined or empty removes a key. */
export type AddressChange = Readonly<
  Partial<
    Record<
      | ListName
      | (
          | 'q'
          | 'off'
          | 'from'
          | 'to'
          | 'at'
          | 'line'
          | 'open'
          | 'order'
          | 'wrap'
          | 'by'
          | 'cols'
          | 'live'
          | 'view'
          | 'ask'
        ),
      string | undefined
    >
  >
>

export function changedAddress(parameters: URLSearchParams, change: AddressChange): URLSearchParams {
  const next = new URLSearchParams(parameters)
  for (const [key, value] of Object.entries(change)) {
    if (value === undefined || value === '') next.delete(key)
    else next.set(key, value)
  }
  return next
}

/** The state, and a way to change it. A change is a step that Back undoes, unless it replaces the present one. */
export function useSearchAddress() {
  const [parameters, setParameters] = useSearchParams()
  const address = useMemo(() => readAddress(parameters), [parameters])
  const change = useCallback(
    (members: AddressChange, { replaces = false } = {}) =>
      setParameters(before => changedAddress(before, members), { replace: replaces }),
    [setParameters],
  )
  return { address, change }
}

/** Relative times are read at one instant for a whole page, so that its parts agree. */
export function selectionOf({ query, from, to, lists }: SearchAddress, nowMs: number): Selection {
  const toMs = instantOf(to, nowMs) ?? nowMs
  const fromMs = instantOf(from, nowMs) ?? instantOf(USUAL_FROM, nowMs) ?? 0
  return { query, fromMs: Math.min(fromMs, toMs), toMs, ...lists }
}

/** The part of a selection that the list shows: from a time on, in its order. */
export function listedPart(selection: Selection, { atMs, order }: SearchAddress): Selection {
  if (atMs === null) return selection
  const { fromMs, toMs } = selection
  const within = Math.max(fromMs, Math.min(toMs, atMs))
  return { ...selection, ...(order === 'newest' ? { toMs: within } : { fromMs: within }) }
}
