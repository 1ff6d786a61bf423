import { setImmediate } from 'node:timers/promises'
import { deployedConfiguration } from '../../engine/configuration/deployed-cuts.ts'
import { silentLogger } from '../../engine/logger.ts'
import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import type { Store } from '../../engine/store/store.ts'
import { PartitionWorker } from '../../engine/worker/partition-worker.ts'
import { CHECKPOINT_TOPIC, OUTBOX_TOPIC, partitionOfAccount } from '../../schemas/log/topics.ts'
import { MemoryStore } from './memory-store.ts'
import { type TestInstallation, testInstallation } from './test-installation.ts'

/** A time longer than a batch stays open. */
const BATCH_MS = 1_100

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** A test installation whose lines go through their pipelines: a worker processes the partition of the first account. */
export interface ProcessedInstallation {
  readonly installation: TestInstallation
  /** A request with the access token of the first account. */
  send(method: Method, url: string, payload?: object): ReturnType<typeof sendTo>
  /** Sends lines with the ingestion key, and lets the worker process them. */
  sendLines(lines: readonly object[]): Promise<void>
  /** Ends the open batch, and waits until the test has this many stored lines. */
  storedLines(count: number): Promise<readonly string[]>
  /** Lets the worker finish all pending work. */
  settled(): Promise<void>
  /** Deletes all pipelines, so that the next test finds an installation without any. */
  removePipelines(): Promise<void>
  close(): Promise<void>
}

export async function openProcessedInstallation(): Promise<ProcessedInstallation> {
  const installation = await testInstallation()
  const store = new MemoryStore()
  const stop = new AbortController()
  const worker = await startedWorker(installation, store)
  const running = worker.run(stop.signal).then(() => worker.close())
  let earlier = 0
  const settled = async () => {
    for (let turn = 0; turn < 50; turn++) await setImmediate()
  }
  return {
    installation,
    settled,
    send: (method, url, payload) => sendTo(installation, method, url, payload),
    sendLines: async lines => {
      const { status, body } = await ingest(installation, lines)
      if (status !== 200) throw new Error(body)
      await settled()
    },
    storedLines: async count => {
      for (;;) {
        installation.clock.advance(BATCH_MS)
        await setImmediate()
        const rows = store.rows('lines').slice(earlier)
        if (rows.length >= count) return rows.map(({ line }) => line as string)
      }
    },
    removePipelines: async () => {
      for (const { id } of (await sendTo(installation, 'GET', '/v3/pipeline')).data)
        await sendTo(installation, 'DELETE', `/v3/pipeline/${id}`)
      await settled()
      earlier = store.rows('lines').length
    },
    close: async () => {
      stop.abort()
      await running
      await installation.app.close()
    },
  }
}

/** Worker of the partition that contains the first account. */
export async function startedWorker(installation: TestInstallation, store: Store): Promise<PartitionWorker> {
  const { log, clock, configuration, credentials, ports } = installation
  const { topic, ingest } = ports.deadLetters
  const worker = new PartitionWorker({
    catalogue: CATALOGUE,
    partition: partitionOfAccount(credentials.accountId, ingest.partitions),
    topic: ingest,
    checkpoints: await log.topic(CHECKPOINT_TOPIC, ingest.partitions),
    targets: { ingest, deadLetters: topic, outbox: await log.topic(OUTBOX_TOPIC, ingest.partitions) },
    store,
    clock,
    configuration: deployedConfiguration(CATALOGUE, configuration),
    logger: silentLogger,
    workerName: 'worker',
  })
  await worker.start()
  return worker
}

/** Members of the answer's envelope are absent where it has none. */
async function sendTo(installation: TestInstallation, method: Method, url: string, payload?: object) {
  const response = await installation.call(payload === undefined ? { method, url } : { method, url, payload })
  const body = response.json()
  return { status: response.statusCode, body, data: body.data, meta: body.meta }
}

async function ingest({ app, credentials }: TestInstallation, lines: readonly object[]) {
  const response = await app.inject({
    method: 'POST',
    url: '/logs/ingest?hostname=web-1',
    headers: { apikey: credentials.ingestionKey },
    payload: { lines },
  })
  return { status: response.statusCode, body: response.body }
}
