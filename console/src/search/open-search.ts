import { useCallback, useMemo, useState } from 'react'
import type { Selection } from '../api/searches.ts'
import { isLine } from '../lines/rows.ts'
import { readQuery } from '../query/read-query.ts'
import { useZone } from '../shell/preferences.ts'
import { useLiveTail } from '../tail/live-tail.ts'
import { useFoundLines } from './found-lines.ts'
import { useSearchActions } from './search-actions.ts'
import { listedPart, selectionOf, useSearchAddress } from './search-address.ts'

/** Lines of the search that stand before a tail. */
const MOST_BEFORE_TAIL = 200

/** The search of the present address: its conditions, its lines, and the actions that change it. */
export type OpenSearch = ReturnType<typeof useOpenSearch>

/** Reads the lines of the search that the address of the page contains. */
export function useOpenSearch() {
  const { address, change } = useSearchAddress()
  const { nowMs, renew } = useInstant()
  const zone = useZone(address.zone)
  const selection = useSame(selectionOf(address, nowMs))
  const listed = useSame(listedPart(selection, address))
  const reading = useFoundLines(listed, address.order)
  const { found } = reading
  const conditions = useMemo(() => ({ query: address.query, ...address.lists }), [address])
  const before = useMemo(() => found.lines.slice(0, MOST_BEFORE_TAIL).filter(isLine), [found.lines])
  const tail = useLiveTail(conditions, { isOn: address.isLive, zone, before })
  const words = useMemo(() => readQuery(address.query).words, [address.query])
  const actions = useSearchActions({ address, change, renew })
  const rows = address.isLive ? tail.rows : found.lines
  return { address, change, zone, selection, listed, ...reading, tail, rows, words, actions }
}

/** The instant that relative times are relative to, until the next search. */
function useInstant() {
  const [nowMs, setNow] = useState(() => Date.now())
  const renew = useCallback(() => setNow(Date.now()), [])
  return { nowMs, renew }
}

/** A selection that stays the same value while nothing of it changes, so that opening a line searches nothing. */
function useSame(selection: Selection): Selection {
  const text = JSON.stringify(selection)
  return useMemo(() => JSON.parse(text) as Selection, [text])
}
