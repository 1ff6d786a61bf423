import assert from 'node:assert'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { configurationEventType } from '../../schemas/log/configuration.ts'
import { CONFIG_TOPIC } from '../../schemas/log/topics.ts'
import { boundTo } from '../../test/support/bound-topic.ts'
import type { Clock } from '../clock/clock.ts'
import { manualClock } from '../clock/manual-clock.ts'
import { seededEntropy } from '../entropy/seeded-entropy.ts'
import type { Topic } from '../log/log.ts'
import { memoryLog } from '../log/memory-log.ts'
import { silentLogger } from '../logger.ts'
import { CATALOGUE } from '../nodes/catalogue.ts'
import { bootstrap } from './bootstrap.ts'
import { ConfigurationLog, create, remove, replace } from './configuration-log.ts'
import { deployedConfiguration } from './deployed-cuts.ts'
import {
  accountKeys,
  accounts,
  deployments,
  drafts,
  enterprises,
  pipelines,
  revisions,
  secretHash,
} from './entities.ts'
import { members } from './kinds/members.ts'
import type { ConfigurationRejected } from './rejection.ts'
import { newestSnapshot } from './snapshot.ts'

const clock = manualClock()
const author = { subjectId: 'tester', account: '' }

async function newTopic(seed = 1): Promise<Topic> {
  return memoryLog({ clock, entropy: seededEntropy(seed) }).topic(CONFIG_TOPIC, 1)
}

function openOn(
  topic: Topic,
  {
    seed = 2,
    secret = 7,
    snapshotEveryEvents,
    ...rest
  }: { seed?: number; secret?: number; snapshotEveryEvents?: number; clock?: Clock } = {},
): Promise<ConfigurationLog> {
  return ConfigurationLog.open({
    topic,
    clock,
    entropy: seededEntropy(seed),
    secretKey: Buffer.alloc(32, secret),
    logger: silentLogger,
    ...rest,
    ...(snapshotEveryEvents === undefined ? {} : { snapshotEveryEvents }),
  })
}

async function started(topic: Topic, options = {}): Promise<{ log: ConfigurationLog; account: string }> {
  const log = await openOn(topic, options)
  const result = await bootstrap(log, { clock, entropy: seededEntropy(99) })
  if (!result.created) throw new Error('the topic was not empty')
  return { log, account: result.credentials.accountId }
}

test('an end that steps back under a running process refuses changes with a sentence', async () => {
  const topic = await newTopic()
  let [id, short] = [topic.logId, 0n]
  const shared: Topic = {
    ...boundTo(topic),
    presentId: async () => id,
    bounds: async partition => {
      const { first, next } = await topic.bounds(partition)
      return { first, next: next - short }
    },
  }
  const { log, account } = await started(shared)
  const { next } = await topic.bounds(0)
  const change = () => log.append([create(pipelines, 'x', pipeline(account))], author)
  const lost = { code: 'LOG_TAIL_LOST', message: expect.stringContaining(`lost events before ${next}`) }

  // A new leader of the partition knows the end a moment later.
  short = 1n
  await log.noteEnd()
  await expect(change()).rejects.toMatchObject(lost)
  short = 0n
  await log.noteEnd()
  expect(log.lostEnd).toBeUndefined()
  await change()

  id = 'another'
  await log.noteEnd()
  const refused = log.append([remove(pipelines, log.get(pipelines, 'x') as never)], author)
  await expect(refused).rejects.toMatchObject({ code: 'LOG_TAIL_LOST' })
  expect((await topic.bounds(0)).next).toBe(next + 1n)
  id = topic.logId
  await log.noteEnd()
  expect(log.lostEnd).toContain('weir.config')
})

test('a long draft is printed, encrypted and read in turns with other work', async () => {
  const topic = await newTopic()
  let nowMs = 0
  const log = await openOn(topic, { clock: { ...clock, monotonicMs: () => (nowMs += 5) } })
  const { created } = await bootstrap(log, { clock, entropy: seededEntropy(99) })
  assert(created)
  const node = { kind: 'transform', type: 'filter', title: null, inputs: [], description: 'é"'.repeat(500) }
  const nodes = Array.from({ length: 700 }, (_, index) => ({ ...node, id: `n${index}` }))
  const turnsOf = async (work: Promise<unknown>) => {
    const isOver = work.then(() => true)
    let turns = 0
    while (!(await Promise.race([isOver, setImmediate(false)]))) turns++
    return turns
  }
  const account = 'a'
  const draft = { account, nodes, updatedAtMs: null }
  const turns = await turnsOf(log.append([create(drafts, 'x', draft as never)], author))
  // Reading takes about eighty of these.
  expect(turns).toBeGreaterThan(110)
  expect(log.get(drafts, 'x')?.value).toEqual(draft)
  const other = openOn(topic, { clock: { ...clock, monotonicMs: () => (nowMs += 5) } })
  expect(await turnsOf(other)).toBeGreaterThan(60)
  expect((await other).get(drafts, 'x')?.value).toEqual(draft)
})

