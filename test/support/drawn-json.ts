import fc from 'fast-check'

/** JSON in any spelling, and its compact form: keys in the order sent, numbers as they are kept. */
export interface DrawnJson {
  readonly sent: string
  readonly compact: string
}

/** Drawn value without its spelling, which is drawn separately, so that one value can be sent in two spellings. */
export type DrawnValue =
  | { readonly atom: DrawnJson }
  | { readonly text: string }
  | { readonly elements: readonly DrawnValue[] }
  | { readonly members: readonly (readonly [key: string, value: DrawnValue])[] }

const ATOMS: readonly DrawnJson[] = [
  ...['null', 'true', 'false', '0', '7', '-12', '0.5', '12345678901234567890', '-9007199254740993'].map(
    text => ({ sent: text, compact: text }),
  ),
  // The longest integers that a double is near to.
  ...['9'.repeat(308), `-1${'0'.repeat(308)}`].map(text => ({ sent: text, compact: text })),
  // Beyond a double: the text that was sent.
  ...['1e400', '-1E+999', `1${'0'.repeat(400)}.5`, '1.5e0400', '9'.repeat(309), `-${'7'.repeat(400)}`].map(
    text => ({ sent: text, compact: text }),
  ),
  { sent: '1.0', compact: '1' },
  { sent: '-0', compact: '0' },
  { sent: '1E2', compact: '100' },
  { sent: '1e21', compact: '1e+21' },
  { sent: '0.10000000000000000555', compact: '0.1' },
  { sent: '1e-400', compact: '0' },
]

/** Keys that JavaScript would move, some that look so, and names that mean something to it. */
const KEYS = [
  ...['7', '10', '0', '07', '-1', '4294967294', '4294967295', '1.0', '1e3', '__proto__', 'constructor'],
  ...['toJSON', 'rawJSON', '', 'a', 'b', 'ok', 'Straße', 'ﬀ"', '#7', 'a.b', '\u2028', '😀'],
]

const drawnKey = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...KEYS) },
  // With these characters, `JSON.parse` may return the key of another object: see `parseKeySafe`.
  { weight: 1, arbitrary: fc.constantFrom('\\', '\\u', '"', '\n') },
  fc.string({ maxLength: 4 }),
)
const drawnText = fc.oneof(
  fc.constantFrom('Straße', '{}', '', '1e400', '"', '\\', '/', '\n', '\u007f', '7', 'a: b, c', '\u2028😀'),
  fc.string({ unit: 'grapheme', maxLength: 8 }).map(text => text.toWellFormed()),
)

const tree = fc.letrec<{ value: DrawnValue; members: DrawnValue }>(tie => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(...ATOMS).map(atom => ({ atom })),
    drawnText.map(text => ({ text })),
    fc.array(tie('value'), { maxLength: 4 }).map(elements => ({ elements })),
    tie('members'),
  ),
  members: fc
    .uniqueArray(fc.tuple(drawnKey, tie('value')), { maxLength: 6, selector: ([key]) => key })
    .map(members => ({ members })),
}))

export const drawnValue: fc.Arbitrary<DrawnValue> = tree.value
/** An object. */
export const drawnMembers = tree.members as fc.Arbitrary<Extract<DrawnValue, { members: unknown }>>

/** Numbers from 0 to 99 that decide about one spelling after the other. */
export const drawnSpelling: fc.Arbitrary<readonly number[]> = fc.array(fc.nat(99), {
  minLength: 1,
  maxLength: 40,
  size: 'max',
})

export function compactText(value: DrawnValue): string {
  if ('atom' in value) return value.atom.compact
  if ('text' in value) return JSON.stringify(value.text)
  if ('elements' in value) return `[${value.elements.map(compactText).join(',')}]`
  return `{${value.members.map(([key, member]) => `${JSON.stringify(key)}:${compactText(member)}`).join(',')}}`
}

/** The value in some spelling: with blanks, escapes, and keys that are said twice, of which the last counts. */
export function spelledText(value: DrawnValue, spelling: readonly number[]): string {
  let at = 0
  const next = () => spelling[at++ % spelling.length] as number
  const blank = () => ['', '', '', ' ', '\n', '\t  '][next() % 6] as string
  const spelledString = (text: string) => {
    const characters = [
      ...JSON.stringify(text)
        .slice(1, -1)
        .matchAll(/\\u....|\\.|[^\\]/gsu),
    ].map(([character]) => {
      if (character.startsWith('\\') || next() < 70) return character
      if (character === '/') return '\\/'
      const units = Array.from({ length: character.length }, (_, unit) => character.charCodeAt(unit))
      const hex = (unit: number) => unit.toString(16).padStart(4, '0')
      return units.map(unit => `\\u${next() < 50 ? hex(unit) : hex(unit).toUpperCase()}`).join('')
    })
    return `"${characters.join('')}"`
  }
  const spelled = (each: DrawnValue): string => {
    if ('atom' in each) return each.atom.sent
    if ('text' in each) return spelledString(each.text)
    if ('elements' in each)
      return `[${blank()}${each.elements.map(spelled).join(`${blank()},${blank()}`)}${blank()}]`
    const members = each.members.map(([key, member]) => {
      const name = () => `${spelledString(key)}${blank()}:${blank()}`
      return { name, text: `${name()}${spelled(member)}` }
    })
    // A key that was said before stays where it is.
    const repeated = members.length > 0 && next() < 20 ? members[0] : undefined
    const texts = members.map(({ text }) => text)
    if (repeated !== undefined) texts.splice(0, 1, `${repeated.name()}{"7":null}`)
    if (repeated !== undefined) texts.push(repeated.text)
    return `{${blank()}${texts.join(`${blank()},${blank()}`)}${blank()}}`
  }
  return spelled(value)
}
