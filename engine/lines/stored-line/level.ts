import { type JsonObject, NumberText } from '../../../schemas/json.ts'
import { cutCharacters, LEVEL_LIMIT_CHARACTERS } from '../line-limits.ts'

/** Number of characters of a text in which a level is sought: parsing, section 3.2. */
const DETECTION_CHARACTERS = 256

/** The words that are found in texts, each with the stored level. */
const LEVEL_WORDS: readonly (readonly [word: string, level: string])[] = [
  ['CRITICAL', 'CRITICAL'],
  ['DEBUG', 'DEBUG'],
  ['EMERGENCY', 'EMERGENCY'],
  ['ERROR', 'ERROR'],
  ['FATAL', 'FATAL'],
  ['INFO', 'INFO'],
  ['SEVERE', 'SEVERE'],
  ['TRACE', 'TRACE'],
  ['WARN', 'WARN'],
  ['WARNING', 'WARN'],
  ['ALERT', 'ALERT'],
]
/** All levels that are found in texts, in the order of the numbers that the codec gives them. */
export const DETECTED_LEVELS: readonly string[] = [...new Set(LEVEL_WORDS.map(([, level]) => level))]
const SHORTEST_WORD = 4
const LONGEST_WORD = 9

const OUTSIDE = 0
const WORD = 1
/** A letter with which one of the words begins. */
const INITIAL = 2
/** A further byte of a character, which is skipped without being counted. */
const CONTINUATION = 3
const BYTE_CLASS = byteClasses()
const WORDS_BY_PREFIX = wordsByPrefix()

/** Spellings that need no further work: three of every detected level. */
const COMMON_LEVELS: ReadonlyMap<string, string> = new Map(
  LEVEL_WORDS.flatMap(([word]) => {
    const lower = word.toLowerCase()
    return [lower, word, word.charAt(0) + lower.slice(1)].map(spelling => [spelling, word] as const)
  }),
)

/** A sent or parsed level: trimmed, in upper case, cut. */
export function normalLevel(text: string): string {
  return text === ''
    ? ''
    : (COMMON_LEVELS.get(text) ?? cutCharacters(text.trim().toUpperCase(), LEVEL_LIMIT_CHARACTERS))
}

/** The level in member `level` of a parsed line; empty without one. */
export function levelOfMember(value: unknown): string {
  if (typeof value === 'string') return normalLevel(value)
  const isNumber = typeof value === 'number' || typeof value === 'bigint' || value instanceof NumberText
  return isNumber ? String(value) : ''
}

/**
 * Level of a line: its member `level`, else the sent one, else the first one in the text.
 *
 * @param object at the end of the text
 */
export function levelOfLine(
  object: JsonObject | undefined,
  sent: string,
  bytes: Uint8Array,
  start: number,
  end: number,
): string {
  return (
    (object === undefined ? '' : levelOfMember(object.level)) ||
    normalLevel(sent) ||
    detectLevel(bytes, start, end)
  )
}

/** True when member `level` of a parsed line is the level of the record. */
export function saysLevel(value: unknown): boolean {
  return typeof value === 'string' ? value.trim() !== '' : levelOfMember(value) !== ''
}

/**
 * The first whole word among the known levels that ends within the first 256 characters, in any case. A word is a run of
 * ASCII letters, digits and underscores, as for `\b`, so a letter of another script bounds a word. The function reads
 * bytes, so a text line is not decoded for it.
 *
 * @returns the level in upper case; empty without one
 */
export function detectLevel(bytes: Uint8Array, start: number, end: number): string {
  let limit = Math.min(end, start + DETECTION_CHARACTERS)
  let at = start
  while (at < limit) {
    const kind = BYTE_CLASS[bytes[at] as number] as number
    if (kind === OUTSIDE) {
      at++
    } else if (kind === CONTINUATION) {
      at++
      if (limit < end) limit++
    } else {
      const wordStart = at
      at = wordEnd(bytes, at + 1, limit)
      const cutOff = at === limit && limit < end && isWordByte(bytes[limit] as number)
      if (kind === INITIAL && !cutOff) {
        const level = levelOfWord(bytes, wordStart, at - wordStart)
        if (level !== '') return level
      }
    }
  }
  return ''
}

function wordEnd(bytes: Uint8Array, from: number, limit: number): number {
  let at = from
  while (at < limit && isWordByte(bytes[at] as number)) at++
  return at
}

function isWordByte(byte: number): boolean {
  const kind = BYTE_CLASS[byte] as number
  return kind === WORD || kind === INITIAL
}

function levelOfWord(bytes: Uint8Array, start: number, length: number): string {
  if (length < SHORTEST_WORD || length > LONGEST_WORD) return ''
  const candidates = WORDS_BY_PREFIX.get(lowerCasePrefix(bytes, start))
  if (candidates === undefined) return ''
  for (const { word, level } of candidates) {
    if (word.length === length && equalsIgnoringCase(bytes, start, word)) return level
  }
  return ''
}

function equalsIgnoringCase(bytes: Uint8Array, start: number, lowerCaseWord: Uint8Array): boolean {
  for (let index = 0; index < lowerCaseWord.length; index++) {
    if (((bytes[start + index] as number) | 0x20) !== lowerCaseWord[index]) return false
  }
  return true
}

/** Four bytes as one number. Setting bit 0x20 lower-cases letters and does not turn any other character into a letter. */
function lowerCasePrefix(bytes: Uint8Array, start: number): number {
  const first = bytes[start] as number
  const second = bytes[start + 1] as number
  const third = bytes[start + 2] as number
  const fourth = bytes[start + 3] as number
  return (first << 24) | (second << 16) | (third << 8) | fourth | 0x20202020
}

function byteClasses(): Uint8Array {
  const classes = new Uint8Array(256).fill(OUTSIDE)
  for (let byte = 0x80; byte < 0xc0; byte++) classes[byte] = CONTINUATION
  for (const byte of Buffer.from('abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_')) {
    classes[byte] = WORD
  }
  for (const [word] of LEVEL_WORDS) {
    classes[word.charCodeAt(0)] = INITIAL
    classes[word.charCodeAt(0) | 0x20] = INITIAL
  }
  return classes
}

function wordsByPrefix(): Map<number, { word: Uint8Array; level: string }[]> {
  const words = new Map<number, { word: Uint8Array; level: string }[]>()
  for (const [word, level] of LEVEL_WORDS) {
    const bytes = Buffer.from(word.toLowerCase())
    const prefix = lowerCasePrefix(bytes, 0)
    words.set(prefix, [...(words.get(prefix) ?? []), { word: bytes, level }])
  }
  return words
}
