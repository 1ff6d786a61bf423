import { useCallback } from 'react'
import type { ListName, Selection } from '../api/searches.ts'
import { fieldTerm, withoutTerm, withTerm } from '../query/query-text.ts'
import {
  type AddressChange,
  changeOfFilter,
  columnsText,
  type FilterValue,
  type SearchAddress,
  type useSearchAddress,
} from './search-address.ts'

interface Addressed {
  readonly address: SearchAddress
  readonly change: ReturnType<typeof useSearchAddress>['change']
  /** Sets the instant to which relative times are relative. */
  readonly renew: () => void
}

/** Actions of the parts of the search page, which change its address. */
export function useSearchActions({ address, change, renew }: Addressed) {
  /** Searches anew, with changed conditions or the present ones. */
  const search = useCallback(
    (members: AddressChange) => {
      renew()
      // A list that begins at a time of its range begins there in a narrower search, too.
      const isRange = 'from' in members || 'to' in members
      change({ ...(isRange && { at: undefined }), ...members, line: undefined, open: undefined })
    },
    [change, renew],
  )
  const open = useCallback(
    (line: string, tab?: string) =>
      change({ line, ...(tab !== undefined && { open: tab }) }, { replaces: address.line !== null }),
    [change, address.line],
  )
  const setColumns = useCallback(
    (columns: readonly string[]) => change({ cols: columnsText(columns) }, { replaces: true }),
    [change],
  )
  return {
    search,
    open,
    setColumns,
    /** Searches a part of the time, UNIX ms, both ends included. */
    narrow: (fromMs: number, toMs: number) => search({ from: String(fromMs), to: String(toMs) }),
    /** Lets the list begin at a time, UNIX ms. Where the range does not contain it, the range moves there. */
    goTo: (atMs: number, { fromMs, toMs }: Selection) => {
      const half = Math.round((toMs - fromMs) / 2)
      const isWithin = atMs >= fromMs && atMs <= toMs
      const range = isWithin ? {} : { from: String(Math.max(0, atMs - half)), to: String(atMs + half) }
      change({
        ...range,
        at: String(atMs),
        ask: undefined,
        live: undefined,
        line: undefined,
        open: undefined,
      })
    },
    /** Lets the list begin at the end that its order prefers. */
    goToStart: () => change({ at: undefined }),
    /** Takes a value of a filter, or gives it up. */
    toggle: (list: ListName, value: string) => {
      const state = address.lists[list].includes(value) ? 'removed' : 'on'
      search(changeOfFilter(address, { list, value }, state))
    },
    /** Switches a filter off, which stays on the page, or on again. */
    switchFilter: (filter: FilterValue) => {
      const state = address.lists[filter.list].includes(filter.value) ? 'off' : 'on'
      search(changeOfFilter(address, filter, state))
    },
    /** Removes a filter. One that is switched off changes no line, so nothing is searched. */
    removeFilter: (filter: FilterValue) => {
      const isOn = address.lists[filter.list].includes(filter.value)
      const members = changeOfFilter(address, filter, 'removed')
      if (isOn) search(members)
      else change(members)
    },
    addTerm: (field: string, value: string, isLeftOut: boolean) => {
      const term = fieldTerm(field, value)
      search({ q: isLeftOut ? withoutTerm(address.query, term) : withTerm(address.query, term) })
    },
  }
}
