import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { blockStructure, type LineTable, SLOT_NAMES } from '../../../schemas/log/tables.ts'
import { newStoredLine } from '../../../test/support/line-blocks.ts'
import type { StoreConnection } from '../../store/connection.ts'
import { openEmbeddedConnection } from '../../store/embedded-connection.ts'
import { factsText, tagsText } from '../slots/line-facts.ts'
import type { StoredLine } from '../stored-line/stored-line.ts'
import { newLineBlock } from './line-block.ts'

let folder = ''
let connection: StoreConnection

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'weir-block-'))
  connection = await openEmbeddedConnection({ path: join(folder, 'store'), searches: 1 })
})
afterAll(async () => {
  await connection.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Rows that the engine reads from a block. */
async function readBlock(block: readonly Uint8Array[], table: LineTable = 'lines'): Promise<unknown[]> {
  const path = join(folder, 'block.native')
  writeFileSync(path, Buffer.concat(block))
  const structure = blockStructure(table).replaceAll("'", "\\'")
  const maps =
    table === 'lines'
      ? `, mapKeys(text_fields) AS text_names, mapValues(text_fields) AS text_values,
    mapKeys(number_fields) AS number_names, mapValues(number_fields) AS number_values`
      : ''
  return connection.read(
    `SELECT * EXCEPT (t, ts${maps === '' ? '' : ', text_fields, number_fields'}), toUnixTimestamp64Milli(t) AS t_ms, toUnixTimestamp64Milli(ts) AS ts_ms${maps}
    FROM file('${path}', 'Native', '${structure}')`,
  )
}

/** The expected row of a line. */
function expected(offset: bigint, row: number, line: StoredLine): unknown {
  const { account, host, app, level, file, env, mac, ip, tags, meta, extra } = line
  return {
    ...{ account, host, app, level, file, env, mac, ip, tags, meta, extra },
    offset: String(offset),
    row,
    remote: line.remoteAddress,
    line: Buffer.from(line.textBytes.subarray(line.textStart, line.textEnd)).toString(),
    size: line.sizeBytes,
    retention: line.retentionDays,
    pool: line.poolDays,
    t_ms: String(line.timeMs),
    ts_ms: String(line.timestampMs),
    text_names: line.textFieldNames.slice(0, line.textFieldCount),
    text_values: line.textFieldValues.slice(0, line.textFieldCount),
    number_names: line.numberFieldNames.slice(0, line.numberFieldCount),
    number_values: line.numberFieldValues.slice(0, line.numberFieldCount),
  }
}

/** The expected row of a line that is stored whole in the table of slotted lines. */
function expectedWhole(offset: bigint, row: number, line: StoredLine): unknown {
  const {
    file: _file,
    env: _env,
    mac: _mac,
    ip: _ip,
    remote: _remote,
    tags: _tags,
    line: whole_line,
    ...others
  } = expected(offset, row, line) as Readonly<Record<string, unknown>>
  const facts = factsText({ ...line, remote: line.remoteAddress })
  const noSlots = Object.fromEntries(SLOT_NAMES.map(name => [name, '']))
  return { ...others, facts, tag_list: tagsText(line.tags), shape: '', whole_line, ...noSlots }
}

const text = fc.string({ unit: 'binary', maxLength: 40 }).filter(value => value.isWellFormed())
const word = fc.oneof(fc.constantFrom('', 'a', 'b', 'nginx'), text)
const wholeText = fc.oneof(
  text,
  fc.integer({ min: 120, max: 20_000 }).map(length => 'ü'.repeat(length)),
)
const fields = <T>(value: fc.Arbitrary<T>) => fc.array(fc.tuple(word, value), { maxLength: 4 })

const anyLine: fc.Arbitrary<StoredLine> = fc
  .record({
    words: fc.array(word, { minLength: 9, maxLength: 9 }),
    timeMs: fc.integer({ min: 0, max: Date.UTC(2100, 0) }),
    timestampMs: fc.integer({ min: Date.UTC(1901, 0), max: Date.UTC(2100, 0) }),
    tags: fc.array(word, { maxLength: 3 }),
    lineText: wholeText,
    before: text,
    meta: wholeText,
    sizeBytes: fc.nat({ max: 2 ** 32 - 1 }),
    retentionDays: fc.nat({ max: 65_535 }),
    poolDays: fc.nat({ max: 65_535 }),
    textFields: fields(text),
    numberFields: fields(
      fc.double({ noNaN: true, noDefaultInfinity: true }).filter(value => !Object.is(value, -0)),
    ),
    surplus: fc.boolean(),
  })
  .map(({ words, lineText, before, textFields, numberFields, surplus, ...members }) => {
    const [account, host, app, level, file, env, mac, ip, remoteAddress] = words as [string, ...string[]]
    const start = Buffer.byteLength(before)
    const textBytes = Buffer.from(`${before}${lineText}${before}`)
    const more = surplus ? ['not counted'] : []
    return newStoredLine({
      ...members,
      ...({ account, host, app, level, file, env, mac, ip, remoteAddress } as Partial<StoredLine>),
      textBytes,
      textStart: start,
      textEnd: textBytes.length - start,
      textFieldNames: [...textFields.map(([name]) => name), ...more],
      textFieldValues: [...textFields.map(([, value]) => value), ...more],
      textFieldCount: textFields.length,
      numberFieldNames: numberFields.map(([name]) => name),
      numberFieldValues: numberFields.map(([, value]) => value),
      numberFieldCount: numberFields.length,
    })
  })

test.each([
  ['lines', expected],
  ['slotted_lines', expectedWhole],
] as const)(
  'the engine reads back the appended rows of %s, and the announced size is the real one',
  async (table, expectedRow) => {
    const block = newLineBlock(table)
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyLine, { minLength: 1, maxLength: 20, size: 'max' }),
        fc.bigInt(0n, 2n ** 40n),
        async (lines, offset) => {
          for (const [row, line] of lines.entries()) block.append(offset, row, line)
          expect(block.rows).toBe(lines.length)
          const { bytes } = block
          const chunks = block.take()
          expect(bytes).toBe(chunks.reduce((sum, chunk) => sum + chunk.length, 0))
          expect(block.rows).toBe(0)
          const rows = lines.map((line, row) => expectedRow(offset, row, line))
          expect(await readBlock(chunks, table)).toEqual(rows)
        },
      ),
      { numRuns: 60 },
    )
  },
)

