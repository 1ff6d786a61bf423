import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { commandWorld } from '../../../test/support/command-world.ts'
import { type OperatorStandIn, operatorStandIn } from '../../../test/support/operator-stand-in.ts'
import { runProgram } from '../program.ts'

let folder: string
let server: OperatorStandIn | undefined

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'weir-quarantine-'))
  writeFileSync(join(folder, 'format.json'), '{}')
})

afterEach(async () => {
  await server?.close()
  server = undefined
  rmSync(folder, { recursive: true, force: true })
})

async function quarantine(...args: string[]) {
  const world = commandWorld({ env: { WEIR_DATA_DIR: folder } })
  const code = await runProgram(['quarantine', ...args], world)
  return { code, out: world.out(), err: world.err() }
}

describe('refused with a sentence:', () => {
  test.each([
    [['ingest/0', 'n'], 'It must name topic, partition and offset, such as ingest/0/812.'],
    [['config/0/1', 'n'], 'It must name topic, partition and offset'],
    [['ingest/0/-1', 'n'], 'It must name topic, partition and offset'],
    [['ingest/0/1'], 'Name a record and a node, or list them with --list.'],
    [[], 'Name a record and a node, or list them with --list.'],
    [['ingest/0/1', 'n', '--list'], 'Name a record and a node, or give --list alone.'],
    [['ingest/0/1', 'n', '--json'], 'Name a record and a node, or give --list alone.'],
  ])('%j', async (args, sentence) => {
    expect(await quarantine(...args)).toMatchObject({ code: 2, err: expect.stringContaining(sentence) })
  })
})

test.each(['ingest/0/812', 'weir.ingest/0/812'])('a running server does it: %s', async record => {
  server = await operatorStandIn(folder, [{ type: 'quarantined', isKnownNode: true }])
  const { code, out } = await quarantine(record, 'tidy')
  expect([code, out]).toEqual([
    0,
    'Record 812 of partition 0 of ingest is in quarantine: its events fail at node tidy.\n',
  ])
  const [request] = server.requests
  expect(request?.path).toBe('/quarantine')
  expect(JSON.parse(request?.body ?? '')).toEqual({
    ...{ topic: 'ingest', partition: 0, offset: 812, node: 'tidy' },
    by: expect.stringMatching(/.@./),
  })
})

test('an id that no revision has is pointed out', async () => {
  server = await operatorStandIn(folder, [{ type: 'quarantined', isKnownNode: false }])
  expect((await quarantine('keyed/3/40', 'tidy')).out).toContain('has a node tidy: check the id')
})

describe('the list', () => {
  const LISTED = {
    ...{ account: '0a1b2c3d4e', topic: 'weir.ingest', partition: 0, offset: 812, node: 'tidy' },
    ...{ sinceMs: Date.UTC(2026, 2, 1), by: 'ann@web-1' },
  }

  test('has record, node, account, time, operator and state', async () => {
    const quarantines = [
      { ...LISTED, isComplete: true },
      { ...LISTED, offset: 9, isComplete: false },
    ]
    server = await operatorStandIn(folder, [{ type: 'quarantines', quarantines }])
    const { code, out } = await quarantine('--list')
    expect([code, server.requests[0]?.path]).toEqual([0, '/quarantines'])
    expect(out.split('\n')).toEqual([
      'RECORD             NODE  ACCOUNT     SINCE (UTC)               BY         STATE',
      'weir.ingest/0/812  tidy  0a1b2c3d4e  2026-03-01T00:00:00.000Z  ann@web-1  complete',
      'weir.ingest/0/9    tidy  0a1b2c3d4e  2026-03-01T00:00:00.000Z  ann@web-1  begun: run the command again',
      '',
    ])
  })

  test('has JSON objects for programs', async () => {
    const { sinceMs: _, ...rest } = LISTED
    server = await operatorStandIn(folder, [
      { type: 'quarantines', quarantines: [{ ...LISTED, isComplete: true }] },
    ])
    expect(JSON.parse((await quarantine('--list', '--json')).out)).toEqual({
      ...{ ...rest, since: '2026-03-01T00:00:00.000Z', complete: true },
    })
  })

  test('is a sentence when it is empty', async () => {
    server = await operatorStandIn(folder, [{ type: 'quarantines', quarantines: [] }])
    expect((await quarantine('--list')).out).toBe('No record is in quarantine.\n')
  })
})

test('the sentence of a refusal is shown', async () => {
  server = await operatorStandIn(folder, [
    { type: 'failed', message: 'record weir.ingest/0/1 was processed' },
  ])
  expect(await quarantine('ingest/0/1', 'tidy')).toMatchObject({
    code: 2,
    err: 'weir: Record weir.ingest/0/1 was processed.\n',
  })
})
