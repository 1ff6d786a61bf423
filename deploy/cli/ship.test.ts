import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, constants, openSync, writeSync } from 'node:fs'
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { systemClock } from '../../engine/clock/system-clock.ts'
import { type CommandWorld, commandWorld } from '../../test/support/command-world.ts'
import { type IngestStandIn, ingestStandIn } from '../../test/support/ingest-stand-in.ts'
import { runProgram } from './program.ts'

let service: IngestStandIn
let folder: string
beforeEach(async () => {
  service = await ingestStandIn()
  folder = await mkdtemp(join(tmpdir(), 'weir-ship-'))
})
afterEach(async () => {
  await service.close()
  await rm(folder, { recursive: true })
})

function environment(): Record<string, string> {
  return { WEIR_URL: service.url, WEIR_INGESTION_KEY: 'key', WEIR_DATA_DIR: folder }
}

async function file(name: string, content: string | Buffer): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, content)
  return path
}

async function ship(args: readonly string[], world: CommandWorld = shipWorld()) {
  const code = await runProgram(['ship', ...args], world)
  return { code, out: world.out(), err: world.err() }
}

function shipWorld(options: Parameters<typeof commandWorld>[0] = {}): CommandWorld {
  return commandWorld({ env: environment(), clock: systemClock(), ...options })
}

describe('weir ship', () => {
  test('sends the lines of several files, each in its order, and ends with 0', async () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f']
    const files = await Promise.all(
      names.map(name =>
        file(`${name}.log`, Array.from({ length: 6_000 }, (_, at) => `${name}${at}\n`).join('')),
      ),
    )
    const { code, out } = await ship([
      ...files,
      '--host',
      'web-1',
      '--tags',
      'x,y',
      '--level',
      'warn',
      '--env',
      'prod',
    ])
    expect(code).toBe(0)
    expect(out).toMatch(/^Shipped 36,000 lines \(\d+ kB\) in .* 0 refused\.\n$/)
    for (const name of names) {
      const own = service.stored.filter(line => line.startsWith(name))
      expect(own).toEqual(Array.from({ length: 6_000 }, (_, at) => `${name}${at}`))
    }
    const first = service.requests.find(request => request.lines[0]?.line === 'a0')
    expect(first?.lines[0]).toEqual({ line: 'a0', app: 'a', level: 'warn', env: 'prod', file: files[0] })
    expect(first?.url.searchParams.get('hostname')).toBe('web-1')
    expect(first?.url.searchParams.get('tags')).toBe('x,y')
  })

  test('sends standard input, a last line without an end included', async () => {
    const world = shipWorld({ stdin: Readable.from([Buffer.from('on'), Buffer.from('e\ntwo')]) })
    expect((await ship(['-'], world)).code).toBe(0)
    expect(service.stored).toEqual(['one', 'two'])
    expect(service.requests[0]?.lines[0]).toEqual({ line: 'one', app: 'stdin' })
  })

  test.each([
    ['gzip', gzipSync, 'web.log.2.gz'],
    ['zstd', zstdCompressSync, 'web.log-20260131.zst'],
  ])('decompresses files that are compressed by %s', async (_name, compress, name) => {
    const path = await file(name, compress(Buffer.from('one\ntwo')))
    expect((await ship([path])).code).toBe(0)
    expect(service.requests[0]?.lines).toMatchObject([{ line: 'one', app: 'web' }, { line: 'two' }])
  })

  test('sends the readable part of a damaged compressed file, and reports the damage', async () => {
    const lines = Array.from({ length: 20_000 }, (_, at) => `${at * 7919}\n`).join('')
    const { code, out, err } = await ship([
      await file('a.log.gz', gzipSync(lines).subarray(0, 30_000)),
      '--json',
    ])
    expect(code).toBe(2)
    expect(err).toContain('cannot be decompressed')
    expect(JSON.parse(out)).toMatchObject({ complete: false, stored: service.stored.length })
  })

  test('a named pipe is read to its end, though its writer comes only once', async () => {
    const pipe = join(folder, 'pipe')
    for (let round = 1; round <= 5; round++) {
      execFileSync('mkfifo', [pipe])
      const writer = spawn('sh', ['-c', `printf 'a\\nb\\n' > "$0"`, pipe])
      expect((await ship([pipe, '--app', 'f'], shipWorld({ seed: round }))).code).toBe(0)
      expect(service.stored).toHaveLength(2 * round)
      if (writer.exitCode === null) await once(writer, 'exit')
      await rm(pipe)
    }
  })

  test('lines of a slow writer do not wait for its end', async () => {
    const stdin = new PassThrough()
    // Time on this clock passes at once, so that the writer is slow even on a fast machine.
    const shipped = ship(['-'], commandWorld({ env: environment(), stdin }))
    stdin.write('first\nsec')
    await service.arrived(1)
    stdin.end('ond\n')
    expect((await shipped).code).toBe(0)
    expect(service.stored).toEqual(['first', 'second'])
  })

  test('reports the results of the lines as JSON, and ends with 1 if some were refused', async () => {
    service.plan.push('refuse bad lines')
    const { code, out } = await ship([await file('a.log', 'good\nbad\n\nfine\n'), '--json'])
    expect(code).toBe(1)
    expect(JSON.parse(out)).toMatchObject({
      lines: 3,
      stored: 2,
      refused: 1,
      bytes: 11,
      complete: true,
      error: null,
    })
  })

  test('ends with 2 and the reason when the service refuses the request, and does not count its lines as refused', async () => {
    service.plan.push({
      status: 400,
      body: { error: '"mac" must be a valid MAC address', code: 'BadRequest' },
    })
    const lines = Array.from({ length: 20_000 }, (_, at) => `${at}\n`).join('')
    const { code, out, err } = await ship([await file('a.log', lines), '--json'])
    expect(code).toBe(2)
    expect(err).toContain('"mac" must be a valid MAC address')
    expect(JSON.parse(out)).toMatchObject({ lines: 0, stored: 0, refused: 0, complete: false })
    expect(service.requests).toHaveLength(1)
  })

  test('halves a batch that the service finds too large, and keeps the order', async () => {
    service.maxBodyBytes = 3_000
    const lines = Array.from({ length: 400 }, (_, at) => `line ${at}`)
    expect((await ship([await file('a.log', lines.join('\n'))])).code).toBe(0)
    expect(service.stored).toEqual(lines)
  })

  test('ends with 3 when the key is refused, and sends nothing more', async () => {
    service.plan.push({ status: 401, body: { error: 'Not Authorized', code: 'NotAuthorized' } })
    const lines = Array.from({ length: 20_000 }, (_, at) => `${at}\n`).join('')
    const { code, out, err } = await ship([await file('a.log', lines), '--json'])
    expect(code).toBe(3)
    expect(err).toContain('does not accept the credential from WEIR_INGESTION_KEY')
    expect(JSON.parse(out)).toMatchObject({
      stored: 0,
      complete: false,
      error: expect.stringContaining('Not Authorized'),
    })
    expect(service.requests).toHaveLength(1)
  })

  test('ends with 3 when the service is unavailable for longer than --retry-for', async () => {
    service.plan.push(...Array.from({ length: 100 }, () => ({ status: 503 })))
    const world = commandWorld({ env: environment() })
    const { code, err } = await ship([await file('a.log', 'x\n'), '--retry-for', '20s'], world)
    expect(code).toBe(3)
    expect(err.match(/trying again/g)).toHaveLength(1)
    expect(err).toContain('Tried for 20 s')
  })

  test.each([
    [['missing.log'], 'missing.log does not exist'],
    [['--follow', '-'], 'omit --follow'],
    [['.'], 'is a folder'],
    [['x', '--retry-for', 'soon'], 'Write it like 90s'],
    [['x', '--host', ''], 'Give a host'],
    [['--follow', 'x', '--host', ' '], 'Give a host'],
    [[], 'missing required argument'],
  ])('%j is wrong use: 2, with a sentence', async (args, sentence) => {
    const { code, err } = await ship(args)
    expect(code).toBe(2)
    expect(err).toContain(sentence)
    expect(service.requests).toEqual([])
  })
})

