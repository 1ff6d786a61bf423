import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { LineTable } from '../../../schemas/log/tables.ts'
import { IS_LONG } from '../../../test/support/long-form.ts'
import { ACCOUNT, type SentLine } from '../../../test/support/sent-lines.ts'
import { openStoredLines, type StoredLines } from '../../../test/support/stored-lines.ts'
import {
  findLines,
  recordOf,
  recordsOf,
  rowsByConditions,
  type StoredRecord,
  testDrawnQueries,
} from '../../../test/support/tested-queries.ts'
import { evaluate } from '../../query-language/evaluate.ts'
import { parseQuery } from '../../query-language/parse-query.ts'

/** The form in force, and in the long form the other one, too. */
const FORMS: readonly (readonly LineTable[])[] = IS_LONG ? [['lines'], ['slotted_lines']] : [['lines']]

describe.each(FORMS.map(tables => ({ tables })))('lines of $tables', ({ tables }) => {
  /** The language on the real engine, and directly on the records of an export: both must agree. */

  /** The long form is drawn-queries.test.ts. */
  const QUERIES = 120
  /** Every so many examples is also a whole search in the short form, and each one in the long form. */
  const WHOLE_EVERY = IS_LONG ? 1 : 12

  let lines: StoredLines

  beforeAll(async () => {
    lines = await openStoredLines(undefined, tables)
  })

  afterAll(() => lines.close())

  const find = (account: string, query: string) => findLines(lines, account, query)

  let accounts = 0

  /** Stores lines in an account of their own. */
  async function stored(sent: readonly SentLine[], request = {}): Promise<string> {
    const account = `${ACCOUNT.slice(0, 6)}${String(accounts++).padStart(4, '0')}`
    await lines.add(sent, { account, request })
    return account
  }

  const knownRecords = new Map<string, Promise<StoredRecord[]>>()

  /** All records of an account, read once. */
  function records(account: string): Promise<StoredRecord[]> {
    const known = knownRecords.get(account)
    if (known !== undefined) return known
    const read = recordsOf(lines, account)
    knownRecords.set(account, read)
    return read
  }

  const knownAnswers = new Map<string, ReturnType<typeof find>>()

  /** Several examples share a query, and their lines an account. */
  function foundOnce(account: string, query: string): ReturnType<typeof find> {
    const key = `${account} ${query}`
    const known = knownAnswers.get(key)
    if (known !== undefined) return known
    const found = find(account, query)
    knownAnswers.set(key, found)
    return found
  }

  /** Returns the lines that match by the engine, and asserts that the evaluation agrees. */
  async function matching(account: string, query: string): Promise<number[]> {
    const rows = (await foundOnce(account, query)).map(({ row }) => row)
    await expectEvaluated(account, query, rows)
    return rows
  }

  async function expectEvaluated(account: string, query: string, rows: readonly number[]): Promise<void> {
    const evaluated = (await records(account)).filter(({ record }) => evaluate(parseQuery(query), record))
    expect(rows, `${query}: the engine and the evaluation`).toEqual(evaluated.map(({ row }) => row))
  }

  /** Lines for which the conditions of each query hold by the engine, and by the evaluation. */
  class HeldConditions {
    readonly #account: string
    readonly #rows: ReadonlyMap<string, readonly number[]>

    private constructor(account: string, rows: ReadonlyMap<string, readonly number[]>) {
      this.#account = account
      this.#rows = rows
    }

    static async of(account: string, queries: readonly string[]): Promise<HeldConditions> {
      const distinct = [...new Set(queries)]
      const found = await rowsByConditions(lines, account, distinct)
      return new HeldConditions(account, new Map(distinct.map((query, index) => [query, found[index] ?? []])))
    }

    async matching(query: string): Promise<readonly number[]> {
      const rows = this.#rows.get(query) as readonly number[]
      await expectEvaluated(this.#account, query, rows)
      return rows
    }
  }

  interface Example {
    readonly query: string
    readonly line: SentLine
    readonly matches: boolean
  }

  function example(query: string, line: string | SentLine, matches: boolean): Example {
    return { query, line: typeof line === 'string' ? { line } : line, matches }
  }

  function checkAll(title: string, examples: readonly Example[]): void {
    describe(title, () => {
      let account: string
      let held: HeldConditions
      beforeAll(async () => {
        account = await stored(examples.map(({ line }) => line))
        held = await HeldConditions.of(
          account,
          examples.map(({ query }) => query),
        )
      })
      test.each(examples.map((one, index) => ({ ...one, index, text: one.line.line })))(
        '$query on $text: $matches',
        async ({ query, matches, index }) => {
          expect((await held.matching(query)).includes(index)).toBe(matches)
          if (index % WHOLE_EVERY === 0)
            expect((await matching(account, query)).includes(index)).toBe(matches)
        },
      )
    })
  }

  /** Rows `query | line | yes or no` of the tables of the page for people who search. */
  function examplesOfPage(): Example[] {
    const page = readFileSync(new URL('../../../docs/query-language.md', import.meta.url), 'utf8')
    const row = /^\| `(?<query>.+?)`\s*\| `(?<line>.+?)`\s*\| (?<found>yes|no)\s*\|$/gm
    return Array.from(page.matchAll(row), ({ groups = {} }) => {
      const [query, line] = [groups.query, groups.line].map(code => (code as string).replaceAll('\\|', '|'))
      return example(query as string, sentLine(line as string), groups.found === 'yes')
    })
  }

  /** A JSON object with a `line` is sent unchanged; any other code is the text of a line. */
  function sentLine(code: string): SentLine {
    if (!code.startsWith('{"line"')) return { line: code }
    const { meta, ...sent } = JSON.parse(code) as SentLine
    return { ...sent, ...(meta !== undefined && { meta: JSON.stringify(meta) }) }
  }

  checkAll('the examples of docs/query-language.md', examplesOfPage())

  test('every example table of docs/query-language.md is read', () => {
    expect(examplesOfPage().length).toBeGreaterThan(70)
  })

  const BARRIER = 'We really like the barrier reef'
  const RESPONSE = '{"response":404}'
  const USER = '{"user":{"id":12345}}'
  const LEVEL_ERROR = { line: 'x', level: 'ERROR' }

  checkAll('the worked examples of the specification', [
    example('BAR', BARRIER, true),
    example('===barrier', BARRIER, true),
    example('===bar', BARRIER, false),
    example('==BARRIER', BARRIER, true),
    example('file exist', 'exist or not, the file', true),
    example('"file exist"', 'exist file', false),
    example('healthcheck -successful OR ping', 'healthcheck ping successful', true),
    example('healthcheck -successful OR ping', 'healthcheck successful', false),
    example('healthcheck -successful OR ping', 'healthcheck', true),
    example('app:memo -("success" OR "waiting")', { line: 'waiting for it', app: 'memo' }, false),
    example('or', 'this or that', true),
    example('response:>=400', RESPONSE, true),
    example('response:(>=400 <500 -404)', RESPONSE, false),
    example('response:[1,403,404]', RESPONSE, true),
    example('response:[1,403,405]', RESPONSE, false),
    example('user.id:12345', USER, true),
    example('user.id:123', USER, false),
    example('name:=camelCased', '{"name":"camelCasedName"}', true),
    example('name:=camelcased', '{"name":"camelCasedName"}', false),
    example('name:==bob', '{"name":"bobby"}', false),
    example('name:===bob', '{"name":"Bob"}', false),
    example('user:*', '{"user":{}}', true),
    example('"response:"', 'response: 3', true),
    example('host:web -app:nginx', { line: 'x', host: 'web-1', app: 'nginx' }, false),
    example('level:[warning,error]', LEVEL_ERROR, true),
    example('level:[warning, error]', LEVEL_ERROR, false),
    example('source:node1 AND (file:/var/log/syslog OR ERROR)', { line: 'an error', host: 'node1' }, true),
    example('meta.status_code:404', { line: 'x', meta: '{"status_code":404}' }, true),
    example('meta.status_code:404', { line: 'x', meta: '"{\\"status_code\\":404}"' }, false),
    example('_mezmo_line_size:>4000', 'x'.repeat(4000), false),
    example('_mezmo_line_size:>4000', 'x'.repeat(4001), true),
  ])

  checkAll('text', [
    example('bar', 'BARrier', true),
    example('bar', 'disbar', false),
    example('bar', 'foo_bar', true),
    example('=bar', 'Bar', false),
    example('=bar', 'a bar', true),
    example('==bar', 'the bar.', true),
    example('==bar', 'barrier', false),
    example('==bar', 'bar2', true),
    example('==bar', 'fooBar', true),
    example('===bar', 'fooBar', false),
    example('===Bar', 'fooBarBaz', true),
    example('error', 'SyntaxError', true),
    example('error', 'Syntaxerror', false),
    example('ERROR', 'SyntaxERROR', true),
    example('rror', 'SyntaxError', false),
    example('syntaxerror', 'SyntaxError', true),
    example('==syntax', 'SyntaxError', true),
    example('==syntax', 'Syntaxerror', false),
    example('http', 'HTTPServer', true),
    example('server', 'HTTPServer', false),
    example('12', 'abc12', true),
    example('12', 'abc112', false),
    example('abc', '1abc', true),
    example('==12', '12abc', true),
    example('==12', '123', false),
    example('%VARIABLE%', 'is %variable% set', true),
    example('/var/log', 'in a/var/log', true),
    example('10.0.0.1', 'from 10.0.0.12', true),
    example('==10.0.0.1', 'from 10.0.0.12', false),
    example('0.0.0.1', 'from 10.0.0.1', false),
    example('-x', 'x', false),
    example('x-y', 'ax-y', false),
    example('"-y"', 'x-y', true),
    example('"a  b"', 'a b', false),
    example('"a b"', 'A Big one', true),
    example('=="a b"', 'A Big one', false),
    example("'it\\'s'", "it's", true),
    example('straße', 'STRAẞE', true),
    example('strasse', 'STRAßE', false),
    example('σας', 'ΣΑΣ', true),
    example('=σας', 'ΣΑΣ', false),
    example('kelvin', '300 \u212aelvin', true),
    example('success', 'ſucceſs', true),
    example('été', 'ÉTÉ', true),
    example('été', 'xété', false),
    example('中', '国中', false),
    example('中文', '中文字', true),
    example('==中文', '中文字', false),
    example('b', 'a😀b', true),
    example('😀', 'a😀b', true),
    example('==😀', 'a😀b', true),
    example('١٢', '\u0661\u0662', true),
    example('foo.*bar', 'fooxxbar', false),
    example('[a-z]', 'b', false),
    example('[a-z]', '[A-Z]', true),
    example('\\d', '5', false),
    example('"c:\\\\dir"', 'in C:\\Dir', true),
    example('"a\nb"', 'A\nB', true),
    example('""', 'anything', true),
    example('error*', 'errors', true),
    example('a*b', 'ab', false),
    example('*', 'anything', true),
    example('-*', 'anything', false),
    example('_account:*', 'anything', true),
    example('-_account:*', 'anything', false),
  ])

  checkAll('a term looks at all of the line', [
    example('web-1', 'x', true),
    example('nginx', { line: 'x', app: 'nginx' }, true),
    example('error', LEVEL_ERROR, true),
    example('syslog', { line: 'x', file: '/var/log/syslog' }, true),
    example('production', { line: 'x', env: 'production' }, true),
    example('blue', { line: 'x', rest: { tags: ['red', 'blue'] } }, true),
    example('words', { line: 'x', meta: '"some words"' }, true),
    example('nextline', { line: 'x', meta: '"some\\nnextline"' }, true),
    example('nextline', '{"a":"some\\nnextline"}', true),
    example('deep', { line: 'x', meta: '{"a":{"b":"deep"}}' }, true),
    example('key', { line: 'x', meta: '{"key":1}' }, true),
    example('42', { line: 'x', meta: '{"key":42}' }, true),
    example('labelled', { line: 'x', rest: { label: { a: 'labelled' } } }, true),
    example('shown', '{"msg":"shown"}', true),
    example('c0', { line: 'x' }, false),
  ])

  checkAll('texts that do not stand in the line as they are', [
    example('1000', '{"a":{"b":{"c":{"d":1e3}}}}', true),
    example('==1000', '{"a":{"b":{"c":{"d":1e3}}}}', true),
    example('"{\\"d\\":1}"', '{"a":{"b":{"c":{"d" : 1}}}}', true),
    example('1000', { line: 'x', meta: '{"a":{"b":{"c":{"d":1e3}}}}' }, true),
    example('==1000', { line: 'x', meta: '{"a":{"b":{"c":{"d":1e3}}}}' }, true),
    example('"{\\"d\\":1}"', { line: 'x', meta: '{"a":{"b":{"c":{"d" : 1}}}}' }, true),
    example('"{}"', '{"a":{ }}', true),
    example('"[]"', '{"a":[ ]}', true),
    example('==nextline', '{"a":"some\\nnextline"}', true),
    example('==nextline', { line: 'x', meta: '"some\\nnextline"' }, true),
    example('a:==nextline', '{"a":"some\\nnextline"}', true),
    example('==error', '{"a":"\\u0065rror"}', true),
    example('usr/bin', '{"a":"usr\\/bin"}', true),
    example('usr/bin', { line: 'x', meta: '{"a":"usr\\/bin"}' }, true),
    example('==labelled', { line: 'x', rest: { label: { a: 'labelled' } } }, true),
    example('==labelled', { line: 'x', rest: { annotation: { a: 'labelled' } } }, true),
  ])

  checkAll('whole words in larger ones', [
    example('==barbaz', 'fooBarBazQux', true),
    example('==arbaz', 'fooBarBazQux', false),
    example('==4bf92f', 'x4bf92fQ', true),
    example('==4bf92f', 'x4bf92fq', false),
    example('==bf92', 'x4bf92f', true),
    example('==bf92', 'x4bf92', true),
    example('==bf92', 'x4abf92', false),
    example('==12345', 'x12345y', true),
    example('==12345', 'x123456y', false),
    example('==12345', 'x\u066312345', false),
    example('==12345', '12345Éx', true),
    example('==2345x678901ab', 'y2345x678901abC', true),
    example('==2345x678901ab', 'y12345x678901abC', false),
    example('==checkoutkaput', 'theCheckoutKaputX', true),
    example(`==${'ab12'.repeat(16)}`, `cd34${'ab12'.repeat(16)}Ef`, true),
    example('===Kelvin', 'aKelvin', true),
    example('==kelvin', 'a\u212aelvin', true),
    example('==sonar', 'Ésonar', false),
    example('==sonar', 'sonarÉ', true),
    example('==sonar', '中sonar', false),
    example('==sonar', 'sonar€', true),
    example('==nginx', { line: 'x', app: 'nginx' }, true),
    example('==blue', { line: 'x', rest: { tags: ['red', 'deepBlue'] } }, true),
    example('uuid:f81d4fae-7dec-11d0', '{"uuid":"F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6"}', true),
    example('7dec-11d0-a76', '{"uuid":"f81d4fae-7dec-11d0-a765-00a0c91e6bf6"}', true),
  ])

  checkAll('values of fields', [
    example('name:bob', '{"name":"Bobby"}', true),
    example('name:obb', '{"name":"Bobby"}', false),
    example('name:smith', '{"name":"Bob Smith"}', true),
    example('name:=smith', '{"name":"Bob Smith"}', false),
    example('name:==smith', '{"name":"Bob Smith"}', true),
    example('name:===Smith', '{"name":"Bob Smith"}', true),
    example('name:=="bob smith"', '{"name":"Bob Smith"}', true),
    example('name:=="bob smith"', '{"name":"Bob Smiths"}', false),
    example('name:=="bob smith"', '{"name":"Old Bob Smith"}', false),
    example('name:==syntaxerror', '{"name":"SyntaxError"}', true),
    example('name:==syntaxerror', '{"name":"a SyntaxError"}', false),
    example('name:==syntaxerror', '{"name":"a SYNTAXERROR"}', true),
    example('name:==syntaxerror', '{"name":"SyntaxError, syntaxerror"}', true),
    example('name:==-', '{"name":"a-b"}', false),
    example('name:==-', '{"name":"-"}', true),
    example('name:==abc', '{"name":"abc12"}', true),
    example('name:==abc12', '{"name":"abc12"}', true),
    example('name:==abc12', '{"name":"abc12 x"}', false),
    example('name:""', '{"name":"x"}', true),
    example('name:""', '{"other":"x"}', false),
    example('name:==""', '{"name":""}', true),
    example('name:==""', '{"name":"x"}', false),
    example('level:==""', 'plain', true),
    example('level:==""', LEVEL_ERROR, false),
    example('level:-(debug OR trace)', LEVEL_ERROR, true),
    example('level:-(debug OR error)', LEVEL_ERROR, false),
    example('ok:true', '{"ok":true}', true),
    example('ok:==TRUE', '{"ok":true}', true),
    example('ok:false', '{"ok":true}', false),
    example('tags:b', '{"tags2":["b"]}', false),
    example('list:b', '{"list":["a","b",3]}', true),
    example('list:3', '{"list":["a","b",3]}', true),
    example('list:(a b)', '{"list":["a","b",3]}', true),
    example('list:(a c)', '{"list":["a","b",3]}', false),
    example('list:*', '{"list":[]}', true),
    example('items.id:2', '{"items":[{"id":1},{"id":2}]}', true),
  ])

  checkAll('meta, however it was written', [
    ...['straße', 'ok', '\'"ok":true\'', 'meta.n:===Straße', 'meta.ok:true', '"true,"'].map(query =>
      example(query, { line: 'x', meta: '{"ok": true,"n":"Stra\\u00dfe"}' }, true),
    ),
    ...['"ok\\": true"', 'u00dfe'].map(query =>
      example(query, { line: 'x', meta: '{"ok": true,"n":"Stra\\u00dfe"}' }, false),
    ),
    example('a/b', { line: 'x', meta: '"a\\/b"' }, true),
    example('"[1,2]"', { line: 'x', meta: '[1, 2]' }, true),
    example('meta:2', { line: 'x', meta: '[1, 2]' }, true),
  ])

  describe('a search below a bound beyond a double found nothing, while tails and rules found the lines', () => {
    const VALUES = [
      ...['1e400', '-1e400', '1e309', '5', '-5', '0', '-0', '1e308', '1.7976931348623157e308', '1e-400'],
      ...['1.7976931348623159e308', '12345678901234567890', '-12345678901234567890', '9'.repeat(400)],
      ...['"1e400"', '"-1e400"', '"5"', '"1e999999999999"', '"0e999999999999"', '"1e-999999999999"'],
      ...['"Infinity"', '"inf"', '"NaN"', '"+5"', '" 5"', '"x"', '""', 'null', 'true', '[]', '{}'],
      ...['[1e400,3]', '[-1e400,"x"]', '{"z":1e400}'],
    ]
    const BOUNDS = [
      ...['1e400', '-1e400', '1e309', '-1e309', '1e308', '-1e308', '1e-400', '1e999999999999', '0', '5'],
      ...['0e999999999999', '9'.repeat(400), `-${'9'.repeat(400)}`, 'Infinity', 'inf', 'NaN'],
    ]
    const OPERATORS = ['>', '>=', '<', '<=']
    const FORMS = [
      (compared: string) => `n:${compared}`,
      (compared: string) => `n:-(${compared})`,
      (compared: string) => `n:(${compared} OR =5)`,
      (compared: string) => `n:(${compared} >-6)`,
      (compared: string) => `meta.n:${compared}`,
      (compared: string) => `n.z:${compared} OR level:${compared}`,
    ]
    const COMPARED = OPERATORS.flatMap(operator => BOUNDS.map(bound => `${operator}${bound}`))
    let account: string
    let held: HeldConditions
    beforeAll(async () => {
      account = await stored(
        VALUES.flatMap(value => [{ line: `{"n":${value}}` }, { line: 'x', meta: `{"n":${value}}` }]),
      )
      held = await HeldConditions.of(
        account,
        COMPARED.flatMap(compared => FORMS.map(form => form(compared))),
      )
    })

    test.each(COMPARED.map((compared, index) => ({ compared, index })))(
      'n:$compared finds the same lines in the store as in the evaluation',
      async ({ compared, index }) => {
        for (const [number, form] of FORMS.entries()) {
          const query = form(compared)
          await held.matching(query)
          if ((index * FORMS.length + number) % WHOLE_EVERY === 0) await matching(account, query)
        }
      },
    )

    test.each(OPERATORS)('of several bounds behind %s, the widest counts', async operator => {
      for (const list of ['[1e400,5]', '[-1e400,5]', '[1e400,-1e400]', '[inf,1e400]', '[inf,5]'])
        await matching(account, `n:${operator}${list}`)
    })

    test('some values are found, so the comparison has a meaning', async () => {
      expect(await matching(account, 'n:>=1e400')).toHaveLength(7)
      expect((await matching(account, 'n:<1e400')).length).toBeGreaterThan(10)
    })
  })

  checkAll('numbers', [
    example('n:404', '{"n":404.0}', true),
    example('n:404.0', '{"n":404}', true),
    example('n:40', '{"n":404}', false),
    example('n:==404', '{"n":404}', true),
    example('n:===4.04e2', '{"n":404}', true),
    example('n:>403', '{"n":404}', true),
    example('n:>404', '{"n":404}', false),
    example('n:>=404', '{"n":404}', true),
    example('n:<404', '{"n":404}', false),
    example('n:<=404', '{"n":404}', true),
    example('n:<405', '{"n":404}', true),
    example('n:>-5', '{"n":-4}', true),
    example('n:-5', '{"n":5}', false),
    example('n:"-5"', '{"n":-5}', true),
    example('n:==-5', '{"n":-5}', true),
    example('n:>403', '{"n":"404"}', true),
    example('n:>403', '{"n":"404 ms"}', false),
    example('n:>403', '{"n":" 404"}', false),
    example('n:40', '{"n":"404"}', true),
    example('n:>1', '{"n":"1e999"}', true),
    example('n:1e400', '{"n":1e400}', true),
    example('n:==1E+400', '{"n":1e400}', false),
    example('n:1e401', '{"n":1e400}', false),
    ...[308, 309, 400].flatMap(count => {
      const digits = '9'.repeat(count)
      return [
        example(`n:==${digits}`, `{"n":${digits}}`, true),
        example(`n:==${digits.slice(1)}8`, `{"n":${digits}}`, false),
        example(`n:>1`, `{"n":${digits}}`, true),
      ]
    }),
    example('n:*', '{"n":1e400}', true),
    example('1e400', '{"n":[-5,1e400]}', true),
    example('n:>1', '{"n":1e400}', true),
    example('meta.n:1e400', { line: 'x', meta: '{"n":1e400,"7":1}' }, true),
    example('1e400', { line: 'x', meta: '{"n":{"n":1e400}}' }, true),
    example('n:>abc', '{"n":5}', false),
    example('n:<abc', '{"n":5}', false),
    example('n:-(>abc)', '{"n":5}', true),
    example('n:>""', '{"n":5}', false),
    example('n:>1e999', '{"n":5}', false),
    example('n:<1e400', '{"n":5}', true),
    example('n:>=1e400', '{"n":5}', false),
    example('n:>=1e400', '{"n":1e400}', true),
    example('n:<=-1e400', '{"n":-1e400}', true),
    example('n:>-1e400', '{"n":-5}', true),
    example('n:-(<1e400)', '{"n":5}', false),
    example('n:9007199254740993', '{"n":9007199254740993}', true),
    example('n:9007199254740993', '{"n":9007199254740992}', false),
    example('n:900719925474099', '{"n":9007199254740993}', false),
    example('n:900719925474099', '{"n":"9007199254740993"}', true),
    example('n:==9007199254740993', '{"n":-9007199254740993}', false),
    example('n:"-9007199254740993"', '{"n":-9007199254740993}', true),
    example('n:[1,9007199254740993]', '{"n":9007199254740993}', true),
    example('n:[404,9007199254740993]', '{"n":[404,"x"]}', true),
    example('n:[404,9007199254740993]', '{"n":[404,9007199254740995]}', true),
    example('n:[1,9007199254740993]', '{"n":[404,9007199254740992]}', false),
    example('n:12345', '{"n":[5,"12345678901234567890"]}', true),
    example('n.id:123', '{"n":[{"id":7},{"id":"1234567890123456789"}]}', true),
    example('n:12345', '{"n":["x",12345678901234567890]}', false),
    example('n:1234', '{"n":[1234567890123456,"1234567890123456"]}', true),
    example('n:>9007199254740000', '{"n":9007199254740993}', true),
    example('n:100000000000000000000', '{"n":1e20}', true),
    example('n:[1,2,3]', '{"n":2}', true),
    example('n:[1,3]', '{"n":2}', false),
    example('n:*', '{"n":0}', true),
    example('n:*', '{"n":null}', false),
    example('n:>0', '{"m":1}', false),
    example('n:-(>0)', '{"m":1}', true),
    example('-n:>0', '{"m":1}', true),
  ])

  checkAll('names of fields', [
    example('HOST:web App:nginx LEVEL:error', { line: 'x', app: 'nginx', level: 'error' }, true),
    example('tag:==blue', { line: 'x', rest: { tags: ['red', 'blue'] } }, true),
    example('tags:blu tags:red', { line: 'x', rest: { tags: ['red', 'blue'] } }, true),
    example('tags:==blu', { line: 'x', rest: { tags: ['red', 'blue'] } }, false),
    example('-tag:*', 'x', true),
    example('tag:x', '{"tag":"x"}', true),
    example('tag:x', { line: '{"tag":"x"}', rest: { tags: ['y'] } }, false),
    example('file:/var/log', { line: 'x', file: '/var/log/syslog' }, true),
    example('file:*', 'x', false),
    example('file:==""', 'x', false),
    example('env:prod', { line: 'x', env: 'production' }, true),
    example('message:hello', '{"message":"hello"}', true),
    example('message:a', '{"a":"x","message":"hello"}', false),
    example('message:a', 'a plain text', true),
    example('message:msg', '{"msg":"hello"}', false),
    example('line:msg', '{"msg":"hello"}', true),
    example('meta.a.b:1', { line: 'x', meta: '{"a":{"b":1}}' }, true),
    example('META.a.b:1', { line: 'x', meta: '{"a":{"b":1}}' }, true),
    example('meta.A.b:1', { line: 'x', meta: '{"a":{"b":1}}' }, false),
    example('_meta.a:*', { line: 'x', meta: '{"a":{"b":1}}' }, true),
    example('_meta:*', { line: 'x', meta: '{"a":{"b":1}}' }, true),
    example('_meta:words', { line: 'x', meta: '"some words"' }, true),
    example('meta:words', { line: 'x', meta: '"some words"' }, true),
    example('meta:words', { line: '{"meta":"own"}', meta: '"some words"' }, false),
    example(
      'label.app.kubernetes.io/name:db',
      { line: 'x', rest: { label: { 'app.kubernetes.io/name': 'db' } } },
      true,
    ),
    example('label.app:db', { line: 'x', rest: { label: { app: 'db' } } }, true),
    example('annotation.app:db', { line: 'x', rest: { annotation: { app: 'db' } } }, true),
    example('label:*', { line: 'x', rest: { label: { app: 'db' } } }, true),
    example('status:500', '{"status":500}', true),
    example('_status:500', '{"status":500}', true),
    example('status.code:500', '{"status":{"code":500}}', true),
    example('status:x', '{"status":"a","_status":"x"}', true),
    example('app:other', { line: '{"app":"other"}', app: 'nginx' }, false),
    example('_app:other', { line: '{"app":"other"}', app: 'nginx' }, false),
    example('host:other', '{"host":"other","_host":"other"}', false),
    example('level:info', { line: '{"level":"info"}', level: 'error' }, true),
    example('Status:500', '{"status":500}', false),
    example('a.b:1', '{"a.b":1}', true),
    example('a.b:1', '{"a":{"b":1}}', true),
    example('a:*', '{"a":{"b":1}}', true),
    example('a.b.c:*', '{"a":{"b":{"c":{"d":1}}}}', true),
    example('a.b.c.d:1', '{"a":{"b":{"c":{"d":1}}}}', false),
    example('a.b.c:"{"', '{"a":{"b":{"c":{"d":1}}}}', true),
    example('_logtype:==json', '{"a":1}', true),
    example('_logtype:==json', 'took {"a":1} ', true),
    example('_logtype:==json', '{a} {"b":{}}', true),
    example('_logtype:==line', '{"a":1', true),
    example('_logtype:==line', '{"a":1}.', true),
    example('_retention:30', 'x', true),
    example('_ts:1772600767089', 'x', true),
    example('_truncated:true', { line: 'x', rest: { truncated: true } }, true),
    example('_truncated:*', 'x', false),
    example('_timestamp:tomorrow', { line: 'x', timestamp: 'tomorrow', rest: { clamped: true } }, true),
    example('timestamp:tomorrow', { line: 'x', timestamp: 'tomorrow', rest: { clamped: true } }, true),
    example('_drift:*', 'x', false),
    example('constructor:*', 'x', false),
    example('__proto__:*', 'x', false),
  ])

  checkAll(
    'a line is found by a key that is written with an escape, whatever key the line before has there',
    [
      example('volume:7', '{"volume":7,"\\\\":"x"}', true),
      example('a:x', '{"volume":7,"\\u0061":"x"}', true),
    ],
  )

  describe('ids', () => {
    test('identify a line, which is found by its whole id and by its beginning', async () => {
      const account = await stored([{ line: 'a' }, { line: 'b' }])
      const [, second] = (await find(account, '')).map(recordOf)
      const id = String(second?._id)
      expect(await matching(account, `_id:===${id}`)).toEqual([1])
      expect(await matching(account, `_lid:==${id}`)).toEqual([1])
      expect(await matching(account, `id:==${id}`)).toEqual([1])
      expect(await matching(account, `_id:${id.slice(0, -1)}`)).toContain(1)
      expect(await matching(account, `_id:==${id.slice(0, -1)}`)).toEqual([])
      expect(await matching(account, `_id:==0${id}`)).toEqual([])
      expect(await matching(account, `_id:[${id},5]`)).toEqual([1])
      expect(await matching(account, '_id:==999999999999999999999999999999999999999999')).toEqual([])
      expect(await matching(account, '_id:==x')).toEqual([])
    })
  })

  describe('addresses and drift of the request', () => {
    test('are found by their names', async () => {
      const request = {
        mac: 'c0:ff:ee:c0:ff:ee',
        ip: '10.0.0.1',
        remoteAddress: '192.0.2.7',
        driftMs: -6000,
      }
      const account = await stored([{ line: 'x' }], request)
      for (const query of [
        'mac:c0:ff',
        '_mac:*',
        'ip:==10.0.0.1',
        '_ipremote:192',
        '_drift:<-5000',
        'drift:"-6000"',
      ])
        expect(await matching(account, query), query).toEqual([0])
      for (const query of ['c0', '10.0.0.1', '_drift:>0'])
        expect(await matching(account, query), query).toEqual([])
    })
  })

  describe('no part of a query becomes SQL', () => {
    const HOSTILE = [
      `' OR 1=1 --`,
      `'; DROP TABLE lines; --`,
      `\\' OR 1=1 --`,
      `{c0:String}`,
      `c0`,
      '`; SELECT 1',
      `%' OR '%`,
      `\0') OR (1`,
      `) OR (1=1`,
      `[(\\x{61}.*`,
      `(?i)x`,
      `\\Q`,
      `$ ^ | \\z`,
    ]

    test('hostile texts, names and elements match what they say, or nothing', async () => {
      const account = await stored([{ line: 'harmless' }, ...HOSTILE.map(line => ({ line }))])
      for (const [index, text] of HOSTILE.entries()) {
        const phrase = `"${text.replaceAll(/[\\"]/g, '\\$&')}"`
        expect(await matching(account, `=${phrase}`), text).toContain(index + 1)
        expect(await matching(account, `line:==${phrase}`), text).toEqual([index + 1])
        expect(await matching(account, `x:${phrase}`), text).toEqual([])
        expect(await matching(account, `line:[${text.replaceAll(/[,\]]/g, '')},nothing]`)).not.toContain(0)
        const name = text.replaceAll(/[\s()":]/g, '')
        if (name !== '') expect(await matching(account, `x${name}:1`), name).toEqual([])
      }
    })
  })

  describe('large queries', () => {
    test('with as many terms as fit are executed, and longer ones are refused before the engine gets them', async () => {
      const account = await stored([{ line: 'a b' }])
      const terms = (count: number, join: string) =>
        Array.from({ length: count }, (_, index) => `-a${index}`).join(join)
      expect(await matching(account, `a ${terms(90, ' ')}`)).toEqual([0])
      await expect(async () => find(account, terms(700, ' '))).rejects.toThrow('"query" has too many terms')
    })

    test('seek any number of alternatives together', async () => {
      const account = await stored([{ line: 'a b', app: 'web' }])
      const any = (count: number, term: (index: number) => string) =>
        Array.from({ length: count }, (_, index) => term(index)).join(' OR ')
      for (const [query, found] of [
        [any(900, index => `a${index}`), []],
        [`b OR ${any(900, index => `a${index}`)}`, [0]],
        [any(400, index => `==a${index} OR =b${index}`), []],
        [any(600, index => `app:a${index}`), []],
        [`app:==web OR ${any(600, index => `app:a${index}`)}`, [0]],
        [`-(${any(600, index => `app:a${index}`)}) (b OR b1)`, [0]],
        [any(750, index => `a${index}:1`), 'has too many terms'],
      ] as const) {
        if (typeof found === 'string') await expect(async () => find(account, query)).rejects.toThrow(found)
        else expect(await matching(account, query), query.slice(0, 40)).toEqual(found)
      }
    })

    test.each([
      ['ASCII', 'a'.repeat(8000)],
      ['four variants', 'θ'.repeat(4000)],
      ['surrogates', '𐐀'.repeat(2000)],
      ['symbols', '%'.repeat(8000)],
      ['a list', `f:[${Array.from({ length: 1500 }, (_, index) => `x${index}`).join(',')}]`],
      ['a whole list', `app:==[${Array.from({ length: 1500 }, (_, index) => `x${index}`).join(',')}]`],
      ['nesting', `${'-('.repeat(50)}a${')'.repeat(50)}`],
    ])('of the maximum length are answered for %s', async (_name, query) => {
      const account = await stored([{ line: 'b' }])
      expect((await find(account, query)).length).toBeLessThanOrEqual(1)
    })
  })

  // The short form of test/conformance/drawn-queries.test.ts.
  testDrawnQueries(() => lines, { seed: Number(process.env.SEED ?? 20_260_304), queries: QUERIES })
})