const pipeline = (account: string, title = 'p') => ({
  account,
  title,
  origin: 'ui',
  deployType: 'saas',
  deploymentGroups: [],
  createdAtMs: 1,
  updatedAtMs: null,
  published: null,
})

const node = (id: string, key = 'k') => ({
  id,
  kind: 'sink' as const,
  type: 'mezmo',
  title: null,
  description: null,
  generation: 0,
  user_config: { ingestion_key: key },
  inputs: [],
})

async function rejectionOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'accepted',
    (error: ConfigurationRejected) => error.code,
  )
}

async function textOf(topic: Topic): Promise<string> {
  const records = await topic.read(0, 0n, 1e9)
  return records.map(({ value }) => value.toString('latin1')).join('\n')
}

describe('writing', () => {
  test('a writer reads its own change when append returns', async () => {
    const log = await openOn(await newTopic())
    await log.append([create(enterprises, 'aaaaaaaaaa', { name: 'A', createdAtMs: 5 })], author)
    expect(log.get(enterprises, 'aaaaaaaaaa')?.value).toEqual({ name: 'A', createdAtMs: 5 })
  })

  test('if two writers create the same entity at the same time, one is rejected', async () => {
    const topic = await newTopic()
    const [first, second] = [await openOn(topic, { seed: 3 }), await openOn(topic, { seed: 4 })]
    const make = (log: ConfigurationLog, name: string) =>
      rejectionOf(log.append([create(enterprises, 'aaaaaaaaaa', { name, createdAtMs: 5 })], author))
    const outcomes = await Promise.all([make(first, 'first'), make(second, 'second')])
    expect(outcomes.sort()).toEqual(['CHANGED_MEANWHILE', 'accepted'])
    await first.catchUp()
    await second.catchUp()
    expect(first.list(enterprises)).toEqual(second.list(enterprises))
    expect(first.list(enterprises)).toHaveLength(1)
  })

  test('a change that expects an older version is rejected, on the log and before it', async () => {
    const topic = await newTopic()
    const log = await openOn(topic, { seed: 3 })
    await log.append([create(enterprises, 'aaaaaaaaaa', { name: '1', createdAtMs: 5 })], author)
    const late = await openOn(topic, { seed: 4 })
    const old = late.get(enterprises, 'aaaaaaaaaa')!
    await log.append([replace(enterprises, old, { name: '2', createdAtMs: 5 })], author)
    const before = (await topic.bounds(0)).next
    expect(
      await rejectionOf(late.append([replace(enterprises, old, { name: '3', createdAtMs: 5 })], author)),
    ).toBe('CHANGED_MEANWHILE')
    expect((await topic.bounds(0)).next).toBe(before + 1n)
    expect(
      await rejectionOf(late.append([replace(enterprises, old, { name: '4', createdAtMs: 5 })], author)),
    ).toBe('CHANGED_MEANWHILE')
    expect((await topic.bounds(0)).next).toBe(before + 1n)
    expect(late.get(enterprises, 'aaaaaaaaaa')?.value.name).toBe('2')
  })

  test('an event takes effect as a whole or not at all', async () => {
    const log = await openOn(await newTopic())
    await log.append([create(enterprises, 'aaaaaaaaaa', { name: 'A', createdAtMs: 5 })], author)
    const entity = log.get(enterprises, 'aaaaaaaaaa')!
    const work = log.append(
      [
        create(enterprises, 'bbbbbbbbbb', { name: 'B', createdAtMs: 5 }),
        remove(enterprises, entity),
        create(enterprises, 'bbbbbbbbbb', { name: 'B again', createdAtMs: 5 }),
      ],
      author,
    )
    expect(await rejectionOf(work)).toBe('CHANGED_MEANWHILE')
    expect(log.list(enterprises)).toEqual([entity])
  })

  test('a refused event that changed an entity twice leaves it as it was', async () => {
    const log = await openOn(await newTopic())
    const value = (name: string) => ({ name, createdAtMs: 5 })
    await log.append([create(enterprises, 'aaaaaaaaaa', value('1'))], author)
    const before = log.get(enterprises, 'aaaaaaaaaa')!
    const whatever = (name: string) => ({
      ...create(enterprises, 'aaaaaaaaaa', value(name)),
      expectedVersion: -1,
    })
    const work = log.append([whatever('2'), whatever('3'), replace(enterprises, before, value('4'))], author)
    expect(await rejectionOf(work)).toBe('CHANGED_MEANWHILE')
    expect(log.get(enterprises, 'aaaaaaaaaa')).toEqual(before)
  })

  test('versions rise even when an entity is removed and created again', async () => {
    const log = await openOn(await newTopic())
    const make = () => log.append([create(enterprises, 'aaaaaaaaaa', { name: 'A', createdAtMs: 5 })], author)
    await make()
    const first = log.get(enterprises, 'aaaaaaaaaa')!
    await log.append([remove(enterprises, first)], author)
    expect(log.get(enterprises, 'aaaaaaaaaa')).toBeUndefined()
    await make()
    expect(log.get(enterprises, 'aaaaaaaaaa')!.version).toBeGreaterThan(first.version)
  })

  test('two entities cannot share a unique text, which is free again after a removal', async () => {
    const { log, account } = await started(await newTopic())
    const key = (id: string) =>
      create(accountKeys, id, { account, type: 'service', key: 'f'.repeat(32), name: '', createdAtMs: 1 })
    await log.append([key('1111111111')], author)
    expect(await rejectionOf(log.append([key('2222222222')], author))).toBe('TAKEN')
    await log.append([remove(accountKeys, log.get(accountKeys, '1111111111')!)], author)
    expect(await rejectionOf(log.append([key('2222222222')], author))).toBe('accepted')
    expect(log.find(accountKeys, 'hash', secretHash('f'.repeat(32)))?.id).toBe('2222222222')
  })

  test('an obstacle in an outdated state, which no longer exists, does not reject a write', async () => {
    const topic = await newTopic()
    const [here, there] = [await openOn(topic, { seed: 3 }), await openOn(topic, { seed: 4 })]
    const make = create(enterprises, 'aaaaaaaaaa', { name: 'A', createdAtMs: 5 })
    await here.append([make], author)
    await there.catchUp()
    await here.append([remove(enterprises, here.get(enterprises, 'aaaaaaaaaa')!)], author)
    expect(await rejectionOf(there.append([make], author))).toBe('accepted')
  })

  test('another process sees a change once it has followed the log', async () => {
    const topic = await newTopic()
    const [writer, reader] = [await openOn(topic, { seed: 3 }), await openOn(topic, { seed: 4 })]
    const stop = new AbortController()
    const seen = new Promise<void>(resolve => {
      reader.subscribe(() => resolve())
    })
    const following = reader.follow(stop.signal)
    await writer.append([create(enterprises, 'aaaaaaaaaa', { name: 'A', createdAtMs: 5 })], author)
    await seen
    expect(reader.get(enterprises, 'aaaaaaaaaa')?.value.name).toBe('A')
    stop.abort()
    await following
  })

  test('an entity of an unknown kind is kept unchanged', async () => {
    const topic = await newTopic()
    const foreign = { kind: 'hologram', entity: 'h', expectedVersion: 0, value: '{"a":1}' }
    const known = {
      kind: 'enterprise',
      entity: 'e',
      expectedVersion: 0,
      value: '{"name":"E","createdAtMs":1}',
    }
    for (const [id, changes] of Object.entries({ x: [foreign], y: [foreign, known] })) {
      const value = configurationEventType.encode({ id, atMs: 1, actor: 'a', account: '', changes })
      await topic.append(0, { value, producer: null, priority: 'control' })
    }
    expect((await openOn(topic)).list(enterprises)).toEqual([])
  })
})

