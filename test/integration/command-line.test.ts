import { spawn } from 'node:child_process'
import { appendFileSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freshBundle } from '../../deploy/bin/program-bundle.mjs'
import { runProgram } from '../../deploy/cli/program.ts'
import { systemClock } from '../../engine/clock/system-clock.ts'
import { commandWorld } from '../support/command-world.ts'
import { eventually } from '../support/exported-lines.ts'
import { IS_LONG } from '../support/long-form.ts'
import { RunningWeir } from '../support/running-weir.ts'

const PROJECT = new URL('../../', import.meta.url).pathname
const PROGRAM = join(PROJECT, 'deploy/bin/weir.mjs')

/** Signals that end the programs that ship a followed file, one program after the other. */
const SIGNALS = IS_LONG ? (['SIGKILL', 'SIGKILL', 'SIGTERM'] as const) : (['SIGKILL', 'SIGTERM'] as const)

let weir: RunningWeir
let folder: string
let levelFile: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'weir-cli-'))
  levelFile = join(folder, 'level')
  writeFileSync(levelFile, 'warn')
  weir = await RunningWeir.start({ LOG_LEVEL: '', LOG_LEVEL_FILE: levelFile })
})
afterAll(async () => {
  expect(await weir.end('SIGTERM')).toBe(0)
  await weir.dispose()
  rmSync(folder, { recursive: true, force: true })
})

test('the tested program is a bundle of the present sources', () => {
  expect(freshBundle(PROJECT)).toBe(join(PROJECT, 'deploy/dist/program.mjs'))
})

test('a first start without a terminal tells where its credentials are, and shows none of them', async () => {
  const { accountId, accessToken, ingestionKey, enterpriseAccessToken, serviceKey } = weir.credentials
  expect(weir.output).toContain(`A new account was created: ${accountId}.`)
  expect(weir.output).toContain(`WEIR_DATA_DIR='${weir.directory}' npx weir credentials`)
  for (const secret of [accessToken, ingestionKey, enterpriseAccessToken, serviceKey])
    expect(weir.output).not.toContain(secret)
})

test('a hang-up reads the log level again, and the service goes on', async () => {
  writeFileSync(levelFile, 'info')
  weir.signal('SIGHUP')
  const said = await eventually(
    async () => weir.output,
    output => output.includes('are read again'),
  )
  expect(said).toContain('"logLevel":"info"')
  writeFileSync(levelFile, 'warn')
  weir.signal('SIGHUP')
  expect((await runInside('retention')).out).toBe('Lines are kept 30 days.\n')
})

