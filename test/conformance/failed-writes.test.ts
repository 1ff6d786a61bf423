import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { hasPrlimit } from '../support/write-limit.ts'

const QUERY_STORE = new URL('../faults/query-store.ts', import.meta.url).pathname
const url = (path: string) => JSON.stringify(new URL(`../../${path}`, import.meta.url).href)

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'weir-failed-writes-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** Starts the engine on the folder. @returns the rows of the last statement */
function onEngine(...statements: string[]): Record<string, unknown>[] {
  return JSON.parse(
    execFileSync(process.execPath, [QUERY_STORE, folder, ...statements], { encoding: 'utf8' }),
  )
}

/**
 * Runs a script in a process of its own. It has the folder, `failWrites(isFailing)`, which lets every write of the process to a file
 * fail, `noted(…)`, and `kill(sentence)`, which notes the sentence and ends the process by force.
 *
 * @returns noted values
 */
function run(script: string): unknown[] {
  const text = `import { writeSync } from 'node:fs'
import { createChdbConnection } from 'chdb/connection'
import { systemClock } from ${url('engine/clock/system-clock.ts')}
import { openEmbeddedConnection } from ${url('engine/store/embedded-connection.ts')}
import { openEmbeddedServer } from ${url('engine/store/embedded-server/embedded-server.ts')}
import { failWrites } from ${url('test/support/write-limit.ts')}
const folder = ${JSON.stringify(folder)}
const noted = value => writeSync(1, JSON.stringify(value) + '\\n')
const kill = sentence => { noted(sentence); process.kill(process.pid, 'SIGKILL') }
const failing = async (insert, value) => {
  failWrites(true)
  const outcome = insert(value)
  await new Promise(resolve => setTimeout(resolve, 2_000))
  failWrites(false)
  return outcome
}
const outcome = promise => promise.then(() => 'confirmed', error => error.message)
${script}`
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', text], {
    encoding: 'utf8',
    cwd: join(import.meta.dirname, '../..'),
    timeout: 100_000,
  })
  if (stdout === '') throw new Error(stderr)
  return stdout
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))
}

const CREATE =
  "'CREATE TABLE x (t Date, a UInt8) ENGINE = MergeTree PARTITION BY t ORDER BY a SETTINGS fsync_after_insert = 1'"
const THREE = `const connection = await openEmbeddedConnection({ path: folder, onUnwrittenMerge: kill })
await connection.command(${CREATE})
for (const a of [1, 2, 3]) await connection.command(\`INSERT INTO x VALUES ('2026-01-01', \${a})\`)
const engine = createChdbConnection({ path: folder })
/** A merge as the engine itself begins it. */
const merge = () => engine.command({ query: 'OPTIMIZE TABLE weir.x FINAL' })`
const STORED = 'SELECT a FROM x ORDER BY a'
const SET_ASIDE = "SELECT name FROM system.detached_parts WHERE startsWith(reason, 'broken')"
const UNWRITTEN = expect.stringMatching(/^Code: 75\. .*a part could not be written as a whole/)
const UNWRITTEN_MERGE = expect.stringMatching(
  /^the disk refused a write of the store, and part 20260101_1_3_1 of the table x /,
)

test('the sources of a merge stay on the disk until the next looks, and the engine leaves some space free', () => {
  const settings = `SELECT (SELECT value FROM system.merge_tree_settings WHERE name = 'old_parts_lifetime') AS lifetime,
  (SELECT toUInt32(keep_free_space) FROM system.disks) AS free`
  expect(onEngine(settings)).toEqual([{ lifetime: '30', free: 64 * 1024 ** 2 }])
  const noted =
    run(`const server = await openEmbeddedServer({ path: folder, clock: systemClock(), onUnwrittenMerge: kill })
const engine = createChdbConnection({ path: folder })
const answer = await engine.chdb.queryAsync(${JSON.stringify(settings)}, { format: 'JSONEachRow' })
noted(JSON.parse(Buffer.from(answer.bytes()).toString()))
await engine.close()
await server.close()`)
  expect(noted).toEqual([{ lifetime: '30', free: 64 * 1024 ** 2 }])
})

