import type { Selection } from '../api/searches.ts'
import { useKeys } from '../shell/keys.ts'
import type { AddressChange, SearchAddress } from './search-address.ts'

interface SearchKeys {
  readonly address: SearchAddress
  readonly change: (change: AddressChange) => void
  readonly search: (change: AddressChange) => void
  readonly selection: Selection
  readonly hasLine: boolean
  /** Whether the caller may ask why a line is here. */
  readonly canAsk: boolean
  /** Shows or hides the left column. */
  readonly onLeft: () => void
}

/** Keys of the search page. */
export function useSearchKeys(keys: SearchKeys): void {
  useKeys(key => act(key, keys))
}

/** @returns whether the key means something here */
function act(
  key: string,
  { address, change, search, selection, hasLine, canAsk, onLeft }: SearchKeys,
): boolean {
  const { isLive, isWrapped, order } = address
  const widthMs = selection.toMs - selection.fromMs
  const move = (fromMs: number, toMs: number) =>
    search({ from: String(Math.max(0, Math.round(fromMs))), to: String(Math.round(toMs)) })
  switch (key) {
    case 'l':
      change({ live: isLive ? undefined : 'on' })
      return true
    case 'z':
      change({ wrap: isWrapped ? undefined : 'on' })
      return true
    case 'o':
      change({ order: order === 'newest' ? 'oldest' : undefined })
      return true
    case 'c':
    case 'w':
      if (!hasLine || (key === 'w' && !canAsk)) return false
      change({ open: key === 'c' ? 'context' : 'why' })
      return true
    case 'x':
      if (hasLine) change({ line: undefined, open: undefined })
      return hasLine
    case 'm':
      onLeft()
      return true
    case '[':
      move(selection.fromMs - widthMs, selection.toMs - widthMs)
      return true
    case ']':
      move(selection.fromMs + widthMs, selection.toMs + widthMs)
      return true
    case '-':
      move(selection.fromMs - widthMs / 2, selection.toMs + widthMs / 2)
      return true
    default:
      return false
  }
}