describe('an event that a broken connection has doubled', () => {
  const named = (name: string) => ({ name, createdAtMs: 1 })
  const whatever = (name: string) => ({ ...create(enterprises, 'e', named(name)), expectedVersion: -1 })

  async function appendAgain(topic: Topic, offset: bigint): Promise<void> {
    const [{ value } = assert.fail()] = await topic.read(0, offset, 1)
    await topic.append(0, { value, producer: null, priority: 'control' })
  }

  test('does not revert a change that another process has made in between', async () => {
    const topic = await newTopic()
    const [one, other] = [await openOn(topic), await openOn(topic, { seed: 3 })]
    await one.append([whatever('first')], author)
    await other.append([whatever('second')], author)
    await appendAgain(topic, 0n)
    for (const log of [one, other, await openOn(topic, { seed: 4 })]) {
      await log.catchUp()
      expect(log.get(enterprises, 'e')?.value.name).toBe('second')
    }
  })

  test('does not take effect if it was refused the first time', async () => {
    const topic = await newTopic()
    const log = await openOn(topic)
    await log.append([create(enterprises, 'e', named('there'))], author)
    const refused = {
      kind: enterprises.name,
      entity: 'e',
      expectedVersion: 0,
      value: JSON.stringify(named('late')),
    }
    const event = { id: 'x', atMs: 1, actor: 'a', account: '', changes: [refused] }
    const value = configurationEventType.encode(event)
    await topic.append(0, { value, producer: null, priority: 'control' })
    await log.append([{ ...whatever(''), value: undefined }], author)
    await appendAgain(topic, 1n)
    await log.catchUp()
    expect(log.get(enterprises, 'e')).toBeUndefined()
  })

  test('is also recognised by a process that begins at a snapshot between the two', async () => {
    const topic = await newTopic()
    const log = await openOn(topic, { snapshotEveryEvents: 2 })
    await log.append([whatever('first')], author)
    await log.append([whatever('second')], author)
    expect((await newestSnapshot(topic))?.upTo).toBe(2n)
    await appendAgain(topic, 0n)
    await log.catchUp()
    for (const each of [log, await openOn(topic, { seed: 4 })])
      expect(each.get(enterprises, 'e')?.value.name).toBe('second')
  })

  test.each([
    [1_000, 'second'],
    [1_001, 'first'],
  ])('and arrives %d records later has the effect "%s", for every process', async (distance, name) => {
    const topic = await newTopic()
    const log = await openOn(topic, { snapshotEveryEvents: 1 })
    const writer = await openOn(topic, { seed: 3 })
    await writer.append([whatever('first')], author)
    const filler = { id: 'filler', atMs: 1, actor: 'a', account: '', changes: [] }
    const value = configurationEventType.encode(filler)
    for (let offset = 1; offset < distance - 2; offset++)
      await topic.append(0, { value, producer: null, priority: 'control' })
    await log.append([whatever('second')], author)
    expect(await newestSnapshot(topic)).toBeDefined()
    await appendAgain(topic, 0n)
    expect((await topic.bounds(0)).next).toBe(BigInt(distance) + 1n)
    for (const each of [log, writer, await openOn(topic, { seed: 4 })]) {
      await each.catchUp()
      expect(each.get(enterprises, 'e')?.value.name).toBe(name)
    }
  })
})

