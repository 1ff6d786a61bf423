import { expect, test } from 'vitest'
import type { Cut } from '../../schemas/log/control.ts'
import type { DeployedConfiguration } from '../../schemas/log/deployed-configuration.ts'
import { CONFIG_TOPIC, INGEST_TOPIC, partitionOfAccount } from '../../schemas/log/topics.ts'
import { manualClock } from '../clock/manual-clock.ts'
import { ConfigurationLog, create, replace } from '../configuration/configuration-log.ts'
import { deployedConfiguration } from '../configuration/deployed-cuts.ts'
import { type Account, accounts, deployments, spreads } from '../configuration/entities.ts'
import { seededEntropy } from '../entropy/seeded-entropy.ts'
import { foldIdentity, PartitionFold } from '../fold/partition-fold.ts'
import { memoryLog } from '../log/memory-log.ts'
import { silentLogger } from '../logger.ts'
import { CATALOGUE } from '../nodes/catalogue.ts'
import { CutSender } from './cut-sender.ts'

const PARTITIONS = 4
const ACCOUNTS = Array.from({ length: 40 }, (_, number) => `account-${number}`)
const AUTHOR = { subjectId: 'tester', account: '' }
const homeOf = (account: string) => partitionOfAccount(account, PARTITIONS)

function newAccount(id: string): Account {
  return {
    id,
    enterprise: null,
    company: id,
    ownerEmail: '',
    plan: {
      type: 'own',
      maxPipelines: null,
      maxNodesPerPipeline: null,
      maxIngestionKeys: null,
      maxServiceKeys: null,
    },
    status: 'active',
    retentionDays: 30,
    externalId: null,
    ingestionSuspended: false,
    createdAtMs: 0,
  }
}

/** A sender for each partition, and the cuts that each has checked and sent since the last call. */
async function installation() {
  const clock = manualClock()
  const log = memoryLog({ clock, entropy: seededEntropy(1) })
  const configuration = await ConfigurationLog.open({
    topic: await log.topic(CONFIG_TOPIC, 1),
    clock,
    entropy: seededEntropy(2),
    secretKey: Buffer.alloc(32),
    logger: silentLogger,
  })
  const topic = await log.topic(INGEST_TOPIC, PARTITIONS)
  const change = (...changes: Parameters<ConfigurationLog['append']>[0]) =>
    configuration.append(changes, AUTHOR)
  await change(
    ...ACCOUNTS.map(id => create(accounts, id, newAccount(id))),
    ...ACCOUNTS.map(id => create(deployments, `p-${id}`, { account: id, number: 1, revisionId: null })),
  )
  const senders = Array.from({ length: PARTITIONS }, (_, partition) => {
    const looked: Cut[] = []
    const sent: Cut[] = []
    const watched = watchedCuts(deployedConfiguration(CATALOGUE, configuration), cut => looked.push(cut))
    const append = async (body: object) => sent.push((body as { 'weir.Cut': Cut })['weir.Cut'])
    const sender = new CutSender({ topic, partition, configuration: watched, append }, () => {})
    const fold = new PartitionFold(CATALOGUE, foldIdentity(topic, partition))
    const round = async () => {
      await sender.send(fold)
      return { looked: looked.splice(0).map(({ entity }) => entity), sent: sent.splice(0).map(nameOf) }
    }
    return { sender, round }
  })
  const rounds = () => Promise.all(senders.map(({ round }) => round()))
  return { configuration, change, senders, rounds }
}

function watchedCuts(configuration: DeployedConfiguration, look: (cut: Cut) => void): DeployedConfiguration {
  return {
    accounts: () => configuration.accounts(),
    *cuts(account) {
      for (const addressed of configuration.cuts(account)) {
        look(addressed.cut)
        yield addressed
      }
    },
    isSpread: account => configuration.isSpread(account),
    anySpread: configuration.anySpread,
    begunQuarantine: (topic, partition) => configuration.begunQuarantine(topic, partition),
    subscribe: listener => configuration.subscribe(listener),
  }
}

function nameOf({ kind, entity, version }: Cut): string {
  return kind === 'account' ? `${kind} ${entity}` : `${kind} ${entity} ${version}`
}

test('at first a worker checks the cuts of the accounts of its partition, and sends them', async () => {
  const { rounds } = await installation()
  for (const [partition, { looked, sent }] of (await rounds()).entries()) {
    const own = ACCOUNTS.filter(account => homeOf(account) === partition)
    expect(looked).toEqual(own.flatMap(account => [account, `p-${account}`]))
    expect(sent).toEqual(own.flatMap(account => [`account ${account}`, `pipeline p-${account} 1`]))
  }
})

test('after a change it checks the cuts of the changed account, and only in its partition', async () => {
  const { configuration, change, senders, rounds } = await installation()
  await rounds()
  const [account] = ACCOUNTS as [string]
  const deployed = configuration.get(deployments, `p-${account}`)
  await change(replace(deployments, deployed!, { account, number: 2, revisionId: null }))
  expect(senders.map(({ sender }) => sender.isDue)).toEqual(
    senders.map((_, partition) => partition === homeOf(account)),
  )
  const found = await rounds()
  // With all cuts checked everywhere, it would be 80 in each of 4 workers.
  expect(found.flatMap(({ looked }) => looked)).toEqual([account, `p-${account}`])
  expect(found[homeOf(account)]?.sent).toEqual([`pipeline p-${account} 2`])
})

test('an account that is spread belongs to every partition', async () => {
  const { change, rounds } = await installation()
  await rounds()
  const [account] = ACCOUNTS as [string]
  await change(create(spreads, account, { account, enabled: true, change: 1, spans: [] }))
  for (const [partition, { sent }] of (await rounds()).entries()) {
    const news = partition === homeOf(account) ? [] : [`account ${account}`, `pipeline p-${account} 1`]
    expect(sent).toEqual([...news, `spread ${account} 1`])
  }
})