/** Opens a named pipe for writing as soon as a process has it open for reading. */
async function openedForReader(pipe: string): Promise<number> {
  for (;;) {
    try {
      return openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENXIO') throw error
      await new Promise(resolve => setImmediate(resolve))
    }
  }
}

/** The real program in its own process. */
function spawnShip(args: readonly string[]): ChildProcess {
  const bin = new URL('../bin/weir.mjs', import.meta.url).pathname
  return spawn(process.execPath, [bin, 'ship', ...args], {
    env: { ...process.env, ...environment() },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

test('weir ship of a named pipe with a silent writer ends when it is interrupted', async () => {
  const pipe = join(folder, 'pipe')
  execFileSync('mkfifo', [pipe])
  const shipping = spawnShip([pipe])
  const ended = once(shipping, 'exit')
  const writer = await openedForReader(pipe)
  writeSync(writer, 'first\n')
  await service.arrived(1)
  shipping.kill('SIGINT')
  expect(await ended).toEqual([130, null])
  closeSync(writer)
})

describe('weir ship --follow as a process', () => {
  test('that is killed between a batch and its answer and started again loses and duplicates no line', async () => {
    const path = await file('app.log', 'one\ntwo\n')
    service.plan.push('hang', 'store and break', 'hang')
    const first = spawnShip(['--follow', path])
    await service.arrived(1)
    first.kill('SIGKILL')
    await once(first, 'exit')
    await appendFile(path, 'three\n')
    const second = spawnShip(['--follow', path])
    await service.arrived(3)
    second.kill('SIGKILL')
    await once(second, 'exit')
    const third = spawnShip(['--follow', path, '--json'])
    await service.arrived(5)
    third.kill('SIGTERM')
    const [code] = await once(third, 'exit')
    expect(code).toBe(0)
    expect(service.stored).toEqual(['one', 'two', 'three'])
    const positions = JSON.parse(await readFile(join(folder, 'ship-positions.json'), 'utf8'))
    expect(positions.files[0]).toMatchObject({ offset: 14, pending: null })
  })

  test('with the position file of another process ends with a message', async () => {
    const path = await file('app.log', 'one\n')
    const first = spawnShip(['--follow', path])
    await service.arrived(1)
    const { code, err } = await ship(['--follow', path])
    expect(code).toBe(2)
    expect(err).toContain('--positions FILE')
    first.kill('SIGTERM')
    await once(first, 'exit')
  })
})