interface Ended {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** The command line as a user of the same machine would run it: it finds address and credentials by itself. */
function run(...args: string[]): Promise<Ended> {
  return begin(args).ended
}

/** Runs a command in this process, if only its result is of interest. */
function runInside(...args: string[]): Promise<Ended> {
  return runWith({}, ...args)
}

async function runWith(env: Readonly<Record<string, string>>, ...args: string[]): Promise<Ended> {
  const world = commandWorld({ env: { ...weir.environment, ...env }, clock: systemClock() })
  const code = await runProgram(args, world)
  return { code, out: world.out(), err: world.err() }
}

function begin(args: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    env: { ...weir.environment, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const texts = { out: '', err: '' }
  child.stdout.on('data', chunk => (texts.out += chunk))
  child.stderr.on('data', chunk => (texts.err += chunk))
  const ended = new Promise<Ended>(resolve => child.once('close', code => resolve({ code, ...texts })))
  return { child, ended }
}

async function searched(count: number, ...args: string[]): Promise<Record<string, unknown>[]> {
  const { out } = await eventually(
    () => runInside('search', ...args, '--json'),
    ended => ended.out.split('\n').length > count,
  )
  return out
    .split('\n')
    .slice(0, -1)
    .map(line => JSON.parse(line) as Record<string, unknown>)
}

describe('the command line against the real service', () => {
  test('shipped lines are found in order, printed for people, and counted to the byte', async () => {
    const lines = Array.from({ length: 12_345 }, (_, at) => `request ${at} grüße "quoted" \u0001`)
    const path = join(folder, 'shop.log')
    writeFileSync(path, lines.join('\n'))
    const shipped = await run(
      'ship',
      path,
      '--host',
      'web-1',
      '--tags',
      'prod,eu',
      '--level',
      'warn',
      '--json',
    )
    expect(shipped.code).toBe(0)
    expect(JSON.parse(shipped.out)).toMatchObject({
      lines: lines.length,
      stored: lines.length,
      complete: true,
    })

    const found = await searched(lines.length, '--app', 'shop', '--limit', '20000')
    expect(found.map(record => record._line)).toEqual(lines)
    expect(found[0]).toMatchObject({ _host: 'web-1', _tag: ['prod', 'eu'], level: 'WARN', _file: path })

    const file = join(folder, 'shop.ndjson')
    const exported = await run('export', '--app', 'shop', '--file', file)
    expect([exported.code, exported.err]).toEqual([0, expect.stringContaining('Exported 12,345 lines to ')])
    const records = readFileSync(file, 'utf8').trimEnd().split('\n')
    expect(records.map(record => JSON.parse(record))).toEqual(found)
    const plain = await run('export', 'request 12344', '--app', 'shop', '-o', 'raw')
    expect(plain.out).toBe(`${lines[12_344]}\n`)

    const { out } = await runInside('search', 'request 12344', '--app', 'shop')
    expect(out).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z web-1 shop WARN request 12344 grüße "quoted" \\x01\n$/)

    for (const command of ['top', 'stats'])
      expect((await runInside(command, '--by', 'app', '--app', 'shop')).out).toMatch(
        /^(app +)?shop .*12,345 /m,
      )
    expect((await runInside('histogram', '--app', 'shop')).out).toMatch(/^12,345 lines from /m)
    expect((await runInside('fields', '--app', 'shop', '-o', 'raw')).out).toMatch(/^host$/m)

    const bytes = lines.reduce((sum, line) => sum + Buffer.byteLength(line), 0)
    const usage = JSON.parse((await runInside('usage', 'apps', 'shop', '--json')).out) as { results: unknown }
    expect(usage.results).toEqual([{ name: 'shop', total_bytes: bytes }])
    expect((await runInside('usage', 'tags')).out).toMatch(/^prod .* [\d,]+$/m)
  })

  test('a followed file that is rotated while shipping is restarted is stored once and in order', async () => {
    const path = join(folder, 'followed.log')
    const write = (from: number, to: number) =>
      appendFileSync(path, Array.from({ length: to - from }, (_, at) => `line ${from + at}\n`).join(''))
    write(0, 3_000)
    for (const signal of SIGNALS) {
      const { child, ended } = begin(['ship', '--follow', path, '--app', 'followed'])
      // Once it has begun, its file is known; then it is stopped wherever it may be.
      await searched(1, '--app', 'followed')
      await new Promise(resolve => setTimeout(resolve, 350))
      child.kill(signal)
      await ended
    }
    write(3_000, 3_500)
    renameSync(path, `${path}.1`)
    write(3_500, 4_000)
    const { child, ended } = begin(['ship', '--follow', path, '--app', 'followed'])
    const found = await searched(4_000, '--app', 'followed', '--limit', '20000')
    child.kill('SIGTERM')
    expect((await ended).code).toBe(0)
    expect(found.map(record => record._line)).toEqual(Array.from({ length: 4_000 }, (_, at) => `line ${at}`))
  })

  test('a pipeline is listed, shown and published, and publishing it again succeeds with a message', async () => {
    const create = async (path: string, body: unknown) =>
      (await weir.send<{ data: { id: string } }>('POST', path, body)).data.id
    const id = await create('/v3/pipeline', { title: 'Calm' })
    const source = await create(`/v3/pipeline/${id}/source`, {
      type: 'log-analysis-ingestion',
      user_config: {},
    })
    await create(`/v3/pipeline/${id}/sink`, { type: 'blackhole', user_config: {}, inputs: [source] })
    expect((await run('pipeline', 'list')).out).toMatch(new RegExp(`^${id}  Calm +draft`, 'm'))
    expect((await runInside('pipeline', 'show', 'Calm')).out).toMatch(
      /^blackhole +sink +blackhole +log-analysis-ingestion /m,
    )
    expect((await runInside('pipeline', 'publish', id)).out).toMatch(/^Published Calm/)
    const again = await runInside('pipeline', 'publish', id)
    expect([again.code, again.out]).toEqual([0, expect.stringContaining('Nothing to publish')])
  })

  test('pausing the only pipeline that reads lines is refused in a script, and with --yes lines are stored', async () => {
    const state = async () => (await runInside('pipeline', 'list')).out
    const refused = await runInside('pipeline', 'pause', 'Calm')
    expect([refused.code, refused.out]).toEqual([2, ''])
    expect(refused.err).toMatch(/^weir: Calm was not paused\. .*unfiltered and unthrottled\. Use --yes /)
    expect(await state()).not.toContain('paused')
    const path = join(folder, 'paused.log')
    writeFileSync(path, 'kept out\n')
    expect((await runInside('ship', path, '--host', 'paused')).code).toBe(0)
    expect((await runInside('pipeline', 'pause', 'Calm', '--yes')).out).toMatch(/^Paused Calm\. .*unfiltered/)
    expect(await state()).toContain('paused')
    writeFileSync(path, 'let in\n')
    expect((await runInside('ship', path, '--host', 'paused')).code).toBe(0)
    expect((await searched(1, 'host:paused')).map(({ _line }) => _line)).toEqual(['let in'])
    expect((await runInside('pipeline', 'resume', 'Calm')).out).toBe('Calm runs.\n')
    expect(await state()).not.toContain('paused')
  })

  test('the watchdog follows the nodes of the program: it would end one that stands at a record', async () => {
    const path = join(folder, 'watched.log')
    writeFileSync(path, 'watched\n')
    expect((await runInside('ship', path)).code).toBe(0)
    const measured = await eventually(
      async () => (await fetch(`${weir.credentials.apiUrl}/metrics`)).text(),
      text => /^weir_node_turn_seconds_max\{/m.test(text),
    )
    expect(measured).toMatch(/^weir_node_turn_seconds_max\{topic="weir\.ingest",.*node="[\da-f-]{36}"\} /m)
  })

  test('wrong credentials and queries end with the code that scripts expect', async () => {
    const refused = await begin(['search', 'x'], { WEIR_ACCESS_TOKEN: 'sts_wrong' }).ended
    expect([refused.code, refused.err]).toEqual([3, expect.stringContaining('WEIR_ACCESS_TOKEN')])
    const key = await runWith({ WEIR_INGESTION_KEY: '0'.repeat(32) }, 'ship', PROGRAM)
    expect([key.code, key.err]).toEqual([3, expect.stringContaining('WEIR_INGESTION_KEY')])
    expect((await runInside('search', '((')).code).toBe(2)
  })
})
