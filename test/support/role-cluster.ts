import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { type ClusterBase, openClusterBase } from '../../deploy/cluster/cluster-base.ts'
import { readSettings } from '../../deploy/settings/settings.ts'
import { foundAccounts } from '../faults/cluster/founded-accounts.ts'
import { freePort } from './free-port.ts'
import { inheritedEnvironment } from './inherited-environment.ts'
import type { KafkaCluster } from './kafka/kafka-cluster.ts'
import { type RunningRole, startRole } from './running-role.ts'
import type { RunningWeir } from './running-weir.ts'

/** Longer than any pause of an engine in most tests. */
const SESSION_TIMEOUT_MS = 120_000

/** A store, an API and engines as processes of their own on one Kafka, with an account at home on each partition. */
export class RoleCluster {
  readonly store: RunningRole
  readonly engines: readonly RunningRole[]
  /** Accounts by home partition. */
  readonly accounts: readonly RunningWeir[]
  /** The log as the processes have it. */
  readonly base: ClusterBase
  /** Settings of its processes, and of commands. */
  readonly environment: Readonly<Record<string, string>>
  readonly #running: RunningRole[]
  readonly #folder: string
  readonly #apiPort: string

  private constructor(parts: {
    readonly store: RunningRole
    readonly engines: readonly RunningRole[]
    readonly accounts: readonly RunningWeir[]
    readonly base: ClusterBase
    readonly environment: Readonly<Record<string, string>>
    readonly running: RunningRole[]
    readonly folder: string
    readonly apiPort: string
  }) {
    this.store = parts.store
    this.engines = parts.engines
    this.accounts = parts.accounts
    this.base = parts.base
    this.environment = parts.environment
    this.#running = parts.running
    this.#folder = parts.folder
    this.#apiPort = parts.apiPort
  }

  /** @param kafka a prefix of it is used; its content stays */
  static async open(
    kafka: KafkaCluster,
    {
      partitions,
      engines,
      sessionTimeoutMs = SESSION_TIMEOUT_MS,
    }: { readonly partitions: number; readonly engines: number; readonly sessionTimeoutMs?: number },
  ): Promise<RoleCluster> {
    const folder = mkdtempSync(join(tmpdir(), 'weir-roles-'))
    const running: RunningRole[] = []
    const start = async (role: string, environment: Readonly<Record<string, string>>) => {
      const started = await startRole(role, environment)
      running.push(started)
      return started
    }
    try {
      const local = { ...inheritedEnvironment(), LOG_LEVEL: 'warn' }
      const store = await start('store', { ...local, WEIR_DATA_DIR: folder, WEIR_STORE_PORT: '0' })
      const settings = {
        KAFKA_BROKERS: kafka.bootstrap.join(','),
        KAFKA_REPLICATION: '1',
        KAFKA_TOPIC_PREFIX: `roles-${crypto.randomUUID().slice(0, 8)}.`,
        KAFKA_SESSION_TIMEOUT_MS: String(sessionTimeoutMs),
        WEIR_PARTITIONS: String(partitions),
        WEIR_SECRET_KEY: 'ab'.repeat(32),
        CLICKHOUSE_URL: store.url,
      }
      const environment = { ...local, ...settings, WEIR_PORT: '0' }
      const apiPort = String(await freePort())
      const accounts = await foundAccounts(settings, `http://127.0.0.1:${apiPort}`, folder)
      await start('api', { ...environment, WEIR_PORT: apiPort })
      const started: RunningRole[] = []
      while (started.length < engines) started.push(await start('engine', environment))
      const base = await openClusterBase(readSettings(settings), pino({ level: 'silent' }))
      const parts = { store, engines: started, accounts, base, environment, running, folder, apiPort }
      return new RoleCluster(parts)
    } catch (error) {
      await end(running, folder)
      throw error
    }
  }

  startIngest(): Promise<RunningRole> {
    return this.#start('ingest')
  }

  /** One beside the one that clients of the accounts use. */
  startApi(): Promise<RunningRole> {
    return this.#start('api')
  }

  /** @param more settings of this engine */
  startEngine(more: Record<string, string> = {}): Promise<RunningRole> {
    return this.#start('engine', more)
  }

  /** Starts the API that clients of the accounts use, after `stopRoles`. */
  startAccountsApi(): Promise<RunningRole> {
    return this.#start('api', { WEIR_PORT: this.#apiPort })
  }

  /** Stops everything apart from the store. */
  async stopRoles(): Promise<void> {
    const [store, ...roles] = this.#running.splice(0)
    if (store !== undefined) this.#running.push(store)
    for (const role of roles.toReversed()) await role.end('SIGTERM')
  }

  async #start(role: 'ingest' | 'api' | 'engine', more: Record<string, string> = {}): Promise<RunningRole> {
    const started = await startRole(role, { ...this.environment, ...more })
    this.#running.push(started)
    return started
  }

  /** Lines in the store, of all accounts and in both forms. */
  async storedLines(): Promise<number> {
    const rows = await this.#query<{ lines: string }>(
      'SELECT count() AS lines FROM weir.lines UNION ALL SELECT count() AS lines FROM weir.slotted_lines',
    )
    return rows.reduce((sum, { lines }) => sum + Number(lines), 0)
  }

  /** Resolves when an account's lines go to all partitions. */
  async spread(account: RunningWeir): Promise<void> {
    await account.send('PUT', '/v3/account/spread', { enabled: true })
    while ((await account.get<{ data: { phase: string } }>('/v3/account/spread')).data.phase !== 'on')
      await new Promise(resolve => setTimeout(resolve, 50))
  }

  /** Engines take nothing from the log until `resume`, and keep their partitions for two minutes. */
  pause(): void {
    for (const engine of this.engines) engine.signal('SIGSTOP')
  }

  resume(): void {
    for (const engine of this.engines) engine.signal('SIGCONT')
  }

  async close(): Promise<void> {
    this.resume()
    await this.base.log.close()
    await end(this.#running, this.#folder)
  }

  async #query<Row>(sql: string): Promise<Row[]> {
    const query = new URLSearchParams({ query: `${sql} FORMAT JSONEachRow` })
    const response = await fetch(`${this.store.url}/?${query}`)
    const text = await response.text()
    if (!response.ok) throw new Error(`${sql}: ${response.status} ${text}`)
    return text
      .trim()
      .split('\n')
      .map(line => JSON.parse(line) as Row)
  }
}

async function end(running: readonly RunningRole[], folder: string): Promise<void> {
  for (const role of running.toReversed()) await role.end('SIGTERM')
  rmSync(folder, { recursive: true, force: true })
}
