import { Registry } from '@prometheus-io/client'
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify'
import { pino } from 'pino'
import { RecentAnswers } from '../../api/ingest/recent-answers.ts'
import { ingestPorts, logPorts, type ServerPorts, type ServerSettings } from '../../api/ports.ts'
import { buildServer } from '../../api/server.ts'
import { type TcpOutbound, tcpOutbound } from '../../deploy/outbound/tcp-outbound.ts'
import { type ManualClock, manualClock } from '../../engine/clock/manual-clock.ts'
import { type BootstrapCredentials, bootstrap } from '../../engine/configuration/bootstrap.ts'
import {
  type Change,
  ConfigurationLog,
  create,
  replace,
} from '../../engine/configuration/configuration-log.ts'
import {
  type AccessToken,
  type Account,
  accessTokens,
  accounts,
  type Role,
  secretHash,
} from '../../engine/configuration/entities.ts'
import { memberKey, members } from '../../engine/configuration/kinds/members.ts'
import { newToken } from '../../engine/configuration/mint.ts'
import type { Entropy } from '../../engine/entropy/entropy.ts'
import { seededEntropy } from '../../engine/entropy/seeded-entropy.ts'
import type { Log } from '../../engine/log/log.ts'
import { memoryLog } from '../../engine/log/memory-log.ts'
import { openPartitionedTopics } from '../../engine/log/partitioned-topics.ts'
import { silentLogger } from '../../engine/logger.ts'
import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import { OutboundError } from '../../engine/outbound/outbound-error.ts'
import { outboundRules } from '../../engine/outbound/outbound-rules.ts'
import type { Store } from '../../engine/store/store.ts'
import { NO_DAMAGE } from '../../engine/store/store-damage.ts'
import { CONFIG_TOPIC } from '../../schemas/log/topics.ts'
import { rowSearches } from './row-searches.ts'

/** Everything that the HTTP interface needs, in memory, for the tests beside the modules. */
export interface TestInstallation {
  readonly app: FastifyInstance
  readonly ports: ServerPorts
  readonly log: Log
  readonly clock: ManualClock
  readonly entropy: Entropy
  readonly configuration: ConfigurationLog
  readonly credentials: BootstrapCredentials
  readonly enterprise: string
  /** Mints a token straight into the configuration. */
  token(token: Partial<AccessToken>): Promise<string>
  /** A member of the first account with a personal token. */
  user(role: Role, token?: Partial<AccessToken>): Promise<string>
  /** A further account; of the first enterprise unless said otherwise. */
  account(shortId: string, account?: Partial<Account>): Promise<void>
  write(...changes: Change[]): Promise<void>
  /** A request with the first account's access token, unless headers say otherwise. */
  call(options: InjectOptions): Promise<LightMyRequestResponse>
}

/** Limits of the log and the configuration; absent: those of a process without settings. */
export interface TestLimits {
  readonly logBytes?: number
  readonly changeBytesPerHour?: number
  readonly accountCharacters?: number
}

const AUTHOR = { subjectId: 'test', account: '' }

export const TEST_SETTINGS: ServerSettings = {
  version: '0.0.0',
  partitions: 2,
  bodyLimitBytes: 2_097_152,
  maxObjectBytes: 262_144,
  corsOrigins: ['*'],
  tails: { perProcess: 5, perAccount: 2 },
  maxTapsPerAccount: 10,
  maxExportLines: 10_000,
  suspensionTokenMinutes: 15,
  trustedProxies: [],
}

/** Outbound port of a single machine: loopback is allowed. */
export const TEST_OUTBOUND: TcpOutbound = tcpOutbound({
  rules: outboundRules({
    deny: [],
    allow: [],
    isCluster: false,
    ownPorts: () => new Set(),
    servers: () => [],
    localAddresses: () => [],
  }),
})

/** Nobody answers a check of a destination. */
const UNANSWERED: NonNullable<ServerPorts['checks']> = {
  request: async () => {
    throw new OutboundError('NOT_CONNECTED', 'nobody is there')
  },
  produce: async () => ({ failure: 'NOT_CONNECTED' }),
}

