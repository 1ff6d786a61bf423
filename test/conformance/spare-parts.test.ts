import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, realpathSync, rmSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'

const QUERY_STORE = new URL('../faults/query-store.ts', import.meta.url).pathname
const [MERGED, NEWEST] = ['20260101_1_3_1', '20260101_3_3_0']

let folder: string

/** Starts the engine on the folder, and runs statements. @returns the rows of the last one */
function onEngine(...statements: string[]): Record<string, string>[] {
  return JSON.parse(
    execFileSync(process.execPath, [QUERY_STORE, folder, ...statements], { encoding: 'utf8' }),
  )
}

/** Opens the folder as `weir store` does. @returns its warnings */
function serve(): string[] {
  const engine = (path: string) => JSON.stringify(new URL(`../../engine/${path}`, import.meta.url).href)
  const script = `import { systemClock } from ${engine('clock/system-clock.ts')}
import { openEmbeddedServer } from ${engine('store/embedded-server/embedded-server.ts')}
const warnings = []
const warn = sentence => warnings.push(sentence)
const server = await openEmbeddedServer({ path: ${JSON.stringify(folder)}, clock: systemClock(), warn })
await server.close()
console.log(JSON.stringify(warnings))`
  const program = ['--input-type=module', '--eval', script]
  return JSON.parse(execFileSync(process.execPath, program, { encoding: 'utf8' }))
}

const insertInto = (table: string) => `INSERT INTO ${table} VALUES ('2026-01-01', 1)`

/** Folder of a part. */
function partOf(table: string, part: string): string {
  return join(realpathSync(join(folder, 'data', 'weir', table)), part)
}

/** Adds the result of a merge of all parts, with a damaged file. */
function addDamagedMerge(table: string): void {
  const merged = partOf(table, MERGED)
  cpSync(partOf(table, NEWEST), merged, { recursive: true })
  truncateSync(join(merged, 'data.bin'), 10)
}

const SET_ASIDE = 'SELECT table, name FROM system.detached_parts ORDER BY table'

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'weir-spare-'))
  // The engine itself merges nothing here.
  const create = (table: string) =>
    `CREATE TABLE ${table} (t Date, a UInt8) ENGINE = MergeTree PARTITION BY t ORDER BY a SETTINGS max_bytes_to_merge_at_max_space_in_pool = 1`
  const tables = ['whole', 'incomplete', 'newest', 'served']
  const three = tables.flatMap(table => [1, 2, 3].map(() => insertInto(table)))
  onEngine(...tables.map(create), ...three, 'SELECT 1')
  addDamagedMerge('whole')
  addDamagedMerge('incomplete')
  rmSync(partOf('incomplete', '20260101_2_2_0'), { recursive: true })
  truncateSync(join(partOf('newest', NEWEST), 'data.bin'), 10)
})
afterAll(() => rmSync(folder, { recursive: true }))

test('a damaged result of a merge was reported as missing rows although its sources were all there', () => {
  expect(onEngine('SELECT count() AS rows FROM whole')).toEqual([{ rows: '3' }])
  const missing = [
    { table: 'incomplete', name: `broken-on-start_${MERGED}` },
    { table: 'newest', name: `broken-on-start_${NEWEST}` },
  ]
  expect(onEngine(SET_ASIDE)).toEqual([...missing, { table: 'whole', name: `ignored_${MERGED}` }])
  // The engine gives the number of the lost part again, to other rows: a later start does not take them for those of the part.
  const parts = "SELECT name FROM system.parts WHERE active AND table = 'newest' ORDER BY name"
  expect(onEngine(insertInto('newest'), parts).at(-1)).toEqual({ name: NEWEST })
  expect(onEngine(SET_ASIDE)).toEqual(expect.arrayContaining(missing))
})

test('the same is found by the start of a store for several processes, and reported once', () => {
  addDamagedMerge('served')
  const warnings = [
    expect.stringContaining(
      `broken-on-start_${MERGED} of the table served was found damaged at this start and is set aside. Other parts contain all of its rows`,
    ),
  ]
  expect([serve(), serve()]).toEqual([warnings, []])
})
