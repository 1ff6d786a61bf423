import { expect, test } from 'vitest'
import { CONFIG_TOPIC } from '../../schemas/log/topics.ts'
import { newDice } from '../../test/support/dice.ts'
import { manualClock } from '../clock/manual-clock.ts'
import { seededEntropy } from '../entropy/seeded-entropy.ts'
import { memoryLog } from '../log/memory-log.ts'
import { silentLogger } from '../logger.ts'
import { acceptConfigurationLoss } from './accept-loss.ts'
import { acceptedLosses } from './accepted-losses.ts'
import { type Change, ConfigurationLog, create, remove, replace } from './configuration-log.ts'
import { type AccountKey, accountKeys } from './entities.ts'
import { placeOfAccount } from './history.ts'
import { ConfigurationRejected } from './rejection.ts'

const SEED = 7
const ACCOUNT = 'aaaaaaaaaa'

function world() {
  const clock = manualClock()
  const log = memoryLog({ clock, entropy: seededEntropy(1) })
  const open = async (seed: number) =>
    ConfigurationLog.open({
      topic: await log.topic(CONFIG_TOPIC, 1),
      clock,
      entropy: seededEntropy(seed),
      secretKey: Buffer.alloc(32, 1),
      logger: silentLogger,
      snapshotEveryEvents: 25,
    })
  return { clock, open }
}

const keyNamed = (name: string, account = ACCOUNT): AccountKey => ({
  account,
  type: 'ingestion',
  key: name,
  name,
  createdAtMs: 0,
})

async function changesOf(configuration: ConfigurationLog, account = ACCOUNT) {
  await configuration.history.catchUp()
  const changes = [...configuration.history.newestFirst(placeOfAccount(account))]
  const values = await configuration.history.valuesOf(changes)
  return changes.map(({ entity, action, actor }, at) => {
    const { before, after } = values[at] as { before?: AccountKey; after?: AccountKey }
    return { entity, action, actor, before: before?.name, after: after?.name }
  })
}

test(`every process reports the accepted changes, also from before its snapshot (SEED=${SEED})`, async () => {
  const { open } = world()
  const { below } = newDice(SEED)
  const writers = [await open(2), await open(3)] as const
  const expected: object[] = []
  const now = new Map<string, string>()
  /** Two processes write at the same moment about the same entity; the log accepts one of them. */
  for (let round = 0; round < 120; round++) {
    const entity = `k${below(6)}`
    await Promise.all(writers.map(writer => writer.catchUp()))
    const outcomes = await Promise.allSettled(
      writers.map((writer, number) => {
        const held = writer.get(accountKeys, entity)
        const name = `n${round}.${number}`
        const change: Change =
          held === undefined
            ? create(accountKeys, entity, keyNamed(name))
            : below(4) === 0
              ? remove(accountKeys, held)
              : replace(accountKeys, held, keyNamed(name))
        return writer
          .append([change], { subjectId: `writer ${number}`, account: ACCOUNT })
          .then(() => (change.value as AccountKey | undefined)?.name)
      }),
    )
    const winner = outcomes.findIndex(({ status }) => status === 'fulfilled')
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(ConfigurationRejected)
    const after = (outcomes[winner] as PromiseFulfilledResult<string | undefined>).value
    const before = now.get(entity)
    const action = after === undefined ? 'removed' : before === undefined ? 'created' : 'changed'
    expected.unshift({ entity, action, actor: `writer ${winner}`, before, after })
    if (after === undefined) now.delete(entity)
    else now.set(entity, after)
  }
  // Apart from snapshots, the log contains many rejected events.
  expect(writers[0].nextOffset).toBeGreaterThan(BigInt(expected.length + 50))
  expect(await changesOf(writers[0])).toEqual(expected)
  const late = await open(4)
  expect(await changesOf(late)).toEqual(expected)
  // Later changes are added, whichever process wrote them.
  await writers[0].append([create(accountKeys, 'last', keyNamed('last'))], {
    subjectId: 's',
    account: ACCOUNT,
  })
  await late.catchUp()
  expect((await changesOf(late))[0]).toEqual({
    entity: 'last',
    action: 'created',
    actor: 's',
    before: undefined,
    after: 'last',
  })
})

test('changes of one event in several accounts are reported to each account separately', async () => {
  const configuration = await world().open(2)
  const author = { subjectId: 'bootstrap', account: '' }
  await configuration.append(
    [create(accountKeys, 'k1', keyNamed('one')), create(accountKeys, 'k2', keyNamed('two', 'bbbbbbbbbb'))],
    author,
  )
  const held = configuration.get(accountKeys, 'k2')
  if (held === undefined) throw new Error('there is no key')
  await configuration.append([remove(accountKeys, held)], author)
  expect((await changesOf(configuration)).map(({ after }) => after)).toEqual(['one'])
  expect((await changesOf(configuration, 'bbbbbbbbbb')).map(({ action }) => action)).toEqual([
    'removed',
    'created',
  ])
})

test('two simultaneous first requests read the log once', async () => {
  const configuration = await world().open(2)
  const author = { subjectId: 's', account: ACCOUNT }
  await configuration.append([create(accountKeys, 'k1', keyNamed('one'))], author)
  const [first, second] = await Promise.all([changesOf(configuration), changesOf(configuration)])
  expect([first.length, second]).toEqual([1, first])
})

test('a loss of the whole log, behind which it has no accounts, is in the audit of later accounts', async () => {
  const { open } = world()
  const configuration = await open(1)
  const lost = { from: 0n, to: 3n, version: 4, witnesses: ['the store'] }
  await acceptConfigurationLoss(configuration, lost, [])
  await configuration.append([create(accountKeys, 'k', keyNamed('k'))], { subjectId: 's', account: ACCOUNT })
  await configuration.history.catchUp()
  const changes = [...configuration.history.newestFirst(placeOfAccount(ACCOUNT))]
  expect(changes.map(({ kindName }) => kindName)).toEqual([accountKeys.name, acceptedLosses.name])
})
