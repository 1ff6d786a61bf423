import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { runHere } from '../support/command-world.ts'
import { runWeir } from '../support/program.ts'
import { RunningWeir } from '../support/running-weir.ts'

/** An installation that was stopped after a token was revoked, and copies of older parts of it. */
let stopped: RunningWeir
let weir: RunningWeir
let copies: string
let token: string

const PARTS = ['log', 'store', 'configuration-end', 'log-ends.json']

function keep(name: string): void {
  for (const part of PARTS) cpSync(join(weir.directory, part), join(copies, name, part), { recursive: true })
}

function restore(name: string, parts: readonly string[]): void {
  for (const part of parts) {
    rmSync(join(weir.directory, part), { recursive: true })
    cpSync(join(copies, name, part), join(weir.directory, part), { recursive: true })
  }
}

/** Folders of the parts of the store's mark. */
function markParts(): string[] {
  const folder = realpathSync(join(weir.directory, 'store', 'data', 'weir', 'end_marks'))
  return readdirSync(folder)
    .filter(name => name.startsWith('all_'))
    .map(name => join(folder, name))
}

/** Starts a program that is expected to refuse. @returns its output */
async function refusedStart(): Promise<string> {
  const before = weir.output.length
  await expect(weir.start()).rejects.toThrow('before it was ready')
  expect(await weir.ended()).toBe(1)
  return weir.output.slice(before)
}

async function reads(): Promise<number> {
  const headers = { authorization: `Token ${token}` }
  return (await fetch(`${weir.credentials.apiUrl}/v3/pipeline`, { headers })).status
}

const waiver = () => join(weir.directory, 'configuration-end-unknown')

beforeAll(async () => {
  copies = mkdtempSync(join(tmpdir(), 'weir-copies-'))
  stopped = RunningWeir.prepare()
  weir = stopped
  await weir.start()
  token = (await runHere(['token', 'create', 'robot', '--expires', '1h'], weir.environment)).out.trim()
  expect(await reads()).toBe(200)
  await weir.end('SIGTERM')
  keep('older')
  await weir.start()
  expect((await runHere(['token', 'revoke', 'robot'], weir.environment)).code).toBe(0)
  expect(await reads()).toBe(401)
  await weir.end('SIGTERM')
  keep('newest')
}, 120_000)
beforeEach(() => {
  weir = stopped
  restore('newest', PARTS)
})
afterEach(() => weir.end('SIGKILL'))
afterAll(async () => {
  await stopped.dispose()
  rmSync(copies, { recursive: true })
})

describe("a revoked token worked again with an older configuration, because the store's mark was", () => {
  beforeEach(() => restore('older', ['log', 'configuration-end', 'log-ends.json']))

  test('gone: the start is refused, and so is a verification, until an operator accepts it', async () => {
    for (const part of markParts()) rmSync(part, { recursive: true })
    const LOST = /the store has lost its mark of the end of the configuration/i
    const said = await refusedStart()
    expect(said).toMatch(LOST)
    expect(said).toContain(`create the empty file ${waiver()}`)
    const verified = await runWeir(['verify'], weir.environment)
    expect([verified.code === 0, verified.out + verified.err]).toEqual([false, expect.stringMatching(LOST)])
    writeFileSync(waiver(), '')
    await weir.start()
    expect([await reads(), existsSync(waiver())]).toEqual([200, false])
    await weir.end('SIGTERM')
    // The permission counted once.
    for (const part of markParts()) rmSync(part, { recursive: true })
    expect(await refusedStart()).toMatch(LOST)
  })

  test('damaged in its columns: the start is refused with the name of the part', async () => {
    for (const part of markParts()) {
      const file = ['data.bin', 'signed.bin'].map(name => join(part, name)).find(existsSync) as string
      const bytes = readFileSync(file)
      for (let at = 0; at < bytes.length; at++) bytes[at] = (bytes[at] as number) ^ 0x10
      writeFileSync(file, bytes)
    }
    const said = await refusedStart()
    expect(said).toMatch(/the store cannot read its mark of the end of the configuration/)
    expect(said).toMatch(/of the table end_marks is damaged .* Restore a backup/)
  })

  test('found broken by the engine and set aside: the start is refused with the name of the part', async () => {
    for (const part of markParts()) writeFileSync(join(part, 'columns.txt'), 'x')
    expect(await refusedStart()).toMatch(
      /Part broken-on-start_all_\w+ of the table end_marks was found damaged .* restore a backup/,
    )
  })

  test('whole: the start is refused, since the configuration has lost its end', async () => {
    expect(await refusedStart()).toMatch(/the configuration log \(weir\.config\) ends before offset/)
  })
})

test('a whole installation starts with its mark, and the token stays revoked', async () => {
  await weir.start()
  expect(await reads()).toBe(401)
})
