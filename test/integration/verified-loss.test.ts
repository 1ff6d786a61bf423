import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { StoreConnection } from '../../engine/store/connection.ts'
import { openEmbeddedConnection } from '../../engine/store/embedded-connection.ts'
import { DAY_MS } from '../../engine/times/duration.ts'
import { lineBatchValue } from '../support/line-batches.ts'
import { removeRows } from '../support/removed-rows.ts'
import { newVerifiedWorld, PARTITION, type VerifiedWorld } from '../support/verified-world.ts'

const folder = mkdtempSync(join(tmpdir(), 'weir-verified-loss-'))
let connection: StoreConnection
let world: VerifiedWorld

beforeAll(async () => {
  connection = await openEmbeddedConnection({ path: folder, searches: 1 })
})

beforeEach(async () => {
  await removeRows(connection)
  world = await newVerifiedWorld(connection)
})

afterAll(async () => {
  await connection?.close()
  rmSync(folder, { recursive: true, force: true })
})

async function appendSeconds(text: string, count: number): Promise<void> {
  for (let second = 0; second < count; second++) {
    await world.append([{ line: `${text} ${second}` }, { line: `${text} ${second} again` }])
    await world.pass(1_100)
  }
}

/** A request that was in flight lands at the first lost place. @returns the lost offsets, the last exclusive */
async function loseBelowRequest(): Promise<{ readonly from: bigint; readonly until: bigint }> {
  await appendSeconds('before', 20)
  world.stopWorkers()
  const { next: until } = await world.ingest.bounds(PARTITION)
  const from = until - 6n
  world.loseFrom(from)
  const value = lineBatchValue([{ lines: [{ line: 'refused' }] }])
  const record = { value, producer: null, priority: 'ingest', knownEnd: () => until } as const
  expect(await world.ingest.append(PARTITION, record)).toMatchObject({ offset: from })
  return { from, until }
}

async function storedBetween({ from, until }: { readonly from: bigint; readonly until: bigint }) {
  const rows = await world.store.query<{ line: string }>({
    sql: `SELECT line FROM slotted_lines WHERE partition = ${PARTITION} AND offset >= ${from} AND offset < ${until}`,
  })
  return rows.map(({ line }) => line)
}

test('rows of a lost record in the place of a refused one were reported as a mismatch', async () => {
  const lost = await loseBelowRequest()
  expect((await world.verify()).mismatch?.kind).toBe('lost-tail')
  await world.acceptLoss()
  await world.kill()
  await appendSeconds('after', 3)
  await world.pass(DAY_MS)
  await world.closeDays()
  expect(await world.verify()).toMatchObject({
    mismatch: null,
    days: [{ isClosed: true, isRecomputed: false }],
  })
  const stored = await storedBetween({ ...lost, until: lost.from + 1n })
  expect(stored).toHaveLength(2)
  expect(stored).not.toContain('refused')
})

test('refused requests may take all lost places: nothing has to be accepted, and nothing differs', async () => {
  const lost = await loseBelowRequest()
  const value = lineBatchValue([{ lines: [{ line: 'refused' }] }])
  for (let place = lost.from + 1n; place < lost.until; place++)
    await world.ingest.append(PARTITION, {
      value,
      producer: null,
      priority: 'ingest',
      knownEnd: () => lost.until,
    })
  await world.kill()
  await appendSeconds('after', 3)
  expect(await world.verify()).toMatchObject({ mismatch: null })
  expect(await storedBetween(lost)).not.toContain('refused')
})

test('counts that the store has in lost records are not stored again, though the acceptance did not know them', async () => {
  await appendSeconds('before', 20)
  const { next: from } = await world.ingest.bounds(PARTITION)
  await appendSeconds('lost', 3)
  await world.pass(120_000)
  world.stopWorkers()
  const { next: until } = await world.ingest.bounds(PARTITION)
  world.loseFrom(from)
  await world.acceptLoss({ store: undefined, mark: async () => until })
  await world.kill()
  await appendSeconds('after', 3)
  await world.pass(120_000)
  const [counted] = await world.store.query<{ events: string; minutes: string }>({
    sql: `SELECT sum(events_in) AS events, count() AS minutes FROM node_metrics WHERE partition = ${PARTITION}`,
  })
  expect(counted).toEqual({ events: '52', minutes: '2' })
  expect(await world.verify()).toMatchObject({ mismatch: null })
})
