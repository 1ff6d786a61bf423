import { useSyncExternalStore } from 'react'
import { browserZone, isZone } from '../times/time.ts'

export type Theme = 'light' | 'dark' | 'system'

/** Preferences of the reader; they hold nothing of lines. */
export interface Preferences {
  readonly theme: Theme
  /** IANA name; empty: that of the browser. */
  readonly zone: string
  /** Whether single keys act. */
  readonly hasKeys: boolean
  /** Whether the left column of search and of a graph is shown. */
  readonly hasLeft: boolean
}

const KEY = 'weir-preferences'
const USUAL: Preferences = { theme: 'system', zone: '', hasKeys: true, hasLeft: true }

const listeners = new Set<() => void>()
let present = stored()

function stored(): Preferences {
  try {
    const read = JSON.parse(localStorage.getItem(KEY) ?? '{}') as Partial<Preferences>
    const theme = read.theme === 'light' || read.theme === 'dark' ? read.theme : 'system'
    const zone = typeof read.zone === 'string' && isZone(read.zone) ? read.zone : ''
    return { theme, zone, hasKeys: read.hasKeys !== false, hasLeft: read.hasLeft !== false }
  } catch {
    return USUAL
  }
}

export function setPreferences(change: Partial<Preferences>): void {
  present = { ...present, ...change }
  localStorage.setItem(KEY, JSON.stringify(present))
  applyTheme()
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function usePreferences(): Preferences {
  return useSyncExternalStore(subscribe, () => present)
}

/** Zone in which times are shown: of the address, else preferred, else of the browser. */
export function useZone(ofAddress: string | null): string {
  const { zone } = usePreferences()
  if (ofAddress !== null && isZone(ofAddress)) return ofAddress
  return zone === '' ? browserZone() : zone
}

const darkSystem = window.matchMedia('(prefers-color-scheme: dark)')

function applyTheme(): void {
  const isDark = present.theme === 'system' ? darkSystem.matches : present.theme === 'dark'
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light'
}

/** Shows the preferred theme, and follows the system where that is preferred. */
export function followTheme(): void {
  applyTheme()
  darkSystem.addEventListener('change', applyTheme)
}
