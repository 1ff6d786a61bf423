import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { DAY_MS } from '../../../engine/times/duration.ts'
import type { KafkaBroker, KafkaCluster } from '../../support/kafka/kafka-cluster.ts'
import { type PortBlock, takePortBlock } from '../../support/kafka/port-block.ts'
import type { RunningWeir } from '../../support/running-weir.ts'
import { requestName, type SentRequest } from '../sent-request.ts'
import type { Recovery } from '../site.ts'
import { ThrottledPipeline } from '../throttled-pipeline.ts'
import { AccountShipper } from './account-shipper.ts'
import { foundAccounts } from './founded-accounts.ts'
import { type Role, RoleProcess } from './role-process.ts'

const POLL_MS = 50
const PARTITIONS = 4
const ENGINES = 3
const INGESTS = 2
/** An engine that pauses for longer than this loses its partitions. */
export const SESSION_TIMEOUT_MS = 3_000
const READY_WITHIN_MS = 90_000
/** Time after which lines that are not stored count as lost, once all processes are ready. */
const STORED_WITHIN_MS = 120_000
const SECRET_KEY = 'ab'.repeat(32)

/** An account, its shipper, and its pipeline. */
export interface SiteAccount {
  readonly api: RunningWeir
  readonly shipper: AccountShipper
  readonly pipeline: ThrottledPipeline
}

/** A cluster of real processes with all its senders. */
export class ClusterSite {
  readonly folder: string
  readonly kafka: KafkaCluster
  readonly processes: readonly RoleProcess[]
  readonly accounts: readonly SiteAccount[]

  readonly #block: PortBlock

  private constructor(
    { folder, kafka, processes, accounts }: Pick<ClusterSite, 'folder' | 'kafka' | 'processes' | 'accounts'>,
    block: PortBlock,
  ) {
    this.folder = folder
    this.kafka = kafka
    this.processes = processes
    this.accounts = accounts
    this.#block = block
  }

  /** @param kafka brokers that may be killed; they are not stopped with the site */
  static async open(kafka: KafkaCluster, seed: number): Promise<ClusterSite> {
    const folder = mkdtempSync(join(tmpdir(), 'weir-cluster-'))
    const block = await takePortBlock()
    const { ports } = block
    const [storePort = 0, apiPort = 0] = ports
    const settings = {
      LOG_LEVEL: 'info',
      KAFKA_BROKERS: kafka.bootstrap.join(','),
      KAFKA_TOPIC_PREFIX: `faults-${ports[0]}-${process.pid}.`,
      KAFKA_SESSION_TIMEOUT_MS: String(SESSION_TIMEOUT_MS),
      WEIR_PARTITIONS: String(PARTITIONS),
      WEIR_SECRET_KEY: SECRET_KEY,
      CLICKHOUSE_URL: `http://127.0.0.1:${storePort}`,
    }
    const clients = await foundAccounts(settings, `http://127.0.0.1:${apiPort}`, folder).catch(error => {
      block.release()
      rmSync(folder, { recursive: true })
      throw error
    })
    const links = [storePort, ...kafka.bootstrap.map(address => Number(address.split(':').at(-1)))]
    const prepare = (name: string, role: Role, place: number) =>
      RoleProcess.prepare({ name, role, folder, port: ports[place] ?? 0, settings, links })
    const processes = await Promise.all([
      RoleProcess.prepare({ name: 'store', role: 'store', folder, port: storePort, settings: {}, links: [] }),
      prepare('api', 'api', 1),
      ...Array.from({ length: INGESTS }, (_, place) => prepare(`ingest-${place}`, 'ingest', 2 + place)),
      ...Array.from({ length: ENGINES }, (_, place) =>
        prepare(`engine-${place}`, 'engine', 2 + INGESTS + place),
      ),
    ])
    const ingestUrls = processes.filter(({ role }) => role === 'ingest').map(({ url }) => url)
    const accounts = clients.map((api, account) => ({
      api,
      shipper: new AccountShipper({
        seed,
        account,
        ingestUrls,
        ingestionKey: api.credentials.ingestionKey,
      }),
      pipeline: new ThrottledPipeline(api),
    }))
    return new ClusterSite({ folder, kafka, processes, accounts }, block)
  }

  of(role: Role): readonly RoleProcess[] {
    return this.processes.filter(process => process.role === role)
  }

  get store(): RoleProcess {
    return this.of('store')[0] as RoleProcess
  }

  broker(place: number): KafkaBroker {
    return this.kafka.brokers[place % this.kafka.brokers.length] as KafkaBroker
  }

  /** The last acknowledged request of every connection, by account. */
  get newest(): readonly (readonly SentRequest[])[] {
    return this.accounts.map(({ shipper }) => shipper.newestAcknowledged)
  }

  async start(): Promise<void> {
    this.store.start()
    await this.#whenReady([this.store], performance.now())
    for (const process of this.processes) process.start()
    await this.#whenReady(this.processes, performance.now())
  }

  /**
   * Waits until every process is ready, and until these requests are stored. The next audit reports those that are not
   * stored in time as lost.
   *
   * @throws Error when a process does not come back
   */
  async recovery(sinceMs: number, newest: readonly (readonly SentRequest[])[]): Promise<Recovery> {
    await this.#whenReady(this.processes, sinceMs)
    const readyMs = performance.now() - sinceMs
    const untilMs = performance.now() + STORED_WITHIN_MS
    await Promise.all(
      this.accounts.map(async ({ api }, place) => {
        for (const request of newest[place] ?? []) await reached(() => isStored(api, request), untilMs)
      }),
    )
    return { readyMs, storedMs: performance.now() - sinceMs }
  }

  /** Ends everything that it has started. */
  async close({ keepsFolder }: { readonly keepsFolder: boolean }): Promise<void> {
    for (const { shipper } of this.accounts) shipper.close()
    await Promise.all(this.processes.map(process => process.close()))
    this.#block.release()
    if (!keepsFolder) rmSync(this.folder, { recursive: true, force: true })
  }

  async #whenReady(processes: readonly RoleProcess[], sinceMs: number): Promise<void> {
    const late: string[] = []
    await Promise.all(
      processes.map(async process => {
        if (!(await reached(() => process.isReady(), sinceMs + READY_WITHIN_MS))) late.push(process.name)
      }),
    )
    if (late.length > 0) throw new Error(`not ready within ${READY_WITHIN_MS / 1000} s: ${late.join(', ')}`)
  }
}

async function isStored(api: RunningWeir, { host, ...name }: SentRequest): Promise<boolean> {
  const nowMs = Date.now()
  const search = new URLSearchParams({
    from: String(nowMs - DAY_MS),
    to: String(nowMs + DAY_MS),
    hosts: host,
    query: `"${requestName(name)}/0"`,
    size: '1',
  })
  return (await api.get<{ lines: unknown[] }>(`/v2/export?${search}`)).lines.length > 0
}

/** Polls a condition. @returns false when it is not fulfilled before that time, monotonic */
async function reached(condition: () => Promise<boolean>, untilMs: number): Promise<boolean> {
  while (!(await condition().catch(() => false))) {
    if (performance.now() > untilMs) return false
    await delay(POLL_MS)
  }
  return true
}
