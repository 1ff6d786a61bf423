import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type ServedCommandLine, servedCommandLine } from '../../../test/support/served-command-line.ts'

const FILE = (limit: number) => `weir: pipeline/1
title: Shop
sources:
  - name: lines
    type: log-analysis-ingestion
processors:
  - name: no-health-checks
    type: filter
    inputs: [lines]
    config:
      action: drop
      conditional:
        expressions: [{ field: .path, str_operator: equal, value: /healthz }]
  - name: calm
    type: throttle
    inputs: [no-health-checks]
    config: { key_field: .customer, window_ms: 60000, threshold: ${limit} }
destinations:
  - name: nowhere
    type: blackhole
    inputs: [calm]
`

let weir: ServedCommandLine
beforeEach(async () => {
  weir = await servedCommandLine()
})
afterEach(() => weir.close())

const run = (args: readonly string[], typed?: string) => weir.run(args, typed === undefined ? {} : { typed })
async function out(...args: string[]): Promise<string> {
  const ended = await run(args)
  expect([args, ended.code, ended.err.startsWith('weir:') ? ended.err : '']).toEqual([args, 0, ''])
  return ended.out
}
const titles = async () =>
  (await out('pipeline', 'list', '--fields', 'title', '-o', 'raw')).split('\n').slice(0, -1)
async function publish(limit: number): Promise<void> {
  const file = join(weir.line.folder, 'shop.yaml')
  await writeFile(file, FILE(limit))
  await out('pipeline', 'apply', file, '--publish', '--yes')
}

