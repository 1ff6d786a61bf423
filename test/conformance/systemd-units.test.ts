import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { describeSettings } from '../../deploy/settings/settings.ts'
import { sayAloud } from '../support/kafka/needed-or-skipped.ts'

const UNITS = fileURLToPath(new URL('../../deploy/systemd/', import.meta.url))
/** Folder of the program in the units. */
const INSTALLED = '/opt/weir'
/** Exposure that `systemd-analyze security` reports as 3.0. */
const MAX_EXPOSURE = 30

/** Role of each unit. */
const ROLES = {
  'weir.service': 'all',
  'weir-api.service': 'api',
  'weir-engine.service': 'engine',
  'weir-ingest.service': 'ingest',
  'weir-store.service': 'store',
} as const
const UNIT_NAMES = Object.keys(ROLES) as (keyof typeof ROLES)[]

/** Directives that every unit has, with equal values. */
const SHARED = {
  NoNewPrivileges: ['yes'],
  CapabilityBoundingSet: [''],
  ProtectSystem: ['strict'],
  ProtectHome: ['yes'],
  PrivateTmp: ['yes'],
  PrivateDevices: ['yes'],
  RestrictAddressFamilies: ['AF_INET AF_INET6 AF_UNIX AF_NETLINK'],
  SystemCallFilter: ['@system-service', '~@privileged @keyring'],
  User: ['weir'],
  UMask: ['0077'],
  Type: ['exec'],
  KillMode: ['mixed'],
  Restart: ['always'],
  RestartPreventExitStatus: ['2'],
  StartLimitIntervalSec: ['0'],
  StateDirectoryMode: ['0700'],
  LimitCORE: ['0'],
  WantedBy: ['multi-user.target'],
}

/** Values of each directive of a unit, in the order of the file. */
function directivesOf(name: string): Record<string, readonly string[]> {
  const found: Record<string, readonly string[]> = {}
  for (const line of readFileSync(join(UNITS, name), 'utf8').split('\n')) {
    const [, directive, value] = /^([A-Za-z]+)=(.*)$/.exec(line) ?? []
    if (directive !== undefined && value !== undefined)
      found[directive] = [...(found[directive] ?? []), value]
  }
  return found
}

/** Names and values of the variables that a unit sets. */
const environmentOf = (name: string) =>
  Object.fromEntries((directivesOf(name).Environment ?? []).map(given => given.split('=', 2)))

test('there is a unit for one process, and one for each role', () => {
  expect(readdirSync(UNITS).sort()).toEqual([...UNIT_NAMES].sort())
})

describe.each(UNIT_NAMES)('%s', name => {
  const folder = name.replace('.service', '')

  test('starts its role from the installed folder', () => {
    const { ExecStart, WorkingDirectory } = directivesOf(name)
    const program = `${INSTALLED}/node_modules/.bin/node ${INSTALLED}/deploy/bin/weir.mjs`
    expect([ExecStart, WorkingDirectory]).toEqual([[`${program} ${ROLES[name]}`], [INSTALLED]])
  })

  test('keeps its data in a state directory of its own', () => {
    expect(directivesOf(name).StateDirectory).toEqual([folder])
    expect(environmentOf(name).WEIR_DATA_DIR).toBe(`/var/lib/${folder}`)
  })

  test('has the directives that all units share', () => {
    expect(directivesOf(name)).toMatchObject(SHARED)
  })

  test('has limits of files, tasks and memory', () => {
    const { LimitNOFILE, TasksMax, MemoryMax } = directivesOf(name)
    expect([LimitNOFILE, TasksMax, MemoryMax]).toEqual([
      [expect.stringMatching(/^\d+$/)],
      [expect.stringMatching(/^\d+$/)],
      [expect.stringMatching(/^\d+%$/)],
    ])
  })

  test('waits longer for a stop than the program takes', () => {
    const [seconds] = directivesOf(name).TimeoutStopSec ?? []
    expect(Number(seconds)).toBeGreaterThan(10)
  })

  test('sets and mentions settings of the program alone', () => {
    const text = readFileSync(join(UNITS, name), 'utf8')
    const mentioned = text.match(/\b(?:WEIR|KAFKA|CLICKHOUSE)_[A-Z_]+\b/g) ?? []
    const known = new Set(['NODE_ENV', ...describeSettings().map(setting => setting.name)])
    const unknown = [...Object.keys(environmentOf(name)), ...mentioned].filter(each => !known.has(each))
    expect(unknown).toEqual([])
  })
})

test('units of one machine use ports of their own', () => {
  const ports = ['weir-api', 'weir-ingest', 'weir-engine'].map(
    name => environmentOf(`${name}.service`).WEIR_PORT ?? '8080',
  )
  expect(new Set(ports).size).toBe(ports.length)
})

const analyses = (args: readonly string[], folder?: string) =>
  spawnSync('systemd-analyze', args, { cwd: folder, encoding: 'utf8' })

/** Whether this machine has a systemd-analyze that examines units without a running systemd. */
const canAnalyse = analyses(['security', '--help']).stdout?.includes('--offline') ?? false
if (!canAnalyse)
  sayAloud('TESTS SKIPPED, THEY NEED systemd-analyze OF SYSTEMD 250 OR NEWER: the units of systemd.')

describe.skipIf(!canAnalyse)('systemd', () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'weir-units-'))
    writeInstalled(folder)
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  // Units of the machine that ours depend on may have faults, too.
  const faults = (...names: readonly string[]) =>
    analyses(['verify', '--man=no', ...names.map(name => `./${name}`)], folder)
      .stderr.split('\n')
      .filter(line => names.some(name => line.includes(name)))

  test('finds no fault in the units', () => {
    expect(faults(...UNIT_NAMES)).toEqual([])
  })

  test('finds an unknown directive, and a program that is not there', () => {
    const text = readFileSync(join(folder, 'weir.service'), 'utf8')
    writeFileSync(join(folder, 'unknown.service'), `${text}Wantd=x\n`)
    writeFileSync(join(folder, 'absent.service'), text.replace('.bin/node', '.bin/absent'))
    expect(faults('unknown.service')).toEqual([expect.stringContaining('Wantd')])
    expect(faults('absent.service')).toEqual([expect.stringContaining('.bin/absent')])
  })

  test.each(UNIT_NAMES)('reports an exposure of %s below 3.0', name => {
    const args = ['security', '--offline=true', '--no-pager', `--threshold=${MAX_EXPOSURE - 1}`, `./${name}`]
    const { status, stdout } = analyses(args, folder)
    expect([status, stdout.split('\n').at(-2)]).toEqual([0, expect.stringContaining('OK')])
  })
})

/** Writes the units for a program that is installed in a folder of the test: systemd looks for it. */
function writeInstalled(folder: string): void {
  const program = join(folder, 'node_modules/.bin')
  mkdirSync(program, { recursive: true })
  writeFileSync(join(program, 'node'), '', { mode: 0o755 })
  for (const name of UNIT_NAMES) {
    const text = readFileSync(join(UNITS, name), 'utf8').replaceAll(INSTALLED, folder)
    writeFileSync(join(folder, name), text)
  }
}
