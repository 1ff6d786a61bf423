import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Patch } from '../simulation/guards.ts'
import { runHere } from '../support/command-world.ts'
import { IS_LONG, longTest } from '../support/long-form.ts'
import { type Ended, runWeir } from '../support/program.ts'
import { RunningWeir } from '../support/running-weir.ts'
import { WRITE_INSTANTS } from '../support/write-instants.ts'

const PRELOAD = new URL('../support/switched-off-preload.ts', import.meta.url).pathname

let weir: RunningWeir

/** The file of the configuration log that is written. */
function newestSegment(): string {
  const folder = join(weir.directory, 'log', 'weir.config', '0')
  const names = readdirSync(folder).filter(name => name.endsWith('.segment'))
  return join(folder, names.sort().at(-1) as string)
}

const endMark = () => join(weir.directory, 'configuration-end')

function cutTo(bytes: number): void {
  expect(statSync(newestSegment()).size).toBeGreaterThan(bytes)
  truncateSync(newestSegment(), bytes)
}

/** Runs a command: by the running server, or by a separate process that opens log and store. */
const command = (...args: string[]): Promise<Ended> =>
  (weir.running ? runHere : runWeir)(args, weir.environment)

/** Starts a program that is expected to refuse. @returns its exit code and its output */
async function refusedStart(): Promise<{ code: number | null; said: string }> {
  const before = weir.output.length
  await expect(weir.start()).rejects.toThrow('before it was ready')
  return { code: await weir.ended(), said: weir.output.slice(before) }
}

async function sends(ingestionKey: string): Promise<number> {
  const response = await fetch(`${weir.credentials.ingestUrl}/logs/ingest?hostname=h`, {
    method: 'POST',
    headers: { apikey: ingestionKey, 'content-type': 'application/json' },
    body: JSON.stringify({ lines: [{ line: 'a', app: 'b' }] }),
  })
  return response.status
}

async function reads(token: string): Promise<number> {
  const headers = { authorization: `Token ${token}` }
  return (await fetch(`${weir.credentials.apiUrl}/v3/pipeline`, { headers })).status
}

async function deleteKey(id: string): Promise<void> {
  const deleted = await fetch(`${weir.credentials.apiUrl}/v1/config/keys/${id}`, {
    method: 'DELETE',
    headers: { authorization: `Token ${weir.credentials.accessToken}` },
  })
  expect(deleted.ok).toBe(true)
}

interface Withdrawn {
  readonly key: string
  readonly token: string
  /** Size of the newest file of the configuration log when both still worked. */
  readonly bytes: number
}

/** Makes a key and a token, and takes both away again. */
async function withdraw(): Promise<Withdrawn> {
  const { id, key } = await weir.send<{ id: string; key: string }>('POST', '/v1/config/keys?type=ingestion', {
    name: 'lent',
  })
  const made = await command('token', 'create', 'robot', '--expires', '1h')
  const token = made.out.trim()
  expect([await sends(key), await reads(token)]).toEqual([200, 200])
  const bytes = statSync(newestSegment()).size
  await deleteKey(id)
  expect((await command('token', 'revoke', 'robot')).code).toBe(0)
  expect([await sends(key), await reads(token)]).toEqual([401, 401])
  return { key, token, bytes }
}

function offsetsIn(said: string): [from: string, to: string] {
  const found = /weir log accept-loss --topic config --partition 0 --from (\d+) --to (\d+)/.exec(said)
  if (found === null) throw new Error(`no command in: ${said}`)
  return [found[1] as string, found[2] as string]
}

const accept = (from: string | number, to: string | number) =>
  command('log', 'accept-loss', '--topic', 'config', '--partition', '0', '--from', `${from}`, '--to', `${to}`)

