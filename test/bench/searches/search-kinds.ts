import { APPS } from '../lines/messages.ts'
import { RARE_WORDS } from '../lines/rare-words.ts'
import {
  absentId,
  absentWord,
  type SearchedLines,
  shortWord,
  storedId,
  storedRareWord,
} from './searched-lines.ts'

/** A kind of search. Each attempt asks for something else, so that no cache by query can answer. */
export interface SearchKind {
  readonly name: string
  query(lines: SearchedLines, attempt: number): string
  /** Whether so many lines are a right answer; `full` is a full page. */
  finds(found: number, full: number): boolean
}

const LEVELS = ['error', 'warn', 'info']
const app = (attempt: number) => APPS[attempt % APPS.length]
const level = (attempt: number) => LEVELS[attempt % LEVELS.length]
/** A shorter beginning of the word at each turn through all of them. */
const beginning = (word: string, attempt: number) => word.slice(0, 8 - (Math.floor(attempt / RARE_WORDS) % 3))

const page: SearchKind['finds'] = (found, full) => found === full
const none: SearchKind['finds'] = found => found === 0
const one: SearchKind['finds'] = found => found === 1
const some: SearchKind['finds'] = found => found > 0

export const SEARCH_KINDS: readonly SearchKind[] = [
  { name: 'newest 100', query: () => '', finds: page },
  { name: 'newest 100 of a level', query: (_, n) => `level:${level(n)}`, finds: page },
  { name: 'newest 100 of an app', query: (_, n) => `app:${app(n)}`, finds: page },
  {
    name: 'newest 100 of an app and a level',
    query: (_, n) => `app:${app(n)} level:${level(Math.floor(n / APPS.length))}`,
    finds: page,
  },
  { name: 'a word that is nowhere', query: (_, n) => absentWord(n), finds: none },
  { name: 'a whole word that is nowhere', query: (_, n) => `==${absentWord(n)}`, finds: none },
  { name: 'an id that is nowhere', query: (_, n) => absentId(n), finds: none },
  { name: 'an id in one place', query: storedId, finds: one },
  { name: 'a whole id in one place', query: (lines, n) => `==${storedId(lines, n)}`, finds: one },
  { name: 'a field in one place', query: (lines, n) => `trace_id:==${storedId(lines, n)}`, finds: one },
  { name: 'a rare word', query: storedRareWord, finds: some },
  {
    name: 'the beginning of a rare word',
    query: (lines, n) => beginning(storedRareWord(lines, n), n),
    finds: some,
  },
  { name: 'a rare whole word', query: (lines, n) => `==${storedRareWord(lines, n)}`, finds: some },
  { name: 'scan: a word too short for an index', query: (_, n) => shortWord(n), finds: none },
  { name: 'scan: a range that no line is in', query: (_, n) => `dur_ms:>=${2000 + n}`, finds: none },
]
