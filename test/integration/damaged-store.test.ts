import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { runHere } from '../support/command-world.ts'
import { exportedLines } from '../support/exported-lines.ts'
import { RunningWeir } from '../support/running-weir.ts'

const LINES = 2_000
const QUERY_STORE = new URL('../faults/query-store.ts', import.meta.url).pathname

let weir: RunningWeir
/** The file with the columns of the only part of lines, and the part's folder. */
let file: string
let part: string
let kept: Buffer

beforeEach(async () => {
  weir = await RunningWeir.start()
  await send(LINES, 'first')
  file = largestFile(join(weir.directory, 'store', 'store'))
  part = dirname(file)
  kept = readFileSync(file)
})
afterEach(() => weir.dispose())

async function send(count: number, word: string): Promise<void> {
  const { ingestUrl, ingestionKey } = weir.credentials
  const before = word === 'first' ? 0 : (await exportedLines(weir)).length
  const lines = Array.from({ length: count }, (_, number) => ({ line: `${word} ${number} ${number ** 3}` }))
  const response = await fetch(`${ingestUrl}/logs/ingest?hostname=h`, {
    method: 'POST',
    headers: { apikey: ingestionKey },
    body: JSON.stringify({ lines }),
  })
  expect(response.status).toBe(200)
  await expect.poll(async () => (await exportedLines(weir)).length, { timeout: 10_000 }).toBe(before + count)
}

function largestFile(folder: string): string {
  const names = readdirSync(folder, { recursive: true }) as string[]
  const files = names.map(name => join(folder, name)).filter(path => path.endsWith('/data.bin'))
  return files.toSorted((a, b) => statSync(b).size - statSync(a).size)[0] as string
}

function flipBits(): void {
  const bytes = Buffer.from(kept)
  for (let at = 100; at < bytes.length; at += 200) bytes[at] = (bytes[at] as number) ^ 0x10
  writeFileSync(file, bytes)
}

interface Answer {
  readonly status: number
  readonly retryAfter: string | null
  readonly text: string
}

async function ask(path: string): Promise<Answer> {
  const { apiUrl, accessToken } = weir.credentials
  const response = await fetch(apiUrl + path, { headers: { authorization: `Token ${accessToken}` } })
  return {
    status: response.status,
    retryAfter: response.headers.get('retry-after'),
    text: await response.text(),
  }
}

const search = (query = '') => ask(`/v2/export?from=0&to=${Date.now() + 60_000}&size=10000${query}`)

async function metric(name: string): Promise<number> {
  const { text } = await ask('/metrics')
  return Number(
    text
      .split('\n')
      .find(line => line.startsWith(`${name} `))
      ?.slice(name.length),
  )
}

const UNREADABLE = 'weir_store_damaged_parts{state="unreadable"}'
const SET_ASIDE = 'weir_store_damaged_parts{state="set aside"}'

/** A search fails with a sentence that names the part. The readiness and the metrics report it, too. */
async function expectReport(): Promise<void> {
  const sentence = `Part ${basename(part)} of the table slotted_lines is damaged and cannot be read: `
  for (const query of ['', '&query=first']) {
    const { status, retryAfter, text } = await search(query)
    expect([status, retryAfter]).toEqual([503, '60'])
    expect(JSON.parse(text)).toEqual({
      error: expect.stringContaining(sentence),
      code: 'ServiceUnavailable',
      status: 'error',
    })
    expect(text).toContain('Restore a backup, or continue without the part')
  }
  const ready = await ask('/readyz')
  expect([ready.status, ready.text]).toEqual([503, expect.stringContaining(sentence)])
  expect([await metric(UNREADABLE), await metric(SET_ASIDE)]).toEqual([1, 0])
  expect(await metric('weir_store_damage_failures_total')).toBeGreaterThanOrEqual(2)
}

async function verify(): Promise<{ readonly code: number | null; readonly text: string }> {
  const { code, out, err } = await runHere(['verify'], weir.environment)
  return { code, text: out + err }
}

