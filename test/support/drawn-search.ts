import fc from 'fast-check'
import type { SentLine } from './sent-lines.ts'

/** Lines and queries for tests, drawn from few words, so that queries often find something. */

const WORDS = [
  'error',
  'Error',
  'ERROR',
  'SyntaxError',
  'syntax',
  'barRier2',
  'bar',
  'x1y2',
  'web-1',
  '10.0.0.1',
  '/var/log',
  'Été',
  'éTÉ',
  'ΣΑΣ',
  'σας',
  'ſucceſs',
  'success',
  'Ok',
  '\u212aelvin',
  'kelvin',
  '中文',
  'ǅungla',
  'ǆungla',
  '404',
  '40',
  '4.04e2',
  '-5',
  'true',
  'fooBarBaz',
  '4bf92f35',
  '12345',
  'aB12345c',
  '9007199254740993',
  '12345678901234567890',
  'a\u212aelvin',
  'naïveté',
  '%a%',
  'a_b',
  '😀',
  'aͅι',
  '',
]
const NAMES = ['a', 'b', 'name', 'status', 'user', 'message', 'level', 'msg', '_x', 'app', 'tag', 'a.b', '7']
const NUMBERS = [404, 40, 4.5, -5, 0, 1e20, 9007199254740991]

const word = fc.constantFrom(...WORDS)
const text = fc
  .array(word, { minLength: 1, maxLength: 4 })
  .chain(words => fc.constantFrom(' ', '', '.', ' "', '\n', '\\').map(separator => words.join(separator)))
const scalar = fc.oneof(text, text, fc.constantFrom(...NUMBERS), fc.boolean(), fc.constant(null))
const name = fc.constantFrom(...NAMES)

interface JsonDrawn {
  [key: string]: unknown
}

const { object } = fc.letrec<{ object: JsonDrawn; value: unknown }>(tie => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalar,
    scalar,
    fc.array(scalar, { maxLength: 3 }),
    tie('object'),
  ),
  object: fc.dictionary(name, tie('value'), { maxKeys: 3 }),
}))