test('a process whose store could not be opened ends by itself', () => {
  const noted = run(`const refused = opening => opening.then(() => 'opened', () => 'refused')
noted(await refused(openEmbeddedConnection({ path: folder, database: 'no name', onUnwrittenMerge: kill })))
process.on('exit', code => noted(['ended', code]))`)
  expect(noted).toEqual(['refused', ['ended', 0]])
})

describe.runIf(hasPrlimit('of writes of the store that fail'))('a disk that refuses writes', () => {
  test('an insert whose writes all failed was confirmed, and its rows were gone after the next start', () => {
    const outcomes =
      run(`const connection = await openEmbeddedConnection({ path: folder, onUnwrittenMerge: kill })
await connection.command(${CREATE})
const insert = a => outcome(connection.command(\`INSERT INTO x VALUES ('2026-01-01', \${a})\`))
noted(await insert(1))
noted(await failing(insert, 2))
noted(await insert(3))
noted(await connection.read('${STORED}'))
await connection.close()`)
    const stored = [{ a: 1 }, { a: 3 }]
    expect(outcomes).toEqual(['confirmed', UNWRITTEN, 'confirmed', stored])
    expect(onEngine(STORED)).toEqual(stored)
    expect(onEngine(SET_ASIDE)).toEqual([])
  })

  test('the same in the store of several processes (weir store)', () => {
    const outcomes =
      run(`const server = await openEmbeddedServer({ path: folder, clock: systemClock(), onUnwrittenMerge: kill })
const asker = { account: '', enterprise: '' }
const common = { parameters: {}, settings: {}, format: 'JSONEachRow', asker, isReadOnly: false, isGivenWhole: true }
const answer = async (sql, database = 'weir') => {
  for await (const _ of server.answer({ ...common, sql, database }, new AbortController().signal));
}
await answer('CREATE DATABASE weir ENGINE = Atomic', 'default')
await answer(${CREATE})
const insert = a => outcome(answer(\`INSERT INTO x VALUES ('2026-01-01', \${a})\`))
noted(await insert(1))
noted(await failing(insert, 2))
noted(await insert(3))
await server.close()`)
    expect(outcomes).toEqual(['confirmed', UNWRITTEN, 'confirmed'])
    expect(onEngine(STORED)).toEqual([{ a: 1 }, { a: 3 }])
  })

  test('a merge whose writes failed replaced its sources, and all of their rows were lost', () => {
    const sentences = run(`${THREE}
failWrites(true)
await merge()
failWrites(false)
await new Promise(resolve => setTimeout(resolve, 30_000))
noted('nothing was noticed')
process.kill(process.pid, 'SIGKILL')`)
    expect(sentences).toEqual([UNWRITTEN_MERGE])
    expect(onEngine(STORED)).toEqual([{ a: 1 }, { a: 2 }, { a: 3 }])
    expect(onEngine(SET_ASIDE)).toEqual([])
  })

  test('the same at once before a regular end, which removes the sources of merges', () => {
    const sentences = run(`${THREE}
failWrites(true)
await merge()
failWrites(false)
await engine.close()
await connection.close()
noted('closed')`)
    expect(sentences).toContainEqual(UNWRITTEN_MERGE)
    expect(onEngine(STORED)).toEqual([{ a: 1 }, { a: 2 }, { a: 3 }])
  })

  test('merges go on after an insert whose writes failed, and files of parts that are whole are left alone', () => {
    const noted = run(`${THREE}
noted(await failing(() => outcome(connection.command("INSERT INTO x VALUES ('2026-01-01', 4)"))))
// A later look that examines parts stops merges for a moment; the engine begins its own again.
for (let attempt = 1; (await outcome(merge())) !== 'confirmed' && attempt < 20; attempt++)
  await new Promise(resolve => setTimeout(resolve, 250))
const parts = "SELECT name FROM system.parts WHERE table = 'x' AND active AND rows > 0"
noted((await connection.read(parts)).length)
noted(await connection.read('${STORED}'))
await engine.close()
await connection.close()`)
    expect(noted).toEqual([UNWRITTEN, 1, [{ a: 1 }, { a: 2 }, { a: 3 }]])
    expect(onEngine(STORED)).toEqual([{ a: 1 }, { a: 2 }, { a: 3 }])
  })
})