describe('a damaged part of the store', () => {
  test('makes searches answer 503 with its name if it is damaged during operation, while lines are accepted', async () => {
    expect((await ask('/readyz')).status).toBe(200)
    flipBits()
    await expectReport()
    const { ingestUrl, ingestionKey } = weir.credentials
    const response = await fetch(`${ingestUrl}/logs/ingest?hostname=h`, {
      method: 'POST',
      headers: { apikey: ingestionKey },
      body: JSON.stringify({ lines: [{ line: 'later' }] }),
    })
    expect(response.status).toBe(200)
    const { code, text } = await verify()
    expect([code, text]).toEqual([
      2,
      expect.stringContaining(`Part ${basename(part)} of the table slotted_lines is damaged`),
    ])
  })

  test('is named after a start, too, and is whole again once its files are restored', async () => {
    await weir.end('SIGTERM')
    flipBits()
    await weir.start()
    await expectReport()
    await weir.end('SIGTERM')
    writeFileSync(file, kept)
    await weir.start()
    expect(await exportedLines(weir)).toHaveLength(LINES)
    expect((await ask('/readyz')).status).toBe(200)
    expect(await metric(UNREADABLE)).toBe(0)
  })

  test('disappears with its lines when it is removed as the guide says, and the other lines are found', async () => {
    await send(10, 'second')
    await weir.end('SIGTERM')
    flipBits()
    const elsewhere = mkdtempSync(join(tmpdir(), 'weir-part-'))
    try {
      renameSync(part, join(elsewhere, basename(part)))
      await weir.start()
      expect((await exportedLines(weir)).map(({ _line }) => _line.split(' ', 1)[0])).toEqual(
        Array(10).fill('second'),
      )
      expect((await ask('/readyz')).status).toBe(200)
      expect(await verify()).toMatchObject({
        code: 1,
        text: expect.stringContaining('MISMATCH: rows of slotted_lines are missing'),
      })
    } finally {
      rmSync(elsewhere, { recursive: true })
    }
  })

  test('is reported if the engine leaves it out at a start', async () => {
    await send(10, 'second')
    await weir.end('SIGTERM')
    truncateSync(file, kept.length >> 1)
    await weir.start()
    const setAside = join(dirname(part), 'detached', `broken-on-start_${basename(part)}`)
    expect(existsSync(setAside)).toBe(true)
    // The engine answers without the part: no other sign shows that 2,000 lines are missing.
    expect(await exportedLines(weir)).toHaveLength(10)
    const sentence = `Part broken-on-start_${basename(part)} of the table slotted_lines was found damaged at a start and is set aside`
    const ready = await ask('/readyz')
    expect([ready.status, ready.text]).toEqual([503, expect.stringContaining(sentence)])
    expect([await metric(UNREADABLE), await metric(SET_ASIDE)]).toEqual([0, 1])
    expect(await verify()).toMatchObject({ code: 1, text: expect.stringContaining(`DAMAGED: ${sentence}`) })
    // The loss is accepted.
    rmSync(setAside, { recursive: true })
    expect((await ask('/readyz')).status).toBe(200)
    expect(await metric(SET_ASIDE)).toBe(0)
  })

  test('was reported as missing rows if a merge had written it, and its sources were all there', async () => {
    await weir.end('SIGTERM')
    const source = mkdtempSync(join(tmpdir(), 'weir-part-'))
    cpSync(part, source, { recursive: true })
    const optimize = [QUERY_STORE, join(weir.directory, 'store'), 'OPTIMIZE TABLE slotted_lines FINAL']
    execFileSync(process.execPath, [...optimize, 'SELECT 1'])
    const merged = part.replace(/_0$/, '_1')
    truncateSync(join(merged, 'data.bin'), kept.length >> 1)
    cpSync(source, part, { recursive: true })
    rmSync(source, { recursive: true })
    for (let start = 0; start < 2; start++) {
      await weir.start()
      expect(await exportedLines(weir)).toHaveLength(LINES)
      expect((await ask('/readyz')).status).toBe(200)
      expect(await metric(SET_ASIDE)).toBe(0)
      expect((await verify()).code).toBe(0)
      await weir.end('SIGTERM')
    }
    const name = basename(merged)
    const said = weir.output.match(
      new RegExp(`broken-on-start_${name} .* nothing is missing.* renamed to ignored_${name}`, 'g'),
    )
    expect(said).toHaveLength(1)
    expect(existsSync(join(dirname(merged), 'detached', `ignored_${name}`))).toBe(true)
  })

  test('prevents the start if the store cannot work without it', async () => {
    await weir.end('SIGTERM')
    const folder = realpathSync(join(weir.directory, 'store', 'data', 'weir', 'logs'))
    const [own = ''] = readdirSync(folder).filter(name => name.startsWith('all_'))
    truncateSync(join(folder, own, 'columns.txt'), 10)
    await expect(weir.start()).rejects.toThrow(
      new RegExp(`weir: Part broken-on-start_${own} of the table logs was found damaged .* restore a backup`),
    )
    writeFileSync(join(folder, 'format_version.txt'), 'x')
    await expect(weir.start()).rejects.toThrow(/weir: the store in .* cannot be opened\. .* restore a backup/)
  })
})
