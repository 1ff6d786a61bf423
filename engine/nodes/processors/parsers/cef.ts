import Type from 'typebox'
import { CLOSED, defineParser, MAX_PARTS, objectOf } from './define-parser.ts'

const START = 'CEF:'
const HEADER = [
  ...[
    'cefVersion',
    'deviceVendor',
    'deviceProduct',
    'deviceVersion',
    'deviceEventClassId',
    'name',
    'severity',
  ],
]
const CUSTOM =
  /^(?:c6a[1-4]|cfp[1-4]|cn[1-3]|cs[1-6]|deviceCustomDate[12]|flexDate1|flexNumber[12]|flexString[12])$/
const ESCAPED: Readonly<Record<string, string>> = { n: '\n', r: '\r' }

/** An event in the common event format. All values are texts. */
export const cef = defineParser({
  id: 'parse_cef',
  options: Type.Object(
    {
      translate_custom_fields: Type.Optional(
        Type.Boolean({ description: 'Name custom fields by their labels' }),
      ),
    },
    CLOSED,
  ),
  compile({ translate_custom_fields: translates = false }) {
    return text => {
      const start = text.indexOf(START)
      const header = start < 0 ? undefined : headerIn(text, start + START.length)
      if (header === undefined) return undefined
      const pairs = pairsIn(text, header.end)
      if (pairs === undefined) return undefined
      return objectOf([...header.members, ...(translates ? withLabels(pairs) : pairs)])
    }
  },
  examples: [
    {
      text: '<13>Mar 9 host CEF:0|Bakery|Oven\\|2|1.0|100|door opened|5|src=192.0.2.1 msg=two words \\= a pair\\nnext cs1=rye cs1Label=grain',
      value: {
        cefVersion: '0',
        deviceVendor: 'Bakery',
        deviceProduct: 'Oven|2',
        deviceVersion: '1.0',
        deviceEventClassId: '100',
        name: 'door opened',
        severity: '5',
        src: '192.0.2.1',
        msg: 'two words = a pair\nnext',
        cs1: 'rye',
        cs1Label: 'grain',
      },
    },
    {
      text: 'CEF:0|Bakery|Oven|1.0|100|hot|9|cs1=rye cs1Label=grain cn1=7',
      options: { translate_custom_fields: true },
      value: {
        cefVersion: '0',
        deviceVendor: 'Bakery',
        deviceProduct: 'Oven',
        deviceVersion: '1.0',
        deviceEventClassId: '100',
        name: 'hot',
        severity: '9',
        grain: 'rye',
        cn1: '7',
      },
    },
    { text: 'CEF:0|Bakery|Oven' },
    { text: 'no event' },
  ],
})

interface Header {
  readonly members: readonly (readonly [name: string, value: string])[]
  /** Begin of the extension. */
  readonly end: number
}

function headerIn(text: string, from: number): Header | undefined {
  const members: (readonly [string, string])[] = []
  let start = from
  for (let at = from; at < text.length && members.length < HEADER.length; at++) {
    if (text[at] === '\\') {
      at++
    } else if (text[at] === '|') {
      members.push([HEADER[members.length] as string, unescaped(text.slice(start, at))])
      start = at + 1
    }
  }
  // The bar behind the severity may be missing where nothing follows.
  if (members.length === HEADER.length - 1) {
    members.push([HEADER[members.length] as string, unescaped(text.slice(start))])
    start = text.length
  }
  return members.length === HEADER.length ? { members, end: start } : undefined
}

/** Pairs of the extension: a value ends before the word in front of the next equals sign. */
function pairsIn(text: string, from: number): [key: string, value: string][] | undefined {
  const pairs: [string, string][] = []
  let key: string | undefined
  let valueStart = from
  /** Place of the blank before the present word. */
  let blank = from - 1
  const value = (end: number) => unescaped(text.slice(valueStart, end).trim())
  for (let at = from; at < text.length; at++) {
    const character = text[at]
    if (character === '\\') at++
    else if (character === ' ') blank = at
    // Without a word of its own before it, the sign belongs to the value.
    if (character !== '=' || blank + 1 === at || (key !== undefined && blank < valueStart)) continue
    if (key !== undefined) pairs.push([key, value(blank)])
    if (pairs.length === MAX_PARTS) return undefined
    key = text.slice(blank + 1, at)
    valueStart = at + 1
  }
  if (key !== undefined) pairs.push([key, value(text.length)])
  else if (text.slice(from).trim() !== '') return undefined
  return pairs
}

/** Custom fields take the names of their labels, which go. */
function withLabels(
  pairs: readonly (readonly [key: string, value: string])[],
): (readonly [string, string])[] {
  const labels = new Map(
    pairs.flatMap(([key, value]) => {
      const custom = key.endsWith('Label') ? key.slice(0, -'Label'.length) : ''
      return CUSTOM.test(custom) ? [[custom, value] as const] : []
    }),
  )
  const named = new Set(pairs.map(([key]) => key))
  return pairs.flatMap(([key, value]) => {
    const custom = key.slice(0, -'Label'.length)
    if (key.endsWith('Label') && labels.has(custom) && named.has(custom)) return []
    return [[labels.get(key) ?? key, value] as const]
  })
}

function unescaped(text: string): string {
  return text.replace(/\\([\\|=nr])/g, (_, escaped: string) => ESCAPED[escaped] ?? escaped)
}
