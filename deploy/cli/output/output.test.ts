import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { type CommandLine, commandLine } from '../../../test/support/command-line.ts'
import { csvLine } from './csv.ts'
import { fieldValue } from './field.ts'

const PIPELINES = [
  { id: 'p-1', title: 'Shop, "main"', published_at: null, has_changes: true, tags: ['a', 'b'] },
  { id: 'p-2', title: 'Logs\nand more', published_at: '2026-01-31T00:00:00.000Z', has_changes: false },
]

let line: CommandLine
beforeEach(async () => {
  line = await commandLine()
  line.reply = () => ({ body: { data: PIPELINES } })
})
afterEach(() => line.close())

const list = (...args: string[]) => line.run(['pipeline', 'list', ...args])
const output = async (...args: string[]) => {
  const { code, out, err } = await list(...args)
  expect([code, err]).toEqual([0, ''])
  return out
}

describe('a listing', () => {
  test('is a table unless another form is chosen, and wide has more columns', async () => {
    const table = await output()
    expect(table.split('\n')[0]).toMatch(/^ID +TITLE +STATE +PUBLISHED$/)
    expect(await output('-o', 'table')).toBe(table)
    expect((await output('-o', 'wide')).split('\n')[0]).toMatch(/^ID .* PUBLISHED +CREATED +CHANGED$/)
  })

  test('as JSON, JSON lines and YAML contains the members of the service', async () => {
    expect(JSON.parse(await output('-o', 'json'))).toEqual(PIPELINES)
    expect(
      (await output('-o', 'ndjson'))
        .trimEnd()
        .split('\n')
        .map(each => JSON.parse(each)),
    ).toEqual(PIPELINES)
    expect(parse(await output('-o', 'yaml'))).toEqual(PIPELINES)
  })

  test('as CSV has a heading with all members, and quotes what needs it', async () => {
    expect(await output('-o', 'csv')).toBe(
      'id,title,published_at,has_changes,tags\n' +
        'p-1,"Shop, ""main""",,true,"[""a"",""b""]"\n' +
        'p-2,"Logs\nand more",2026-01-31T00:00:00.000Z,false,\n',
    )
  })

  test('in raw form has plain values, for scripts', async () => {
    expect(await output('-o', 'raw')).toBe('p-1\np-2\n')
    expect(await output('-o', 'raw', '--fields', 'id,has_changes')).toBe('p-1\ttrue\np-2\tfalse\n')
  })

  test.each([
    ['table', 'TAGS.1  ID\nb       p-1\n        p-2\n'],
    ['json', '[\n  {"tags.1":"b","id":"p-1"},\n  {"tags.1":null,"id":"p-2"}\n]\n'],
    ['ndjson', '{"tags.1":"b","id":"p-1"}\n{"tags.1":null,"id":"p-2"}\n'],
    ['csv', 'tags.1,id\nb,p-1\n,p-2\n'],
    ['raw', 'b\tp-1\n\tp-2\n'],
  ])('with --fields has only these, in the form %s', async (form, expected) => {
    expect(await output('-o', form, '--fields', 'tags.1,id')).toBe(expected)
  })

  test('with a field that no row has is refused, and the fields are named', async () => {
    expect(await list('--fields', 'titel')).toEqual({
      code: 2,
      out: '',
      err: 'weir: There is no field "titel"; the fields are id, title, published_at, has_changes, tags.\n',
    })
    expect((await list('--fields', 'id,,title')).code).toBe(2)
    expect((await list('-o', 'xml')).err).toContain(
      'Allowed choices are table, wide, json, ndjson, yaml, csv, raw.',
    )
  })

  test('without rows is empty in every form, and a sentence for people', async () => {
    line.reply = () => ({ body: { data: [] } })
    const forms = ['table', 'json', 'ndjson', 'yaml', 'csv', 'raw']
    const outputs = await Promise.all(forms.map(form => output('-o', form, '--fields', 'id')))
    expect(outputs).toEqual(['There are no pipelines yet.\n', '[]\n', '', '[]\n', '', ''])
  })

  test('with --quiet has no heading and no sentence', async () => {
    expect((await output('--quiet')).split('\n').map(each => each.slice(0, 3))).toEqual(['p-1', 'p-2', ''])
    line.reply = () => ({ body: { data: [] } })
    expect(await output('--quiet')).toBe('')
  })

  test('with --no-color has no colours on a terminal', async () => {
    expect((await line.run(['pipeline', 'list'], { terminal: true })).out).toContain('\u001b[')
    expect((await line.run(['--no-color', 'pipeline', 'list'], { terminal: true })).out).not.toContain(
      '\u001b[',
    )
  })
})

describe('found lines', () => {
  const LINES = [
    { _id: '1', _ts: 1_700_000_000_000, _host: 'web', _app: 'shop', level: 'error', _line: 'a "b", c' },
    { _id: '2', _ts: 1_700_000_001_000, _host: 'web', _app: 'shop', _line: 'd\te' },
  ]
  beforeEach(() => {
    line.reply = () => ({ body: { lines: LINES, pagination_id: null } })
  })
  const search = async (...args: string[]) => (await line.run(['search', ...args])).out

  test('have the same forms', async () => {
    expect(await search('-o', 'raw')).toBe('a "b", c\nd\te\n')
    expect(JSON.parse(await search('-o', 'json'))).toEqual(LINES)
    expect(await search('-o', 'csv')).toBe(
      '_ts,_host,_app,level,_line\n1700000000000,web,shop,error,"a ""b"", c"\n1700000001000,web,shop,,d\te\n',
    )
    expect(await search('--fields', '_id,level')).toBe('_ID  LEVEL\n1    error\n2\n')
    expect(await search('-o', 'ndjson')).toBe(await search('--json'))
  })
})

test('every value of CSV is read back', () => {
  const text = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r', ' ', 'é') })
  fc.assert(
    fc.property(fc.array(text, { minLength: 2, maxLength: 5 }), values => {
      const read: string[] = []
      const cell = /("(?:[^"]|"")*"|[^",\r\n]*)(,|$)/y
      const csv = csvLine(values)
      for (let last = ','; last === ','; ) {
        const match = cell.exec(csv) as RegExpExecArray
        const [, quoted = '', end = ''] = match
        read.push(quoted.startsWith('"') ? quoted.slice(1, -1).replaceAll('""', '"') : quoted)
        last = end
      }
      expect(read).toEqual(values)
    }),
  )
})

test('a member whose name has dots takes precedence over a member of a member', () => {
  expect(fieldValue({ 'a.b': 1, a: { b: 2 } }, 'a.b')).toBe(1)
  expect(fieldValue({ a: { b: 2 } }, 'a.b')).toBe(2)
  expect(fieldValue({ a: [{ b: 2 }] }, 'a.0.b')).toBe(2)
  expect(fieldValue({}, 'constructor')).toBe(undefined)
  expect(fieldValue({ a: [1] }, 'a.length')).toBe(undefined)
})
