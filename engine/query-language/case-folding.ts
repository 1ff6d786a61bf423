/** Simple case folding, as Unicode defines it and regular expressions with flags `iu` apply it. */

const LAST_CASED_CODE_POINT = 0x1ffff
const HAS_CASE = /\p{Changes_When_Casemapped}/u

/** Code points that fold to the same one, with that one: `k` has K and the Kelvin sign. Only those with others. */
let orbits: ReadonlyMap<number, readonly number[]> | undefined

/** All code points that equal this one without regard to case, itself included, lowest first. */
export function caseVariants(codePoint: number): readonly number[] {
  orbits ??= findOrbits()
  return orbits.get(codePoint) ?? [codePoint]
}

/** The same number for all that are equal without regard to case. */
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
    // Two that have several characters in upper case may equal each other, and no other: ﬅ and ﬆ.
    join(found, character, firstOfUpper.get(upper) ?? character)
    firstOfUpper.set(upper, firstOfUpper.get(upper) ?? character)
  }
  for (const orbit of found.values()) orbit.sort((a, b) => a - b)
  return found
}

/** Full mappings such as ß to SS are none of ours: what counts is what `iu` takes for equal. */
function join(orbits: Map<number, number[]>, one: string, other: string): void {
  if (one === other || [...other].length !== 1 || !new RegExp(`^${other}$`, 'iu').test(one)) return
  const first = one.codePointAt(0) as number
  const second = other.codePointAt(0) as number
  const merged = [...new Set([...(orbits.get(first) ?? [first]), ...(orbits.get(second) ?? [second])])]
  for (const codePoint of merged) orbits.set(codePoint, merged)
}
