import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { commandWorld, runHere } from '../../test/support/command-world.ts'
import { runProgram } from '../cli/program.ts'
import { closeInstallation, type Installation, openInstallation } from '../installation.ts'
import { readSettings } from '../settings/settings.ts'
import { backUp } from './backup-installation.ts'
import { OperatorSocket } from './operator-socket.ts'

const LOGGER = pino({ level: 'silent' })
const options = { signal: new AbortController().signal, report: () => {} }

let folder: string
let data: string
let installation: Installation | undefined

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'weir-backup-of-'))
  data = join(folder, 'data')
})

afterEach(async () => {
  if (installation !== undefined) await closeInstallation(installation)
  installation = undefined
  rmSync(folder, { recursive: true })
})

async function open(settings: Readonly<Record<string, string>> = {}): Promise<Installation> {
  const environment = { WEIR_DATA_DIR: data, WEIR_PARTITIONS: '1', ...settings }
  installation = await openInstallation(readSettings(environment), LOGGER)
  return installation
}

test('a backup into the data folder is refused, by any path', async () => {
  const opened = await open()
  mkdirSync(join(data, 'kept'))
  symlinkSync(data, join(folder, 'link'))
  symlinkSync(join(data, 'kept'), join(folder, 'deep link'))
  const inside = [
    'data',
    'data/kept',
    'data/new/er',
    'data/..x',
    'link',
    'link/new',
    'deep link',
    'deep link/a/b',
  ]
  for (const name of inside) {
    const target = join(folder, name)
    await expect(backUp(opened, target, options), name).rejects.toThrow(
      `${target} is inside the data folder: use a folder elsewhere, preferably on another disk`,
    )
  }
  expect(readdirSync(join(data, 'kept'))).toEqual([])
  expect(readdirSync(data)).not.toContain('..x')
})

test('a backup of a data folder that is a symbolic link is not written into its target', async () => {
  mkdirSync(join(folder, 'real'))
  symlinkSync(join(folder, 'real'), data)
  const opened = await open()
  const target = join(folder, 'real', 'backup')
  await expect(backUp(opened, target, options)).rejects.toThrow(`${target} is inside the data folder`)
})

test('a folder beside the data folder is allowed, however its name begins', async () => {
  const opened = await open()
  mkdirSync(join(folder, 'disk'))
  symlinkSync(join(folder, 'disk'), join(folder, 'data link'))
  for (const name of ['data-backup', '..x', 'data link/backup']) {
    const { directory } = await backUp(opened, join(folder, name), options)
    expect(readdirSync(directory)).toContain('backup.json')
  }
})

test('a folder that is not empty, or that cannot be made, is refused', async () => {
  mkdirSync(data)
  // The folder is looked at first, so the installation need not be open.
  const unopened = { settings: readSettings({}), directory: { path: data } } as Installation
  const target = join(folder, 'backup')
  mkdirSync(target)
  writeFileSync(join(target, 'notes.txt'), 'mine')
  await expect(backUp(unopened, target, options)).rejects.toThrow(
    `${target} is not empty: use a new or empty folder`,
  )
  expect(readdirSync(target)).toEqual(['notes.txt'])
  await expect(backUp(unopened, join(target, 'notes.txt'), options)).rejects.toThrow('notes.txt is a file')
  await expect(backUp(unopened, '/proc/none/backup', options)).rejects.toThrow(
    /^\/proc\/none\/backup cannot be created \(ENOENT.*\): use a folder elsewhere/,
  )
})

