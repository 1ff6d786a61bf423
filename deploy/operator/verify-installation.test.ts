import { mkdtempSync, readdirSync, rmSync, statSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { eventually } from '../../test/support/exported-lines.ts'
import { lineBatchValue } from '../../test/support/line-batches.ts'
import { closeInstallation, type Installation, openInstallation } from '../installation.ts'
import { readSettings } from '../settings/settings.ts'
import { verifyInstallation } from './verify-installation.ts'

let folder: string
let installation: Installation
/** Messages of the program. */
let logged: string[]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'weir-verified-'))
  logged = []
})
afterEach(async () => {
  await installation.engine.stop()
  await closeInstallation(installation)
  rmSync(folder, { recursive: true })
})

/** Opens the data folder, as a start does before the engine works. */
async function open(partitions: number): Promise<void> {
  const settings = readSettings({
    WEIR_DATA_DIR: join(folder, 'data'),
    WEIR_PARTITIONS: String(partitions),
  })
  const write = (text: string) => logged.push((JSON.parse(text) as { msg: string }).msg)
  installation = await openInstallation(settings, pino({ level: 'warn' }, { write }))
}

async function send(line: string): Promise<void> {
  const { ingest, keys } = installation
  const value = lineBatchValue([{ lines: [{ line }] }], keys.accountId)
  await ingest.append(0, { value, producer: null, priority: 'ingest' })
}

const verify = () =>
  verifyInstallation(installation, { signal: new AbortController().signal, report: () => {} })

test('a partition that an error has stopped is named until it moves, although the store agrees', async () => {
  await open(1)
  const { engine, opening } = installation
  engine.start()
  await engine.whenTaken()
  const { store } = opening
  const insert = store.insert.bind(store)
  store.insert = () => Promise.reject(new Error('the rows stay outside'))
  await send('first')
  await eventually(
    async () => engine.status.troubles,
    troubles => troubles.size > 0,
  )
  expect(await verify()).toMatchObject({
    mismatch: null,
    damaged: [],
    partitions: [{ lines: 0 }],
    stopped: [{ partition: 0, sentence: 'the rows stay outside' }],
  })
  store.insert = insert
  await eventually(
    async () => engine.status.troubles,
    troubles => troubles.size === 0,
  )
  const report = await eventually(
    verify,
    ({ partitions: [first] }) => first?.lines === 1 && first.unstoredRecords === 0,
  )
  expect(report).toMatchObject({ mismatch: null, partitions: [{ lines: 1, unstoredRecords: 0 }] })
  expect(report).not.toHaveProperty('stopped')
})

/** Cuts the second half of the newest file of a partition off. */
function cutTail(topic: string, partition: number): void {
  const segments = join(folder, 'data', 'log', topic, String(partition))
  const newest = readdirSync(segments)
    .filter(name => name.endsWith('.segment'))
    .toSorted()
    .at(-1) as string
  const path = join(segments, newest)
  truncateSync(path, statSync(path).size >> 1)
}

test('after the end of the log was lost, lines were acknowledged that never appeared: every lost end is named', async () => {
  await open(2)
  const topics = [installation.ingest, installation.keyed.topic, installation.outbox.topic]
  for (const topic of topics)
    for (const partition of [0, 1])
      for (let record = 0; record < 10; record++) {
        const value = lineBatchValue([{ lines: [{ line: `${record}` }] }])
        await topic.append(partition, { value, producer: null, priority: 'ingest' })
      }
  await closeInstallation(installation)
  expect(logged).toEqual([])
  const lost = [
    ['weir.ingest', 0],
    ['weir.ingest', 1],
    ['weir.keyed', 1],
    ['weir.outbox', 0],
  ] as const
  for (const [topic, partition] of lost) cutTail(topic, partition)
  await open(2)
  const { ingest, keyed, outbox } = installation
  const sentences = lost.map(([topic, partition]) =>
    expect.stringMatching(new RegExp(`^Partition ${partition} of ${topic} ends before record \\d`)),
  )
  expect(logged).toEqual([...sentences, expect.stringContaining('check tokens')])
  const { mismatch, lostTails } = await verify()
  const places = lost.map(([topic, partition]) => ({
    kind: 'lost-tail',
    partition,
    lastOffset: 9,
    where: { topic },
  }))
  expect(lostTails).toMatchObject(places)
  expect(mismatch).toEqual(lostTails?.[0])
  const value = lineBatchValue([{ lines: [{ line: 'after' }] }])
  const record = { value, producer: null, priority: 'ingest' } as const
  for (const [topic, partition] of [
    [ingest, 0],
    [ingest, 1],
    [keyed.topic, 1],
    [outbox.topic, 0],
  ] as const)
    await expect(topic.append(partition, record)).rejects.toThrow(
      `Partition ${partition} of ${topic.name} ends before record`,
    )
  expect(await keyed.topic.append(0, record)).toMatchObject({ offset: 10n })
})