describe('a pipeline', () => {
  test('is created, renamed and deleted', async () => {
    const id = (await out('pipeline', 'create', 'Shop')).trim()
    expect(id).toMatch(/^[0-9a-f-]{36}$/)
    await out('pipeline', 'rename', 'Shop', 'Store')
    expect(await titles()).toEqual(['Store'])
    expect(await run(['pipeline', 'delete', 'Store'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('--yes'),
    })
    expect(await out('pipeline', 'delete', 'Store', '--dry-run')).toBe(
      `Would delete the pipeline Store (${id}).\n`,
    )
    expect(await titles()).toEqual(['Store'])
    await out('pipeline', 'delete', 'Store', '--yes')
    expect(await titles()).toEqual([])
    expect((await run(['pipeline', 'delete', 'Store', '--yes'])).err).toContain(
      'There is no pipeline "Store"',
    )
  })

  test('has revisions, of which one can be restored', async () => {
    await publish(5)
    await publish(7)
    expect(await out('pipeline', 'revisions', 'Shop', '-o', 'raw')).toBe('2\n1\n')
    expect(await out('pipeline', 'revisions', 'Shop')).toMatch(
      /^REVISION +RUNS +PUBLISHED \(UTC\) .*\n +2 +\* /,
    )
    await out('pipeline', 'restore', 'Shop', '1')
    expect(await out('pipeline', 'export', 'Shop')).toContain('threshold: 5')
    expect((await run(['pipeline', 'restore', 'Shop', 'first'])).code).toBe(2)
    expect((await run(['pipeline', 'restore', 'Shop', '9'])).code).toBe(2)
  })

  test('is simulated with samples from standard input or a file, in the form of the draft or of a file', async () => {
    await publish(1)
    const samples = '{"path":"/healthz"}\n{"path":"/a","customer":"x"}\n{"path":"/b","customer":"x"}\n'
    const { code, out: table } = await run(['pipeline', 'simulate', 'Shop', '-'], samples)
    expect(code).toBe(0)
    expect(table).toMatch(/^3 of 3 samples\nNODE +IN +OUT +DROPPED +FAILED +ERRORS\n/)
    expect(table).toMatch(/filter +3 +2 +1 +0\n/)
    expect(table).toMatch(/would receive 1 event:\n {2}\{"path":"\/a","customer":"x"\}\n/)
    const path = join(weir.line.folder, 'samples.ndjson')
    await writeFile(path, samples)
    const file = join(weir.line.folder, 'looser.yaml')
    await writeFile(file, FILE(2))
    expect(await out('pipeline', 'simulate', 'Shop', path, '--file', file)).toContain(
      'would receive 2 events',
    )
    await writeFile(file, FILE(2).replace('threshold: 2', 'threshold: many'))
    const refused = await run(['pipeline', 'simulate', 'Shop', path, '--file', file])
    expect([refused.code, refused.err]).toEqual([2, expect.stringMatching(/looser\.yaml:\d+: .*threshold/)])
  })

  test('has a preview, which compares its draft with what is deployed', async () => {
    await publish(5)
    const { code, out: table } = await run(['pipeline', 'preview', 'Shop', '--minutes', '5'])
    expect(table).toMatch(/ 0 lines, deployed → tried\nNODE +IN +OUT +DROPPED +FAILED\n/)
    expect([code, table]).toEqual([0, expect.stringContaining('No line would be handled differently.')])
  })

  test('has keys that are exempt from its throttle for a time', async () => {
    await publish(5)
    await out('pipeline', 'exempt', 'Shop', 'customer-7', '--for', '2h', '--reason', 'load test')
    const [exemption] = JSON.parse(await out('pipeline', 'exempt', 'Shop', '-o', 'json'))
    expect(exemption).toMatchObject({ key: 'customer-7', reason: 'load test' })
    await out('pipeline', 'exempt', 'Shop', 'customer-7', '--end')
    expect(await out('pipeline', 'exempt', 'Shop')).toBe('No key is exempt.\n')
    expect((await run(['pipeline', 'exempt', 'Shop', 'x'])).err).toContain('--for or --until')
    expect((await run(['pipeline', 'exempt', 'Shop', 'x', '--for', '2h', '--node', 'other'])).err).toContain(
      '"other" does not name one throttle',
    )
  })
})

describe('of a server that has them', () => {
  const ID = '0d5c8f3e-5f0f-4d0e-9a53-1f6f1f6b7a11'
  const ANSWERS: Record<string, object> = {
    source: [{ id: 's', type: 'log-analysis-ingestion', title: 'Lines', user_config: {} }],
    transform: [{ id: 't', type: 'throttle', title: null, user_config: {} }],
    sink: [],
  }
  const letter = (id: number) => ({
    id: String(id),
    failed_at: '2026-01-31T12:00:00.000Z',
    code: 'E_X',
    node_id: 't',
    message: 'no',
    replayed_at: null,
    event: { message: { a: 1 } },
  })
  const stand = (...args: string[]) => weir.line.run(['pipeline', ...args])

  test('failed events are listed over pages, and replayed until none is left', async () => {
    let calls = 0
    weir.line.reply = ({ url, method }) => {
      if (method === 'POST')
        return {
          body: {
            data: {
              replayed: 1,
              pending: 1,
              already_replayed: 0,
              node_gone: 0,
              not_found: 0,
              remaining: 2 - ++calls,
            },
          },
        }
      const cursor = url.searchParams.get('cursor')
      return {
        body: {
          data: [letter(cursor === null ? 2 : 1)],
          meta: { page: { next: cursor === null ? '1-1' : null } },
        },
      }
    }
    expect(await stand('dead-letters', ID, '-o', 'raw', '--from', '2026-01-31')).toEqual({
      code: 0,
      out: '2\n1\n',
      err: '',
    })
    expect(weir.line.service.requests.at(-1)?.url.searchParams.get('from')).toBe('2026-01-31T00:00:00.000Z')
    expect(weir.line.service.requests.at(-1)?.url.searchParams.get('replayed')).toBe('false')
    expect(await stand('replay', ID, '--code', 'E_X')).toEqual({
      code: 0,
      out: 'Replayed 4 events.\n',
      err: '',
    })
    expect(JSON.parse(weir.line.service.requests.at(-1)?.body ?? '')).toEqual({ filter: { code: 'E_X' } })
    expect((await stand('replay', ID, '1', '--code', 'E_X')).code).toBe(2)
  })

  test('buckets of a throttle are listed', async () => {
    const bucket = {
      bucket: 'key',
      key: 'customer-7',
      passed: 5,
      free_from: '2026-01-31T12:00:00.000Z',
      exempt_until: null,
    }
    weir.line.reply = ({ url }) => ({
      body: { data: url.pathname.endsWith('/bucket') ? [bucket] : ANSWERS[url.pathname.split('/')[4] ?? ''] },
    })
    const { out: table } = await stand('buckets', ID, '--limit', '3')
    expect(table).toMatch(
      /^KEY +PASSED +FREE FROM \(UTC\) +EXEMPT UNTIL \(UTC\)\ncustomer-7 +5 +2026-01-31 12:00:00 +-\n$/,
    )
    expect(weir.line.service.requests.at(-1)?.url.pathname).toBe(`/v3/pipeline/${ID}/transform/t/bucket`)
  })

  test('a tap prints events as JSON lines, and says why it ends', async () => {
    const messages = [
      { type: 'revision', revision: 1, deployment: 1, paused: false, present: true, at: '' },
      { type: 'event', output: 's', event: { message: { a: 1 }, metadata: {}, timestamp: '' } },
      { type: 'skipped', count: 3, not_filtered: 0 },
      { type: 'end', reason: 'limit', message: 'That were 1 events.', events: 1, skipped: 3 },
    ]
    const stream = messages.map(each => `event: ${each.type}\ndata: ${JSON.stringify(each)}\n\n`).join('')
    weir.line.reply = ({ url }) =>
      url.pathname.endsWith('/tap')
        ? { body: stream }
        : { body: { data: ANSWERS[url.pathname.split('/')[4] ?? ''] } }
    expect(await stand('tap', ID, 'Lines', '--limit', '1')).toEqual({
      code: 0,
      out: '{"message":{"a":1},"metadata":{},"timestamp":""}\n',
      err: '3 events were not shown.\nThat were 1 events.\n',
    })
    expect(weir.line.service.requests.at(-1)?.url.pathname).toBe(`/v3/pipeline/${ID}/source/s/tap`)
    expect((await stand('tap', ID)).err).toContain('give one of Lines (s), throttle (t)')
  })
})
