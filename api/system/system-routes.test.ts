import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { create } from '../../engine/configuration/configuration-log.ts'
import { accounts } from '../../engine/configuration/entities.ts'
import type { ConfigurationView } from '../../engine/configuration/kind.ts'
import { quarantineKey, quarantines } from '../../engine/configuration/kinds/quarantine.ts'
import { MINUTE_MS, SECOND_MS } from '../../engine/times/duration.ts'
import { EMPTY_STORE, type TestInstallation, testInstallation } from '../../test/support/test-installation.ts'
import { recordsInQuarantine } from './records-in-quarantine.ts'

let installation: TestInstallation
let open: TestInstallation[]

beforeEach(async () => {
  open = []
  installation = await opened()
})
afterEach(() => Promise.all(open.map(({ app }) => app.close())))

async function opened(overrides: Parameters<typeof testInstallation>[0] = {}): Promise<TestInstallation> {
  const made = await testInstallation(overrides)
  open.push(made)
  return made
}

const status = async (of = installation) => (await of.call({ url: '/v3/system/status' })).json().data

const send = (lines: readonly object[]) =>
  installation.app.inject({
    method: 'POST',
    url: '/logs/ingest?hostname=h',
    headers: { apikey: installation.credentials.ingestionKey },
    payload: { lines },
  })

describe('the status', () => {
  test('has the log, the store and every partition', async () => {
    expect((await status()).log.oldest_at).toBeNull()
    const sentAtMs = installation.clock.wallMs()
    expect((await send([{ line: 'a' }])).statusCode).toBe(200)
    installation.clock.advance(MINUTE_MS)
    const { log, store, partitions, ...rest } = await status()
    expect(rest).toEqual({
      version: '0.0.0',
      read_at: new Date(sentAtMs + MINUTE_MS).toISOString(),
      started_at: expect.stringMatching(/Z$/),
      roles: ['ingest', 'api'],
      ready: true,
      reasons: [],
      tails: 0,
      taps: 0,
    })
    expect(log).toMatchObject({ takes_ingest: true, oldest_at: new Date(sentAtMs).toISOString() })
    expect(log.used_bytes).toBeGreaterThan(0)
    expect(store).toMatchObject({ reachable: true, rows: 0 })
    expect(partitions).toHaveLength(2)
    expect(partitions.reduce((sum: number, { next }: { next: number }) => sum + next, 0)).toBe(1)
    expect(partitions[0]).toMatchObject({ topic: 'weir.ingest', worker: null, lag_records: null })
  })

  test('has the progress of workers in this process, and troubles', async () => {
    await send([{ line: 'a' }])
    const { ports, clock } = installation
    const timeMs = clock.wallMs() - 90_000
    const worker = { partition: 0, nextOffset: 0n, storedOffset: 0n, timeMs }
    const figures = { batches: 0, rows: 0, waitingFlushes: 0 }
    const workers = [0, 1].map(partition => ({ ...worker, ...figures, partition }))
    const troubles = new Map([[1, 'the store refuses it']])
    const engineStatus = { workers, keyedWorkers: [], troubles, expiredLines: 0 }
    const engine = { workerName: 'here/1', status: engineStatus }
    const other = await opened({ system: { ...ports.system, engine } })
    const { partitions } = await status(other)
    const [waiting] = partitions.filter(({ next }: { next: number }) => next === 1)
    const [idle] = partitions.filter(({ next }: { next: number }) => next === 0)
    expect(waiting).toMatchObject({ worker: 'here/1', lag_records: 1, unstored_records: 1, behind_s: 90 })
    expect(idle).toMatchObject({ lag_records: 0, unstored_records: 0, behind_s: 0 })
    expect(partitions[1].trouble).toBe('the store refuses it')
  })

  test('has workers of other processes as they report themselves', async () => {
    const { system } = installation.ports
    const reported = async () => [
      { partition: 1, worker: 'w@there', storedOffset: 0n, settledMs: 1_700_000_000_000 },
    ]
    const { partitions } = await status(await opened({ system: { ...system, reported } }))
    expect(partitions[1]).toMatchObject({ worker: 'w@there', unstored_records: 0, lag_records: null })
    expect(partitions[1].log_time).toBe('2023-11-14T22:13:20.000Z')
    expect(partitions[0].worker).toBeNull()
  })

  test('is given although the other processes are not known', async () => {
    const reported = () => Promise.reject(new Error('no broker answers'))
    const other = await opened({ system: { ...installation.ports.system, reported } })
    expect((await status(other)).partitions).toMatchObject([{ worker: null }, { worker: null }])
  })

  test('is read once for all callers within a second, and says when', async () => {
    let asked = 0
    const { size } = EMPTY_STORE
    const counting: typeof EMPTY_STORE = {
      ...EMPTY_STORE,
      size: signal => {
        asked++
        return size(signal)
      },
    }
    const other = await opened({ store: counting })
    const [first, second] = await Promise.all([status(other), status(other)])
    other.clock.advance(999)
    expect([second, await status(other), asked]).toEqual([first, first, 1])
    other.clock.advance(1)
    const { read_at: readAt } = await status(other)
    expect([Date.parse(readAt) - Date.parse(first.read_at), asked]).toEqual([SECOND_MS, 2])
  })

  test('is given although the store does not answer', async () => {
    const silent = { ...EMPTY_STORE, size: () => new Promise<never>(() => {}) }
    const other = await opened({ store: silent })
    const answer = status(other)
    await other.clock.advanceUntil(answer)
    expect((await answer).store).toMatchObject({ reachable: false, rows: null })
  })

  test('and the rates are for administrators', async () => {
    const authorization = `Token ${await installation.user('member')}`
    for (const url of ['/v3/system/status', '/v3/system/metrics'])
      expect((await installation.call({ url, headers: { authorization } })).statusCode).toBe(403)
  })
})

