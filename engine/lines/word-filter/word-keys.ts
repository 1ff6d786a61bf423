/**
 * Keys by which filters find words. A term matches only where a token begins (query language, section 4.2), so a text
 * gives keys at each start of a token. Keys are beginnings of the run of ASCII letters and digits behind the start, in
 * lower case.
 *
 * | Key                 | Given by a start with                                         |
 * | ------------------- | ------------------------------------------------------------- |
 * | 6 characters        | at least 6 in its run                                         |
 * | 4, 8, 16 characters | at least that many of one kind: letters, or digits            |
 * | 12 characters       | at least 12 in its run, the first 4 of them of one kind       |
 *
 * A term that begins at a start has a run that begins like that of the text. All keys are beginnings, so each key of
 * the term is a key of the text. Characters outside ASCII end runs, with two exceptions. The long s and the Kelvin sign
 * count as the ASCII letter that they equal without regard to case.
 */

/** The keys of one start. All of them are in the same section of a filter. */
export interface StartKeys {
  /** 0 to 63. */
  readonly section: number
  /** Hashes of 64 bits: the upper ones choose a word of the section, the lower ones three bits in it. */
  readonly hashes: readonly bigint[]
}

/** Length of the shortest run that has a key. */
const LEAST_CHARACTERS = 4
const FIRST_MULTIPLIER = 0x9e3779b97f4a7c15n
const SECOND_MULTIPLIER = 0xd6e8feb86659fd93n
const RUN = /[0-9A-Za-z]{4,}/g
const ONE_KIND = /^(?:[0-9]+|[a-z]+)/
const FOLDED: Readonly<Record<string, string>> = { '\u017f': 's', '\u212a': 'K' }

/**
 * The keys of all starts of a text. A filter makes the same keys in WebAssembly (`engine/lines/wasm/assembly/word-filter.ts`), and tests
 * compare the two: nothing else calls this.
 */
export function keysOfText(text: string): StartKeys[] {
  return keysAt(text, /(?<![0-9A-Za-z])|(?<=[A-Za-z])(?=[0-9])|(?<=[0-9])(?=[A-Za-z])|(?<=[a-z])(?=[A-Z])/g)
}

/**
 * Keys that every text with a match of a term has. An upper-case letter of the term begins no token for certain: case may
 * be ignored.
 */
export function keysOfTerm(term: string): StartKeys[] {
  return keysAt(term, /(?<![0-9A-Za-z])|(?<=[A-Za-z])(?=[0-9])|(?<=[0-9])(?=[A-Za-z])/g)
}

/** Text in which letters outside ASCII that equal one in it are that letter. */
export function foldedText(text: string): string {
  return text.replaceAll(/[\u017f\u212a]/g, letter => FOLDED[letter] as string)
}

/** Place of a key in a section of so many words. The number of words is a power of two. */
export function wordOf(hash: bigint, words: number): number {
  return Number((hash >> 54n) / BigInt(1024 / words))
}

/** The three bits of a key in its word; they may coincide. */
export function bitsOf(hash: bigint): bigint {
  return (1n << (hash & 63n)) | (1n << ((hash >> 6n) & 63n)) | (1n << ((hash >> 12n) & 63n))
}

function keysAt(text: string, starts: RegExp): StartKeys[] {
  return [...foldedText(text).matchAll(RUN)].flatMap(({ 0: run, index, input }) =>
    [...input.slice(index, index + run.length).matchAll(starts)].flatMap(({ index: start }) => {
      const behind = run.slice(start).toLowerCase()
      return behind.length < LEAST_CHARACTERS ? [] : keysOfStart(behind)
    }),
  )
}

function keysOfStart(run: string): StartKeys[] {
  const kind = (ONE_KIND.exec(run) as RegExpExecArray)[0].length
  const lengths = [
    ...(run.length >= 6 ? [6] : []),
    ...[4, 8, 16].filter(length => kind >= length),
    ...(kind >= 4 && run.length >= 12 ? [12] : []),
  ]
  if (lengths.length === 0) return []
  return [{ section: sectionOf(run), hashes: lengths.map(length => hashOf(run.slice(0, length))) }]
}

function sectionOf(run: string): number {
  return Number(product(numberOf(run.slice(0, 4)), FIRST_MULTIPLIER) >> 58n)
}

function hashOf(key: string): bigint {
  let hash = product(
    numberOf(key.slice(0, 8)) ^ product(BigInt(key.length), SECOND_MULTIPLIER),
    FIRST_MULTIPLIER,
  )
  hash = product(hash ^ (hash >> 32n) ^ numberOf(key.slice(8)), SECOND_MULTIPLIER)
  return hash ^ (hash >> 29n)
}

/** Up to eight characters as a little-endian number. */
function numberOf(characters: string): bigint {
  let number = 0n
  for (let index = characters.length - 1; index >= 0; index--)
    number = (number << 8n) | BigInt(characters.charCodeAt(index) | 0x20)
  return number
}

function product(one: bigint, other: bigint): bigint {
  return BigInt.asUintN(64, one * other)
}
