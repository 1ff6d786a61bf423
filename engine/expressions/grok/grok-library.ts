import { DATABASE_LOGS } from './patterns/database-logs.ts'
import type { LibraryPatterns } from './patterns/library-pattern.ts'
import { NETWORK_LOGS } from './patterns/network-logs.ts'
import { PLACES } from './patterns/places.ts'
import { PROGRAM_LOGS } from './patterns/program-logs.ts'
import { SYSTEM_LOGS } from './patterns/system-logs.ts'
import { TIMES } from './patterns/times.ts'
import { WEB_LOGS } from './patterns/web-logs.ts'
import { WORDS } from './patterns/words.ts'

/** Groups of patterns, by topic. */
export const GROK_TOPICS: readonly LibraryPatterns[] = [
  ...[WORDS, PLACES, TIMES, SYSTEM_LOGS, WEB_LOGS, DATABASE_LOGS, PROGRAM_LOGS, NETWORK_LOGS],
]

/** Expressions of all patterns that can be named: components, section 9.4. */
export const GROK_LIBRARY: ReadonlyMap<string, string> = new Map(
  GROK_TOPICS.flatMap(topic => Object.entries(topic).map(([name, { is }]) => [name, is] as const)),
)