/** Other ways to write a value than that of the record of an answer. */
const rewritten = fc.constantFrom(
  (text: string) => text,
  (text: string) => text.replaceAll(/:404\b/g, ':4.04e2'),
  (text: string) => text.replaceAll(/:40\b/g, ': 40.0'),
  (text: string) => text.replaceAll(/([:,[])40\b/g, '$19007199254740993'),
  (text: string) => text.replaceAll(/([:,[])40\b/g, (_, before) => `${before}1e400`),
  (text: string) => text.replaceAll('{}', '{ }').replaceAll('[]', '[ ]').replaceAll('","', '" , "'),
  (text: string) => text.replaceAll('rr', '\\u0072r'),
)

const jsonText = fc
  .tuple(
    fc.oneof(
      object,
      object,
      object.map(value => ({ a: { b: { name: value } } })),
      // Some of these are the words of their row.
      object.map(value => ({ ...value, app: 'errorApp', level: 'error' })),
    ),
    rewritten,
  )
  .map(([value, written]) => written(JSON.stringify(value)))

const jsonLine = fc.tuple(fc.constantFrom('', 'took '), jsonText).map(parts => parts.join(''))

const optional = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { nil: undefined, freq: 1 })

export const drawnLine: fc.Arbitrary<SentLine> = fc
  .record({
    line: fc.oneof(text, jsonLine),
    host: fc.constantFrom('web-1', 'Web2', 'dbHost'),
    app: fc.constantFrom('nginx', 'errorApp', 'bar'),
    level: optional(fc.constantFrom('info', 'Error', 'WARN')),
    env: optional(fc.constantFrom('production', 'Été')),
    file: optional(fc.constantFrom('/var/log/syslog', '/a_b')),
    meta: optional(
      fc.oneof(
        fc
          .tuple(
            object.filter(value => Object.keys(value).length > 0),
            rewritten,
          )
          .map(([value, written]) => written(JSON.stringify(value))),
        fc
          .tuple(
            text.filter(value => value !== ''),
            rewritten,
          )
          .map(([value, written]) => written(JSON.stringify(value))),
      ),
    ),
    tags: optional(fc.uniqueArray(fc.constantFrom('red', 'Blue', 'bar-1'), { minLength: 1, maxLength: 2 })),
    label: optional(fc.record({ app: word, 'app.kubernetes.io/name': word })),
  })
  .map(({ tags, label, ...line }) => {
    const rest = { ...(tags === undefined ? {} : { tags }), ...(label === undefined ? {} : { label }) }
    const members = Object.entries(line).filter(([, value]) => value !== undefined)
    return { ...Object.fromEntries(members), ...(Object.keys(rest).length === 0 ? {} : { rest }) } as SentLine
  })

/** A part of a word, whole in most cases, in any case. */
const sought = fc
  .tuple(word, fc.nat(3), fc.nat(3), fc.constantFrom('', '', 'upper', 'lower'))
  .map(([whole, start, cut, letters]) => {
    const characters = [...whole]
    const part = (start > 1 ? characters.slice(start - 1) : characters)
      .slice(0, cut > 1 ? 1 - cut : undefined)
      .join('')
    if (letters === 'upper') return part.toUpperCase()
    return letters === 'lower' ? part.toLowerCase() : part
  })
const phrase = fc.oneof(sought, sought, text).map(value => `"${value.replaceAll(/[\\"]/g, '\\$&')}"`)
const plainWord = sought.map(value =>
  /^[^\s()"':[\]=<>*-][^\s()":]*$/u.test(value) ? value : `"${value.replaceAll(/[\\"]/g, '\\$&')}"`,
)
const value = fc.oneof(plainWord, plainWord, phrase)
const matchOperator = fc.constantFrom('', '', '', '=', '==', '===')
const orderOperator = fc.constantFrom('>', '>=', '<', '<=')
const numberText = fc.constantFrom('404', '40', '4.5', '-5', '0', '4.04e2', '1e20', 'abc', '9007199254740993')
const comparison = fc.oneof(
  fc.tuple(matchOperator, value).map(parts => parts.join('')),
  fc.tuple(orderOperator, numberText).map(parts => parts.join('')),
  fc
    .tuple(
      matchOperator,
      fc.oneof({ weight: 9, arbitrary: numberText }, fc.constant('1e400')).map(number => `"${number}"`),
    )
    .map(parts => parts.join('')),
)
const listElement = sought.filter(element => element !== '' && !/[,\]]/.test(element))
const list = fc
  .tuple(matchOperator, fc.array(listElement, { minLength: 1, maxLength: 3 }))
  .map(([operator, elements]) => `${operator}[${elements.join(',')}]`)
const group = fc
  .array(fc.tuple(fc.constantFrom('', '-'), comparison), { minLength: 1, maxLength: 3 })
  .chain(parts =>
    fc.constantFrom(' ', ' OR ').map(join => `(${parts.map(part => part.join('')).join(join)})`),
  )
const fieldName = fc.constantFrom(
  ...NAMES,
  ...NAMES.map(one => `meta.${one}`),
  'host',
  'source',
  'level',
  'tags',
  'file',
  'env',
  'line',
  'label.app',
  'label.app.kubernetes.io/name',
  'a.b',
  'user.name',
  'user.a',
  '_status',
  '_meta',
  'meta',
  'a.7',
  'meta.b.7',
  'label',
  '_logtype',
  '_mezmo_line_size',
  '_ts',
  '_app',
)
const field = fc
  .tuple(
    fieldName,
    fc.constantFrom('', '', '-'),
    fc.oneof(comparison, comparison, list, group, fc.constant('*')),
  )
  .map(([one, sign, test]) => (test === '*' ? `${one}:*` : `${one}:${sign}${test}`))
const term = fc.tuple(matchOperator, value).map(parts => parts.join(''))
const operand = fc
  .tuple(fc.constantFrom('', '', '', '-', 'NOT '), fc.oneof(term, term, field, field, field))
  .map(parts => parts.join(''))

export const drawnQuery: fc.Arbitrary<string> = fc.oneof(
  operand,
  operand,
  fc.tuple(operand, fc.constantFrom(' ', ' AND ', ' OR '), operand).map(parts => parts.join('')),
  fc.tuple(operand, operand, operand).map(([a, b, c]) => `${a} -(${b} OR ${c})`),
)
