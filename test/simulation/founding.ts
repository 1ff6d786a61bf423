import { manualClock } from '../../engine/clock/manual-clock.ts'
import { bootstrap } from '../../engine/configuration/bootstrap.ts'
import { ConfigurationLog, create } from '../../engine/configuration/configuration-log.ts'
import { accountKeys, accounts } from '../../engine/configuration/entities.ts'
import { newKey, newShortId } from '../../engine/configuration/mint.ts'
import { seededEntropy } from '../../engine/entropy/seeded-entropy.ts'
import type { LogRecord } from '../../engine/log/log.ts'
import { type MemoryStorage, memoryLog } from '../../engine/log/memory-log.ts'
import { CONFIG_TOPIC } from '../../engine/log/topics.ts'
import { silentLogger } from '../../engine/logger.ts'
import { START_MS } from './machine.ts'
import { RememberingSeal } from './remembering-seal.ts'

/** Days that each account's lines are kept: those of some go soon. */
const RETENTION_DAYS = [30, 1, 2]

export interface SimulatedAccount {
  readonly shortId: string
  readonly ingestionKey: string
}

/** What every world begins with: a configuration with some accounts. */
export interface Founding {
  readonly accounts: readonly SimulatedAccount[]
  /** Its secrets, in clear. */
  readonly opened: ReadonlyMap<string, string>
  /** Storage of a log that holds that configuration; each call gives another. */
  storage(): MemoryStorage
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
  const founded: SimulatedAccount[] = [{ shortId: accountId, ingestionKey }]
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
  const records = await topic.read(0, 0n, Number.MAX_SAFE_INTEGER)
  return { accounts: founded, opened: seal.opened, storage: () => copyOf(topic.logId, records) }
}

function copyOf(logId: string, records: readonly LogRecord[]): MemoryStorage {
  return new Map([[CONFIG_TOPIC, { logId, partitions: [{ first: 0, records: [...records] }] }]])
}