describe('an installation that was stopped after a key and a token were taken away', () => {
  let stopped: RunningWeir
  let withdrawn: Withdrawn
  let whole: { readonly log: Buffer; readonly mark: Buffer }

  beforeAll(async () => {
    stopped = RunningWeir.prepare()
    weir = stopped
    await weir.start()
    withdrawn = await withdraw()
    await weir.end('SIGTERM')
    whole = { log: readFileSync(newestSegment()), mark: readFileSync(endMark()) }
  }, 60_000)
  beforeEach(() => {
    weir = stopped
    writeFileSync(newestSegment(), whole.log)
    writeFileSync(endMark(), whole.mark)
  })
  afterEach(() => weir.end('SIGKILL'))
  afterAll(() => stopped.dispose())

  longTest(
    'starts with one slot of its mark torn, and a mark that is damaged refuses the start with a sentence',
    async () => {
      expect(whole.mark.length).toBe(8192)
      const torn = Buffer.from(whole.mark)
      torn.fill(0, 0, 4096)
      writeFileSync(endMark(), torn)
      await weir.start()
      await weir.end('SIGKILL')
      writeFileSync(endMark(), Buffer.alloc(8192))
      expect((await refusedStart()).said).toContain('configuration-end is damaged')
    },
    60_000,
  )

  longTest(
    'gets a mark at its next start if it has none yet',
    async () => {
      rmSync(endMark())
      await weir.start()
      expect(existsSync(endMark())).toBe(true)
    },
    60_000,
  )

  test('had a deleted ingestion key and a revoked token that worked again after the tail of its configuration log was cut', async () => {
    const { key, token, bytes } = withdrawn
    cutTo(bytes)
    const { code, said } = await refusedStart()
    expect(code).toBe(1)
    expect(said).toMatch(
      /weir: the configuration log \(weir\.config\) ends before offset \d+, and its (?:event \d+ is|events \d+ to \d+ are) missing/,
    )
    expect(said).toContain('Tokens and keys that were revoked or deleted there would work again')
    const [from, to] = offsetsIn(said)
    expect(Number(to)).toBeGreaterThanOrEqual(Number(from))

    if (IS_LONG) {
      // The others know it where the mark beside the log is gone, and a second start is refused with the same numbers.
      rmSync(endMark())
      const { said: saidAgain } = await refusedStart()
      expect(saidAgain).toContain('(known from the store and log-ends.json)')
      expect(offsetsIn(saidAgain)).toEqual([from, to])
      writeFileSync(endMark(), whole.mark)
    }

    const verified = await command('verify', '--json')
    expect([verified.code, JSON.parse(verified.out)]).toEqual([
      1,
      expect.objectContaining({
        ok: false,
        configuration: expect.objectContaining({ missing: { from: Number(from), to: Number(to) } }),
      }),
    ])

    // Other numbers are refused, and change nothing.
    const wrong = await accept(Number(from) - 1, to)
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining(`--from ${from} --to ${to}`)])
    expect(statSync(newestSegment()).size).toBe(bytes)

    const accepted = await accept(from, to)
    expect([accepted.code, accepted.err]).toEqual([0, ''])
    expect(accepted.out).toContain('work again')
    if (IS_LONG) {
      const again = await accept(from, to)
      expect([again.code, again.err]).toEqual([2, expect.stringContaining('there is no loss to accept')])
    }

    await weir.start()
    // The changes of the lost events are lost, as the operator was informed; repeated changes hold.
    expect([await sends(key), await reads(token)]).toEqual([200, 200])
    expect((await command('token', 'revoke', 'robot')).code).toBe(0)
    expect(await reads(token)).toBe(401)
    const audit = await command('audit', '--kind', 'accepted-loss', '--json')
    expect(audit.out).toContain(`"from":${from}`)
    const afterwards = await command('verify', '--json')
    expect([afterwards.code, JSON.parse(afterwards.out).configuration.missing]).toEqual([0, null])
    await weir.end('SIGTERM')
    await weir.start()
    expect(await reads(token)).toBe(401)
  })
})

longTest(
  'a folder had a deleted key that worked again after its configuration, mark and store were replaced by older copies',
  async () => {
    weir = RunningWeir.prepare()
    const copies = mkdtempSync(join(tmpdir(), 'weir-lost-'))
    const parts = ['log/weir.config', 'configuration-end', 'store']
    const copy = (from: string, to: string) => {
      for (const part of parts) {
        rmSync(join(to, part), { recursive: true, force: true })
        cpSync(join(from, part), join(to, part), { recursive: true })
      }
    }
    try {
      await weir.start()
      const { id, key } = await weir.send<{ id: string; key: string }>(
        'POST',
        '/v1/config/keys?type=ingestion',
        { name: 'lent' },
      )
      await weir.end('SIGTERM')
      copy(weir.directory, copies)
      await weir.start()
      await deleteKey(id)
      expect(await sends(key)).toBe(401)
      await weir.end('SIGTERM')
      copy(copies, weir.directory)
      const { said } = await refusedStart()
      expect(said).toContain('(known from log-ends.json)')
      expect((await accept(...offsetsIn(said))).code).toBe(0)
      await weir.start()
    } finally {
      await weir.dispose()
      rmSync(copies, { recursive: true, force: true })
    }
  },
  120_000,
)

