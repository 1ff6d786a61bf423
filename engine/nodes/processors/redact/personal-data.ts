import { compileCapturing } from '../../../expressions/captures/capturing-expression.ts'
import type { Pattern } from './redaction.ts'

/** The core of these expressions is their group 1: between edges, which are not a letter, digit or underscore. */
const EDGE = '[^\\p{L}\\p{Nd}_]'
const MATCHED = 1

function betweenEdges(core: string, after = `${EDGE}|$`): string {
  return `(?:^|${EDGE})(${core})(?:${after})`
}

const SPACE = '[ -]?'
const BYTE = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)'
const ADDRESS = `${BYTE}(?:\\.${BYTE}){3}`

/** Companies by their first digits and lengths; groups of digits may be parted. There is no check digit test. */
const CREDIT_CARD = [
  `4\\d{3}(?:${SPACE}\\d{4}){3}`,
  `4\\d{3}(?:${SPACE}\\d{4}){2}${SPACE}\\d`,
  `(?:5[1-7]|2[1-7])\\d\\d(?:${SPACE}\\d{4}){3}`,
  `3[47]\\d\\d${SPACE}\\d{6}${SPACE}\\d{5}`,
  `(?:30[0-59]|3[689]\\d)\\d${SPACE}\\d{6}${SPACE}\\d{4}`,
  `(?:6011|65\\d\\d)(?:${SPACE}\\d{4}){3}`,
  `(?:2131|1800)(?:${SPACE}\\d{4}){2}${SPACE}\\d{3}`,
  `35\\d\\d(?:${SPACE}\\d{4}){3}`,
].join('|')

const AREA = '(?:00[1-9]|0[1-9]\\d|[1-57-8]\\d\\d|6[0-57-9]\\d|66[0-57-9])'
const GROUP = '(?:0[1-9]|[1-9]\\d)'
const SERIAL = '(?:000[1-9]|00[1-9]\\d|0[1-9]\\d\\d|[1-9]\\d{3})'

const ATOM = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
const QUOTED = '"(?:[\\x20\\x21\\x23-\\x5b\\x5d-\\x7e]|\\\\[\\x20-\\x7e])*"'
const LABEL = '[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?'
const BRACKETED = `\\[(?:${ADDRESS}|[A-Za-z0-9-]*[A-Za-z0-9]:[\\x21-\\x5a\\x5e-\\x7e]+)\\]`

interface KnownPattern extends Omit<Pattern, 'expression'> {
  readonly expression: string
}

/** Expressions of the known kinds of personal data: components, section 9.6. */
const KNOWN: Readonly<Record<string, KnownPattern>> = {
  credit_card: { expression: betweenEdges(CREDIT_CARD), group: MATCHED, digits: 13 },
  email_address: {
    expression: `(?:${ATOM}(?:\\.${ATOM})*|${QUOTED})@(?:${LABEL}(?:\\.${LABEL})+|${BRACKETED})`,
    group: 0,
    digits: 0,
    hint: /@/,
  },
  ipv4_address: {
    // A digit after the next point belongs to something else, such as a version.
    expression: betweenEdges(ADDRESS, '[^\\p{L}\\p{Nd}_.]|\\.[^0-9]|\\.?$'),
    group: MATCHED,
    digits: 0,
    hint: /\d\.\d{1,3}\.\d{1,3}\.\d/,
  },
  phone_number: {
    expression: '(?:\\+?\\d{1,3}[ .-]?)?(?:\\(\\d{3}\\)|\\d{3})[ .-]?\\d{3}[ .-]?\\d{4}',
    group: 0,
    digits: 10,
  },
  us_social_security_number: {
    expression: betweenEdges(`${AREA}${SPACE}${GROUP}${SPACE}${SERIAL}`),
    group: MATCHED,
    digits: 9,
  },
}

/** @param name of a known kind, such as `credit_card` */
export function knownPattern(name: string): Pattern {
  const known = KNOWN[name]
  if (known === undefined) throw new RangeError(`no pattern "${name}"`)
  return { ...known, expression: compileCapturing(known.expression) }
}