describe('limits of the plan', () => {
  test('the eleventh ingestion key is refused, and a service key is not', async () => {
    const { log, account } = await started(await newTopic())
    const entropy = seededEntropy(5)
    const add = (type: 'ingestion' | 'service') =>
      rejectionOf(
        log.append(
          [
            create(accountKeys, entropy.bytes(5).toString('hex'), {
              account,
              type,
              key: entropy.bytes(16).toString('hex'),
              name: '',
              createdAtMs: 1,
            }),
          ],
          author,
        ),
      )
    for (let made = 1; made < 10; made++) expect(await add('ingestion')).toBe('accepted')
    expect(await add('ingestion')).toBe('KEY_LIMIT')
    expect(await add('service')).toBe('accepted')
  })

  test('pipelines and nodes: the limit is allowed, one more is not, and existing ones can still be edited', async () => {
    const { log, account } = await started(await newTopic())
    const entity = log.get(accounts, account)!
    const plan = { ...entity.value.plan, maxPipelines: 1, maxNodesPerPipeline: 2 }
    await log.append([replace(accounts, entity, { ...entity.value, plan })], author)
    await log.append([create(pipelines, 'p1', pipeline(account))], author)
    expect(await rejectionOf(log.append([create(pipelines, 'p2', pipeline(account))], author))).toBe(
      'PIPELINE_LIMIT',
    )
    await log.append([replace(pipelines, log.get(pipelines, 'p1')!, pipeline(account, 'other'))], author)
    await log.append(
      [create(drafts, 'p1', { account, nodes: [node('a'), node('b')], updatedAtMs: 1 })],
      author,
    )
    const three = { account, nodes: [node('a'), node('b'), node('c')], updatedAtMs: 1 }
    expect(await rejectionOf(log.append([replace(drafts, log.get(drafts, 'p1')!, three)], author))).toBe(
      'NODE_LIMIT',
    )
    const lowered = { ...plan, maxNodesPerPipeline: 1 }
    const now = log.get(accounts, account)!
    await log.append([replace(accounts, now, { ...now.value, plan: lowered })], author)
    const same = { account, nodes: [node('a'), node('d')], updatedAtMs: 2 }
    expect(await rejectionOf(log.append([replace(drafts, log.get(drafts, 'p1')!, same)], author))).toBe(
      'accepted',
    )
  })
})