longTest(
  'a backup that is made while the configuration is written is whole, and takes tokens back to its moment',
  async () => {
    weir = await RunningWeir.start()
    const folder = mkdtempSync(join(tmpdir(), 'weir-lost-'))
    let restored: RunningWeir | undefined
    try {
      let isOver = false
      const writing = (async () => {
        for (let number = 0; !isOver; number++)
          await weir.send('POST', '/v3/pipeline', { title: `p${number}` })
      })()
      const backups = [0, 1, 2].map(number => join(folder, `backup-${number}`))
      for (const backup of backups) expect((await command('backup', backup)).code).toBe(0)
      isOver = true
      await writing
      for (const [number, backup] of backups.entries()) {
        const directory = join(folder, `data-${number}`)
        const said = await runHere(['restore', backup], { ...weir.environment, WEIR_DATA_DIR: directory })
        expect([said.code, said.out]).toEqual([0, expect.stringContaining('work again')])
        expect(existsSync(join(directory, 'configuration-end'))).toBe(true)
        restored = await RunningWeir.start({}, directory)
        expect(await restored.end('SIGTERM')).toBe(0)
      }
      // The log of a backup alone, put where more is known, is not taken.
      await weir.end('SIGTERM')
      rmSync(join(weir.directory, 'log'), { recursive: true })
      cpSync(join(backups[0] as string, 'log'), join(weir.directory, 'log'), { recursive: true })
      expect((await refusedStart()).said).toContain('accept-loss --topic config')
    } finally {
      await restored?.dispose()
      await weir.dispose()
      rmSync(folder, { recursive: true, force: true })
    }
  },
  180_000,
)

longTest(
  'kill -9 at any instant of a write of the configuration refuses no start',
  async () => {
    const directory = mkdtempSync(join(tmpdir(), 'weir-lost-'))
    const trigger = join(directory, 'kill-now')
    /** The program that ends at an instant; the one that ends at the next instant finds what it has left. */
    const killedAt = (patch: Patch) =>
      RunningWeir.prepare(
        { NODE_OPTIONS: `--import=${PRELOAD}`, SWITCHED_OFF: JSON.stringify([patch]), KILL_AT: trigger },
        directory,
      )
    const there: string[] = []
    const startAfter = async (program: RunningWeir, instant: string) => {
      weir = program
      await weir.start()
      if (instant === '') return
      const keys = await weir.get<readonly { name: string }[]>('/v1/config/keys?type=ingestion')
      const names = keys.map(({ name }) => name).filter(name => name.startsWith('lent-'))
      expect(names.sort(), `after kill -9 ${instant}`).toEqual(there.toSorted())
      expect((await command('verify')).code, `after kill -9 ${instant}`).toBe(0)
    }
    try {
      let before = ''
      for (const [number, [instant, patch, isThere]] of WRITE_INSTANTS.entries()) {
        await startAfter(killedAt(patch), before)
        const token = await runHere(
          ['token', 'create', `first-${number}`, '--expires', '1h'],
          weir.environment,
        )
        expect(token.code).toBe(0)
        writeFileSync(trigger, '')
        const { apiUrl, accessToken } = weir.credentials
        const lost = fetch(`${apiUrl}/v1/config/keys?type=ingestion`, {
          method: 'POST',
          headers: { authorization: `Token ${accessToken}`, 'content-type': 'application/json' },
          body: JSON.stringify({ name: `lent-${number}` }),
        })
        await expect(lost).rejects.toThrow()
        expect(await weir.ended()).toBeNull()
        rmSync(trigger)
        if (isThere) there.push(`lent-${number}`)
        before = instant
      }
      await startAfter(RunningWeir.prepare({}, directory), before)
    } finally {
      await weir.dispose()
      rmSync(directory, { recursive: true, force: true })
    }
  },
  300_000,
)
