import type { KeyboardEvent } from 'react'
import { usePreferences } from '../shell/preferences.ts'

/**
 * Keys on a value of a field: `+` adds it to the query, `_` leaves it out. They act while something of the value has the
 * focus, unless the reader has turned keys off.
 *
 * @returns makes the listener of one value
 */
export function useFieldKeys() {
  const { hasKeys } = usePreferences()
  return (take: (isLeftOut: boolean) => void) => (event: KeyboardEvent) => {
    if (!hasKeys || event.ctrlKey || event.metaKey || event.altKey) return
    if (event.key !== '+' && event.key !== '_') return
    event.preventDefault()
    event.stopPropagation()
    take(event.key === '_')
  }
}