describe('secrets', () => {
  test('no secret is in clear on the log, and a reader with the key has them', async () => {
    const topic = await newTopic()
    const log = await openOn(topic)
    const given = {
      accessToken: `sts_${'1'.repeat(40)}`,
      enterpriseAccessToken: `ste_${'2'.repeat(40)}`,
      ingestionKey: '3'.repeat(32),
      serviceKey: '4'.repeat(32),
      accountId: '507f1f77bc',
    }
    expect(await bootstrap(log, { clock, entropy: seededEntropy(8) }, given)).toEqual({
      created: true,
      credentials: given,
    })
    const alert = {
      id: 'a',
      component_kind: 'source' as const,
      component_id: 'n',
      inputs: ['n'],
      active: true,
      alert_config: { token: 'very-secret-token' },
    }
    const draft = {
      account: '507f1f77bc',
      nodes: [node('n', 'very-secret-key')],
      alerts: [alert],
      updatedAtMs: 1,
    }
    await log.append([create(drafts, 'p1', draft)], author)
    const text = await textOf(topic)
    for (const secret of [
      '1'.repeat(40),
      '2'.repeat(40),
      '3'.repeat(32),
      '4'.repeat(32),
      'very-secret-key',
      'very-secret-token',
    ]) {
      expect(text).not.toContain(secret)
    }
    const reader = await openOn(topic, { seed: 11 })
    expect(reader.get(drafts, 'p1')?.value).toEqual(draft)
    expect(reader.list(accountKeys, '507f1f77bc').map(({ value }) => value.key)).toEqual([
      '3'.repeat(32),
      '4'.repeat(32),
    ])
  })

  test('another secret key is refused with a sentence', async () => {
    const topic = await newTopic()
    await started(topic)
    await expect(openOn(topic, { secret: 8 })).rejects.toThrow('was written with another secret key')
  })

  test('integers beyond 2^53 survive the log digit by digit', async () => {
    const topic = await newTopic()
    const log = await openOn(topic)
    const big = { ...node('n'), user_config: { value: 9007199254740993n, ratio: 55.67 } }
    await log.append([create(drafts, 'p1', { account: 'a', nodes: [big], updatedAtMs: 1 })], author)
    expect((await openOn(topic)).get(drafts, 'p1')?.value.nodes[0]?.user_config).toEqual(big.user_config)
  })
})

describe('a first start', () => {
  test('of three processes at once creates the account in one of them, and the others use it', async () => {
    const topic = await newTopic()
    const logs = await Promise.all([3, 4, 5].map(seed => openOn(topic, { seed })))
    const results = await Promise.all(
      logs.map((log, index) => bootstrap(log, { clock, entropy: seededEntropy(50 + index) })),
    )
    const winners = results.filter(result => result.created)
    expect(winners).toHaveLength(1)
    const account = winners[0]?.created ? winners[0].credentials.accountId : ''
    for (const result of results) if (!result.created) expect(result.accountId).toBe(account)
    for (const log of logs) {
      await log.catchUp()
      expect(log.list(accounts).map(({ id }) => id)).toEqual([account])
      expect(log.list(members, account).map(({ value }) => value.role)).toEqual(['owner'])
    }
  })

  test.each([
    ['accessToken', 'sta_12'],
    ['accountId', '507F1F77BC'],
    ['serviceKey', '4'.repeat(31)],
  ])('a given %s of the wrong form is refused without repeating it', async (name, value) => {
    const log = await openOn(await newTopic())
    const work = bootstrap(log, { clock, entropy: seededEntropy(1) }, { [name]: value })
    await expect(work).rejects.toThrow(name)
    await expect(work).rejects.not.toThrow(value)
    expect(log.list(accounts)).toEqual([])
  })
})