test('a backup holds checkpoints before the store, the store before the log, and releases all, as does a start after a kill', async () => {
  const held = [join(data, 'held'), join(data, 'store', 'shadow', 'weir_copy')]
  for (const left of held) mkdirSync(left, { recursive: true })
  const { log, opening } = await open()
  expect(held.filter(existsSync)).toEqual([])
  const order: string[] = []
  const [hold, command] = [log.hold.bind(log), opening.connection.command.bind(opening.connection)]
  log.hold = (topic, directory) => {
    order.push(topic)
    return hold(topic, directory)
  }
  opening.connection.command = sql => {
    const table = /^ALTER TABLE (\w+) FREEZE/.exec(sql)?.[1]
    if (table !== undefined) order.push(table)
    return command(sql)
  }
  await backUp(installation as Installation, join(folder, 'backup'), options)
  expect(held.filter(existsSync)).toEqual([])
  const checkpoints = ['weir.checkpoints', 'weir.keyed-checkpoints', 'weir.outbox-checkpoints']
  const lines = ['weir.dead-letter', 'weir.outbox', 'weir.keyed', 'weir.ingest']
  expect(order.slice(0, checkpoints.length)).toEqual(checkpoints)
  expect(order.slice(-lines.length - 1)).toEqual([...lines, 'weir.config'])
  const tables = order.slice(checkpoints.length, -lines.length - 1)
  expect(tables.slice(0, 3)).toEqual(['slotted_lines', 'lines', 'usage_days'])
  expect(tables.filter(name => name.startsWith('weir.'))).toEqual([])
})

test('a second operator command is refused while one runs, and a stop of the server ends that one', async () => {
  const opened = await open()
  const holding = Promise.withResolvers<void>()
  const stopped = Promise.withResolvers<void>()
  const hold = opened.log.hold.bind(opened.log)
  opened.log.hold = async (topic, directory) => {
    holding.resolve()
    await stopped.promise
    return hold(topic, directory)
  }
  const socket = await OperatorSocket.open(opened, LOGGER, () => undefined)
  const environment = { WEIR_DATA_DIR: data }
  const target = join(folder, 'backup')
  const backup = runHere(['backup', target], environment)
  await holding.promise
  expect(await runHere(['verify'], environment)).toEqual({
    code: 2,
    out: '',
    err: 'weir: Another operator command is running: wait for its end.\n',
  })
  const closed = socket.close()
  stopped.resolve()
  await closed
  expect(await backup).toMatchObject({ code: 2, err: 'weir: The server is stopping.\n' })
  expect(readdirSync(target)).toEqual([])
})

test('a backup that is interrupted at its last byte leaves no backup.json', async () => {
  const opened = await open()
  const stop = new AbortController()
  let total = Number.NaN
  const target = join(folder, 'backup')
  const backup = backUp(opened, target, {
    signal: stop.signal,
    report: event => {
      if (event.type === 'held') total = event.bytes
      else if (event.bytes === total) stop.abort(new Error('interrupted'))
    },
  })
  await expect(backup).rejects.toThrow('interrupted')
  expect(readdirSync(target)).toEqual([])
})

describe('with a silent ClickHouse server, a backup is refused without a retry', () => {
  let server: Server
  let connections = 0
  let environment: Record<string, string>

  beforeEach(async () => {
    await open()
    await closeInstallation(installation as Installation)
    installation = undefined
    connections = 0
    server = createServer(socket => {
      connections++
      socket.destroy()
    })
    const port = await new Promise<number>(resolve =>
      server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port)),
    )
    environment = { WEIR_DATA_DIR: data, WEIR_PARTITIONS: '1', CLICKHOUSE_URL: `http://127.0.0.1:${port}` }
  })
  afterEach(() => new Promise<void>(resolve => server.close(() => resolve())))

  async function refusal(): Promise<string> {
    const world = commandWorld({ env: environment })
    expect(await runProgram(['backup', join(folder, 'backup')], world)).toBe(2)
    expect(world.out()).toBe('')
    return world.err()
  }

  test('by a command that opens the data folder itself, without asking a server', async () => {
    expect(await refusal()).toMatch(/^weir: The lines are on the ClickHouse server .*BACKUP DATABASE/)
    expect(connections).toBe(0)
  })

  test('by a running server that waits for ClickHouse', async () => {
    const opened = await open(environment)
    expect(opened.opening.isOpen).toBe(false)
    const socket = await OperatorSocket.open(opened, LOGGER, () => undefined)
    try {
      expect(await refusal()).toMatch(/^weir: The lines are on the ClickHouse server .*BACKUP DATABASE/)
    } finally {
      await socket.close()
    }
  })
})