describe('records in quarantine', () => {
  const quarantine = (account: string, offset: number, sinceMs: number) => {
    const place = { topic: 'weir.ingest', partition: 0, offset, node: 'tidy' }
    const value = { account, ...place, sinceMs, by: 'ann@web-1', isComplete: offset !== 8 }
    const { configuration } = installation.ports
    return configuration.append([create(quarantines, quarantineKey(place), value)], {
      ...{ subjectId: 'operator', account: '' },
    })
  }
  const listed = async (headers = {}) => {
    const answer = await installation.call({ url: '/v3/system/quarantine', headers })
    return [answer.statusCode, answer.json().data]
  }

  test('are those of the account, the newest first', async () => {
    expect(await listed()).toEqual([200, []])
    const { accountId } = installation.credentials
    const [own] = installation.ports.configuration
      .list(accounts)
      .filter(({ id, value }) => id === accountId || value.id === accountId)
    await quarantine(own?.id as string, 7, 1_000)
    await quarantine(own?.id as string, 8, 2_000)
    await quarantine('0123456789', 9, 3_000)
    const record = { topic: 'weir.ingest', partition: 0, node: 'tidy', account: own?.id, by: 'ann@web-1' }
    expect(await listed()).toEqual([
      200,
      [
        { ...record, offset: 8, since: '1970-01-01T00:00:02.000Z', complete: false },
        { ...record, offset: 7, since: '1970-01-01T00:00:01.000Z', complete: true },
      ],
    ])
  })

  test('are for administrators', async () => {
    const authorization = `Token ${await installation.user('member')}`
    expect((await listed({ authorization }))[0]).toBe(403)
  })
})

test('an enterprise sees the records in quarantine of its accounts', () => {
  const enterpriseOf = new Map([
    ['a', 'e1'],
    ['b', 'e2'],
  ])
  const place = { topic: 'weir.ingest', partition: 0, offset: 1, node: 'n', sinceMs: 0, by: 'x' }
  const view = {
    list: () => ['a', 'b', 'c'].map(account => ({ value: { ...place, account, isComplete: true } })),
    get: (_kind: unknown, id: string) => ({ value: { enterprise: enterpriseOf.get(id) ?? null } }),
  } as unknown as ConfigurationView
  const seen = (caller: Parameters<typeof recordsInQuarantine>[1]) =>
    recordsInQuarantine(view, caller).map(({ account }) => account)
  expect(seen({ enterpriseId: 'e1' })).toEqual(['a'])
  expect(seen({})).toEqual([])
})

describe('the rates', () => {
  const passed = async (seconds: number) => {
    for (let second = 0; second < seconds; second++) {
      installation.clock.advance(SECOND_MS)
      for (let turn = 0; turn < 20; turn++) await setImmediate()
    }
  }
  const rates = async (query = '') =>
    (await installation.call({ url: `/v3/system/metrics${query}` })).json().data
  const valuesOf = (data: { series: { name: string; values: (number | null)[] }[] }, name: string) =>
    data.series.find(series => series.name === name)?.values.filter(value => value !== null)

  test('are those of the intervals in which lines came', async () => {
    await passed(10)
    await send(Array.from({ length: 30 }, () => ({ line: 'a' })))
    await installation.app.inject({ method: 'POST', url: '/logs/ingest?hostname=h' })
    await passed(10)
    const data = await rates('?interval_s=5')
    expect(valuesOf(data, 'lines')?.reduce((sum, rate) => (sum as number) + (rate as number) * 5, 0)).toBe(30)
    expect(Math.max(...(valuesOf(data, 'lines') as number[]))).toBe(6)
    expect(Math.max(...(valuesOf(data, 'refused_requests') as number[]))).toBe(0.2)
    expect(valuesOf(data, 'stored_rows')).toEqual([])
    expect(data.covered_from).toBeLessThan(data.to)
    expect(data.starts).toHaveLength(data.series[0].values.length)
  })

  test('reach an hour back, also after a longer time', async () => {
    installation.clock.advance(2 * 60 * MINUTE_MS)
    await passed(6)
    const { starts, interval_ms, to } = await rates('?from=1')
    expect(interval_ms).toBe(60_000)
    expect(starts.length).toBeLessThanOrEqual(61)
    expect(starts[0]).toBeGreaterThanOrEqual(to - 61 * MINUTE_MS)
  })

  test.each([
    ['from=x', 'from'],
    ['interval_s=4', 'interval_s'],
    ['interval_s=7', 'interval_s'],
    ['interval_s=3605', 'interval_s'],
    ['to=5', 'to'],
  ])('with %s are refused, and the parameter is named', async (query, name) => {
    const answer = await installation.call({ url: `/v3/system/metrics?${query}` })
    expect([answer.statusCode, answer.json().errors[0].instancePath]).toEqual([400, `/${name}`])
  })
})