export async function testInstallation(
  overrides: Partial<ServerPorts> = {},
  limits: TestLimits = {},
): Promise<TestInstallation> {
  const clock = manualClock()
  const entropy = seededEntropy(42)
  const { logBytes, changeBytesPerHour, accountCharacters } = limits
  const log = memoryLog({ clock, entropy, ...(logBytes !== undefined && { maxBytes: logBytes }) })
  const configuration = await ConfigurationLog.open({
    topic: await log.topic(CONFIG_TOPIC, 1),
    clock,
    entropy,
    secretKey: Buffer.alloc(32, 1),
    logger: silentLogger,
    changeBytesPerHour,
    accountCharacters,
  })
  const bootstrapped = await bootstrap(configuration, { clock, entropy })
  if (!bootstrapped.created) throw new Error('the configuration was not empty')
  const { credentials } = bootstrapped
  const topics = await openPartitionedTopics(log, 2)
  const parts = {
    topics,
    catalogue: overrides.catalogue ?? CATALOGUE.withSeal(configuration.seal),
    configuration,
    clock,
    entropy,
    logger: pino({ level: 'silent' }),
  }
  const ports: ServerPorts = {
    ...logPorts(parts),
    ingest: ingestPorts(parts, new RecentAnswers({ clock })),
    status: { notReady: async () => [], notTaking: async () => [] },
    system: {
      startedAtMs: clock.wallMs(),
      roles: ['ingest', 'api'],
      log,
      ingest: topics.ingest,
      keyed: topics.keyed.topic,
    },
    registry: new Registry(),
    settings: TEST_SETTINGS,
    store: EMPTY_STORE,
    outbound: TEST_OUTBOUND,
    checks: UNANSWERED,
    ...overrides,
  }
  const app = await buildServer(ports)
  await app.ready()
  return {
    app,
    ports,
    log,
    clock,
    entropy,
    configuration,
    credentials,
    ...writers(app, configuration, credentials, entropy),
  }
}

function writers(
  app: FastifyInstance,
  configuration: ConfigurationLog,
  credentials: BootstrapCredentials,
  entropy: Entropy,
) {
  const first = credentials.accountId
  const enterprise = configuration.get(accounts, first)?.value.enterprise ?? ''
  const write = (...changes: Change[]) => configuration.append(changes, AUTHOR)
  const token = async (given: Partial<AccessToken>) => {
    const secret = newToken('sts', entropy)
    const kind = given.kind ?? 'service'
    const value: AccessToken = {
      kind,
      hash: secretHash(secret),
      name: 'test',
      account: kind === 'enterprise' ? null : first,
      enterprise: kind === 'enterprise' ? enterprise : null,
      subjectId: entropy.uuid(),
      email: null,
      scope: null,
      expiresAtMs: null,
      revoked: false,
      createdAtMs: 0,
      ...given,
    }
    await write(create(accessTokens, entropy.uuid(), value))
    return secret
  }
  return {
    enterprise,
    write,
    token,
    user: async (role: Role, given: Partial<AccessToken> = {}) => {
      const email = `${role}-${entropy.bytes(3).toString('hex')}@example.org`
      const subjectId = entropy.uuid()
      const member = { account: first, email, role, groups: [], subjectId, createdAtMs: 0 }
      await write(create(members, memberKey(first, email), member))
      return token({ kind: 'user', subjectId, email, ...given })
    },
    account: async (shortId: string, given: Partial<Account> = {}) => {
      const model = configuration.get(accounts, first)
      if (model === undefined) throw new Error('there is no first account')
      await write(create(accounts, shortId, { ...model.value, id: entropy.uuid(), ...given }))
    },
    call: (options: InjectOptions) =>
      app.inject({
        ...options,
        headers: { authorization: `Token ${credentials.accessToken}`, ...options.headers },
      }),
  }
}

/** Changes the first account. */
export async function changeAccount(installation: TestInstallation, change: Partial<Account>): Promise<void> {
  const account = installation.configuration.get(accounts, installation.credentials.accountId)
  if (account === undefined) throw new Error('there is no first account')
  await installation.write(replace(accounts, account, { ...account.value, ...change }))
}

/** A store without a line, because these tests are decided before it is read. */
export const EMPTY_STORE: Store = {
  open: async () => undefined,
  claim: async () => undefined,
  insert: async () => undefined,
  settle: async () => null,
  markStored: async () => undefined,
  standing: async () => ({ owner: null, mark: null }),
  reached: async () => ({ owner: null, positions: new Map(), timeMs: 0 }),
  ...rowSearches(() => []),
  damage: NO_DAMAGE,
  findDamage: async () => [],
  size: async () => ({ bytes: 0, rows: 0, oldestDay: null, diskFreeBytes: null, uncoveredRows: 0 }),
  closeDay: async () => undefined,
  openDays: async () => [],
  removeExpired: async () => 0,
  indexWords: async () => undefined,
  close: async () => undefined,
}