test.each([255, 256, 65_535, 65_536])(
  '%i distinct words besides the empty one are distinguished',
  async count => {
    const block = newLineBlock()
    for (let row = 0; row < count; row++) block.append(1n, row, newStoredLine({ host: `h${row}`, app: '' }))
    const { bytes } = block
    const chunks = block.take()
    expect(bytes).toBe(chunks.reduce((sum, chunk) => sum + chunk.length, 0))
    const rows = (await readBlock(chunks)) as { host: string }[]
    expect(rows.every(({ host }, row) => host === `h${row}`)).toBe(true)
    expect(rows).toHaveLength(count)
  },
)

test('a finished block does not change while the next one is built', () => {
  const block = newLineBlock()
  const line = (app: string) =>
    newStoredLine({ app, textBytes: Buffer.from(app.repeat(50)), textStart: 0, textEnd: app.length * 50 })
  for (let row = 0; row < 3000; row++) block.append(1n, row, line(`a${row % 7}`))
  const first = block.take()
  const copy = Buffer.concat(first)
  for (let row = 0; row < 3000; row++) block.append(2n, row, line(`b${row % 9}`))
  const second = Buffer.concat(block.take())
  expect(Buffer.concat(first).equals(copy)).toBe(true)
  expect(second.equals(copy)).toBe(false)
})

test('text that is not well-formed Unicode is stored with replacement characters', async () => {
  const block = newLineBlock()
  block.append(1n, 0, newStoredLine({ host: 'a\ud800b', meta: 'x\udc00' }))
  const { bytes } = block
  const chunks = block.take()
  expect(bytes).toBe(chunks.reduce((sum, chunk) => sum + chunk.length, 0))
  expect(await readBlock(chunks)).toMatchObject([{ host: 'a\ufffdb', meta: 'x\ufffd' }])
})
