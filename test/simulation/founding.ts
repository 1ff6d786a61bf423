import { manualClock } from '../../engine/clock/manual-clock.ts'
import { bootstrap } from '../../engine/configuration/bootstrap.ts'
import { type Change, ConfigurationLog, create } from '../../engine/configuration/configuration-log.ts'
import {
  accessKeys,
  accountKeys,
  accounts,
  deployments,
  gatewayRoutes,
  revisions,
  secretHash,
} from '../../engine/configuration/entities.ts'
import { newKey, newShortId } from '../../engine/configuration/mint.ts'
import { seededEntropy } from '../../engine/entropy/seeded-entropy.ts'
import type { LogRecord } from '../../engine/log/log.ts'
import { type MemoryStorage, memoryLog } from '../../engine/log/memory-log.ts'
import { silentLogger } from '../../engine/logger.ts'
import { CONFIG_TOPIC } from '../../schemas/log/topics.ts'
import { START_MS } from './machine.ts'
import { documentOf, type Recipe } from './recipe.ts'
import { RememberingSeal } from './remembering-seal.ts'

/** Days for which the lines of an account are kept. The lines of some accounts are removed soon. */
const RETENTION_DAYS = [30, 1, 2]
/** Readers of the accounts' gateway routes at the beginning; the last one has none. */
const FIRST_READERS: readonly Recipe[] = [
  {
    reads: 'route',
    decoding: 'auto',
    dropLevel: 'DEBUG',
    throttle: undefined,
    filterFirst: true,
    storesTwice: false,
  },
  {
    reads: 'both',
    decoding: 'json',
    dropLevel: undefined,
    throttle: { limit: 2, windowMs: 60_000, isKeyed: true, excludeLevel: undefined },
    filterFirst: false,
    storesTwice: false,
  },
]

export interface SimulatedAccount {
  readonly shortId: string
  readonly ingestionKey: string
  /** Id of its gateway route, in worlds in which it has one. */
  readonly route: string
  readonly accessKey: string
}

/** Start of every world: a configuration with some accounts. */
export interface Founding {
  readonly accounts: readonly SimulatedAccount[]
  /** Its secrets, in clear. */
  readonly opened: ReadonlyMap<string, string>
  /** Recipes of the pipelines that read gateway routes from the beginning, by the id of the revision. */
  readonly recipes: ReadonlyMap<string, Recipe>
  /**
   * Storage of a log that holds that configuration, with the gateway routes of the first accounts. Each call returns
   * another storage.
   */
  storage(routes: number): MemoryStorage
}

export async function newFounding(): Promise<Founding> {
  const clock = manualClock(START_MS - 60_000)
  const entropy = seededEntropy(1)
  const seal = new RememberingSeal(entropy)
  const storage: MemoryStorage = new Map()
  const topic = await memoryLog({ clock, entropy, storage }).topic(CONFIG_TOPIC, 1)
  const configuration = await ConfigurationLog.open({
    topic,
    clock,
    entropy,
    secretKey: seal,
    logger: silentLogger,
  })
  const first = await bootstrap(configuration, { clock, entropy })
  if (!first.created) throw new Error('the configuration was not empty')
  const { accountId, ingestionKey } = first.credentials
  const founded = [{ shortId: accountId, ingestionKey }]
  const model = configuration.get(accounts, accountId)
  if (model === undefined) throw new Error('there is no first account')
  for (const retentionDays of RETENTION_DAYS.slice(1)) {
    const account = { shortId: newShortId(entropy), ingestionKey: newKey(entropy) }
    const key = { account: account.shortId, type: 'ingestion' as const, key: account.ingestionKey }
    await configuration.append(
      [
        create(accounts, account.shortId, { ...model.value, id: entropy.uuid(), retentionDays }),
        create(accountKeys, entropy.bytes(5).toString('hex'), { ...key, name: '', createdAtMs: 0 }),
      ],
      { subjectId: 'founding', account: account.shortId },
    )
    founded.push(account)
  }
  /** Number of records by the number of accounts with gateway routes. */
  const lengths = [Number((await topic.bounds(0)).next)]
  const recipes = new Map<string, Recipe>()
  const founding: SimulatedAccount[] = []
  for (const [index, account] of founded.entries()) {
    const entrance = { ...account, route: entropy.uuid(), accessKey: newKey(entropy) }
    const reader = FIRST_READERS[index]
    const revisionId = entropy.uuid()
    if (reader !== undefined) recipes.set(revisionId, reader)
    await configuration.append(entranceOf(entrance, entropy.uuid(), reader, revisionId), {
      subjectId: 'founding',
      account: account.shortId,
    })
    founding.push(entrance)
    lengths.push(Number((await topic.bounds(0)).next))
  }
  const records = await topic.read(0, 0n, Number.MAX_SAFE_INTEGER)
  return {
    accounts: founding,
    opened: seal.opened,
    recipes,
    storage: routes => copyOf(topic.logId, records.slice(0, lengths[routes])),
  }
}

/** A gateway route with its key and its pipeline. */
function entranceOf(
  { shortId: account, route, accessKey }: SimulatedAccount,
  keyId: string,
  reader: Recipe | undefined,
  revisionId: string,
): Change[] {
  const made = { account, title: '', createdAtMs: 0 }
  const shared = { type: 'http', description: null, consumerId: keyId, madeBySource: false }
  const changes = [
    create(gatewayRoutes, route, { ...made, ...shared }),
    create(accessKeys, keyId, { ...made, gatewayRoute: route, hash: secretHash(accessKey) }),
  ]
  if (reader === undefined) return changes
  const pipeline = pipelineIdOf(account, 0)
  const about = { id: pipeline, accountId: account, title: revisionId, revision: 1 }
  const document = documentOf(reader, about, route)
  return [
    ...changes,
    create(revisions, revisionId, { account, pipeline, document, createdAtMs: 0 }),
    create(deployments, pipeline, { account, number: 1, revisionId }),
  ]
}

export function pipelineIdOf(account: string, number: number): string {
  return `${account}-${number}`
}

function copyOf(logId: string, records: readonly LogRecord[]): MemoryStorage {
  return new Map([[CONFIG_TOPIC, { logId, partitions: [{ first: 0, records: [...records] }] }]])
}
