import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inheritedEnvironment } from './inherited-environment.ts'
import type { KafkaCluster } from './kafka/kafka-cluster.ts'
import { type RunningRole, startRole } from './running-role.ts'

/** Credentials of the account that the first API of a cluster creates. */
export const INGESTION_KEY = 'c'.repeat(32)
const ACCESS_TOKEN = `sts_${'d'.repeat(40)}`

/** The store and other roles on one Kafka, each in a process of its own, which a test starts and kills one by one. */
export class StartedCluster {
  /** Settings of its processes, and of commands. */
  readonly environment: Readonly<Record<string, string>>
  readonly #folder: string
  readonly #running: RunningRole[]

  private constructor(
    environment: Readonly<Record<string, string>>,
    folder: string,
    running: readonly RunningRole[],
  ) {
    this.environment = environment
    this.#folder = folder
    this.#running = [...running]
  }

  /** Starts the store. @param settings of all other processes */
  static async open(
    kafka: KafkaCluster,
    settings: Readonly<Record<string, string>>,
  ): Promise<StartedCluster> {
    const folder = mkdtempSync(join(tmpdir(), 'weir-cluster-'))
    const local = { ...inheritedEnvironment(), WEIR_PORT: '0', LOG_LEVEL: 'warn' }
    const store = await startRole('store', { ...local, WEIR_DATA_DIR: folder, WEIR_STORE_PORT: '0' })
    const environment = {
      ...local,
      KAFKA_BROKERS: kafka.bootstrap.join(),
      KAFKA_TOPIC_PREFIX: `test-${crypto.randomUUID().slice(0, 8)}.`,
      WEIR_SECRET_KEY: 'ab'.repeat(32),
      WEIR_BOOTSTRAP_INGESTION_KEY: INGESTION_KEY,
      WEIR_BOOTSTRAP_ACCESS_TOKEN: ACCESS_TOKEN,
      CLICKHOUSE_URL: store.url,
      ...settings,
    }
    return new StartedCluster(environment, folder, [store])
  }

  async start(role: 'api' | 'engine' | 'ingest'): Promise<RunningRole> {
    const started = await startRole(role, this.environment)
    this.#running.push(started)
    return started
  }

  async close(): Promise<void> {
    for (const role of this.#running.toReversed()) await role.end('SIGTERM')
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

/** Sends a request with the credentials of the account. @throws Error unless it succeeds */
export async function askCluster<Answer>(url: string, method = 'GET', body?: object): Promise<Answer> {
  const response = await fetch(url, {
    method,
    headers: { authorization: `Token ${ACCESS_TOKEN}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${await response.text()}`)
  return (await response.json()) as Answer
}