describe('a snapshot', () => {
  test('gives the same configuration as reading everything', async () => {
    const topic = await newTopic()
    const { log, account } = await started(topic, { snapshotEveryEvents: 20 })
    for (let index = 0; index < 97; index++) {
      const id = `p${index % 30}`
      const held = log.get(pipelines, id)
      const value = pipeline(account, `title ${index} ${'x'.repeat(index * 1000)}`)
      const change =
        held === undefined
          ? create(pipelines, id, value)
          : index % 7 === 0
            ? remove(pipelines, held)
            : replace(pipelines, held, value)
      await log.append([change], author)
    }
    const records = await topic.read(0, 0n, 1e9)
    expect(records.length).toBeGreaterThan(98)
    const offsets: bigint[] = []
    const watched = { ...boundTo(topic), read: watchedRead(topic, offsets) }
    const reopened = await openOn(watched, { seed: 77 })
    expect(reopened.list(pipelines)).toEqual(log.list(pipelines))
    expect(reopened.list(accountKeys)).toEqual(log.list(accountKeys))
    expect(offsets.at(-1)).toBeGreaterThan(0n)
    await reopened.append([create(pipelines, 'after', pipeline(account))], author)
    await log.catchUp()
    expect(log.list(pipelines)).toEqual(reopened.list(pipelines))
  })

  test('of which a part is missing is not used', async () => {
    const topic = await newTopic()
    const { log, account } = await started(topic, { snapshotEveryEvents: 5 })
    let appends = 0
    const failing: Topic = {
      ...boundTo(topic),
      append: (partition, record) => {
        if (record.value.readUInt32BE(1) === 8 && ++appends === 2) throw new Error('the process ends here')
        return topic.append(partition, record)
      },
    }
    const dying = await openOn(failing, { seed: 21, snapshotEveryEvents: 3 })
    for (let index = 0; index < 3; index++) {
      await dying.append([create(pipelines, `q${index}`, pipeline(account, 'y'.repeat(700_000)))], author)
    }
    expect(appends).toBe(2)
    await log.catchUp()
    expect((await openOn(topic, { seed: 31 })).list(pipelines)).toEqual(log.list(pipelines))
  })
})

describe('cuts', () => {
  test('publishing, publishing again and withdrawing give rising versions; the last is empty', async () => {
    const { log, account } = await started(await newTopic())
    const deployed = deployedConfiguration(CATALOGUE, log)
    let changes = 0
    const stop = deployed.subscribe(() => changes++)
    const pipelineCut = () => [...deployed.cuts()].find(({ cut }) => cut.kind === 'pipeline')
    expect(pipelineCut()).toBeUndefined()
    const document = {
      id: 'p1',
      accountId: account,
      title: 't',
      revision: 1,
      nodes: [node('n', 'top-secret')],
    }
    await log.append(
      [
        create(revisions, 'r1', { account, pipeline: 'p1', document, createdAtMs: 1 }),
        create(deployments, 'p1', { account, number: 1, revisionId: 'r1' }),
      ],
      author,
    )
    expect(pipelineCut()).toMatchObject({ account, cut: { entity: 'p1', version: 1 } })
    const payload = pipelineCut()?.cut.payload ?? ''
    expect(payload).not.toContain('top-secret')
    expect(JSON.parse(payload)).toMatchObject({
      id: 'p1',
      accountId: account,
      revision: 1,
      nodes: [{ id: 'n' }],
    })
    await log.append(
      [replace(deployments, log.get(deployments, 'p1')!, { account, number: 2, revisionId: null })],
      author,
    )
    expect(pipelineCut()?.cut).toMatchObject({ version: 2, payload: '' })
    expect(changes).toBe(2)
    stop()
  })

  test('an account has a cut with its retention, newer after each change', async () => {
    const { log, account } = await started(await newTopic())
    const cut = () =>
      [...deployedConfiguration(CATALOGUE, log).cuts()].find(each => each.cut.kind === 'account')?.cut
    const first = cut()!
    expect(JSON.parse(first.payload)).toEqual({ accountId: account, retentionDays: 30 })
    const entity = log.get(accounts, account)!
    await log.append([replace(accounts, entity, { ...entity.value, retentionDays: 7 })], author)
    expect(JSON.parse(cut()!.payload)).toEqual({ accountId: account, retentionDays: 7 })
    expect(cut()!.version).toBeGreaterThan(first.version)
  })
})

function watchedRead(topic: Topic, offsets: bigint[]): Topic['read'] {
  return (partition, from, maxBytes) => {
    offsets.push(from)
    return topic.read(partition, from, maxBytes)
  }
}
