/** Simple case folding as defined by Unicode and used by regular expressions with flags `iu`. */

const LAST_CASED_CODE_POINT = 0x1ffff
const HAS_CASE = /\p{Changes_When_Casemapped}/u

/** Groups of code points that fold to the same one: `k`, K and the Kelvin sign. Code points without variants are left out. */
let orbits: ReadonlyMap<number, readonly number[]> | undefined

/** All case variants of this code point, including itself, lowest first. */
export function caseVariants(codePoint: number): readonly number[] {
  orbits ??= findOrbits()
  return orbits.get(codePoint) ?? [codePoint]
}

/** A number that is equal for all case variants of a code point. */
export function foldCodePoint(codePoint: number): number {
  return caseVariants(codePoint)[0] as number
}

function findOrbits(): Map<number, readonly number[]> {
  const found = new Map<number, number[]>()
  const firstOfUpper = new Map<string, string>()
  for (let codePoint = 0; codePoint <= LAST_CASED_CODE_POINT; codePoint++) {
    const character = String.fromCodePoint(codePoint)
    if (!HAS_CASE.test(character)) continue
    const upper = character.toUpperCase()
    for (const mapped of [character.toLowerCase(), upper]) join(found, character, mapped)
    // Two characters whose upper case has several characters may equal each other, but no third one: ﬅ and ﬆ.
    join(found, character, firstOfUpper.get(upper) ?? character)
    firstOfUpper.set(upper, firstOfUpper.get(upper) ?? character)
  }
  for (const orbit of found.values()) orbit.sort((a, b) => a - b)
  return found
}

/** Full mappings such as ß to SS are not used: only the equality of `iu` counts. */
function join(orbits: Map<number, number[]>, one: string, other: string): void {
  if (one === other || [...other].length !== 1 || !new RegExp(`^${other}$`, 'iu').test(one)) return
  const first = one.codePointAt(0) as number
  const second = other.codePointAt(0) as number
  const merged = [...new Set([...(orbits.get(first) ?? [first]), ...(orbits.get(second) ?? [second])])]
  for (const codePoint of merged) orbits.set(codePoint, merged)
}
