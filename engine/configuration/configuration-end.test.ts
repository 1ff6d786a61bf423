import { describe, expect, test } from 'vitest'
import { configurationEventType, configurationLossType } from '../../schemas/log/configuration.ts'
import type { Cut } from '../../schemas/log/control.ts'
import { CONFIG_TOPIC } from '../../schemas/log/topics.ts'
import { schemaIdOf } from '../../schemas/log/wire-format.ts'
import { boundTo } from '../../test/support/bound-topic.ts'
import { manualClock } from '../clock/manual-clock.ts'
import { seededEntropy } from '../entropy/seeded-entropy.ts'
import type { Topic } from '../log/log.ts'
import { type MemoryStorage, memoryLog } from '../log/memory-log.ts'
import { silentLogger } from '../logger.ts'
import { CATALOGUE } from '../nodes/catalogue.ts'
import { acceptConfigurationLoss } from './accept-loss.ts'
import { bootstrap } from './bootstrap.ts'
import { ConfigurationEnd } from './configuration-end.ts'
import { ConfigurationLog, create, replace } from './configuration-log.ts'
import { deployedConfiguration } from './deployed-cuts.ts'
import { type EndMark, type MarkKeeper, MarkUnreadableError, readMark, signedMark } from './end-mark.ts'
import { type AccessToken, accessTokens, accounts, deployments, exemptions, revisions } from './entities.ts'
import { lineRules, noLineRules } from './kinds/line-rules.ts'
import type { LostConfiguration } from './lost-configuration.ts'
import { Seal } from './seal.ts'

const clock = manualClock()
const author = { subjectId: 'tester', account: '' }
const RULE = { id: '0', title: '', active: true, apps: ['a'], hosts: [], query: '', indexonly: true }
const KEY = Buffer.alloc(32, 7)

/** A place that outlives the processes, and can be unavailable. */
class Place implements MarkKeeper {
  readonly place: string
  kept: EndMark | undefined
  isAway = false
  writes = 0
  /** Called before a mark is kept. */
  onWrite: (mark: EndMark) => void = () => {}

  constructor(place: string) {
    this.place = place
  }

  async read(): Promise<EndMark | undefined> {
    if (this.isAway) throw new Error('away')
    return this.kept
  }

  async write(mark: EndMark): Promise<void> {
    await Promise.resolve()
    if (this.isAway) throw new Error('away')
    this.onWrite(mark)
    this.writes++
    this.kept = mark
  }
}

class Installation {
  readonly storage: MemoryStorage = new Map()
  readonly file = new Place('the file')
  readonly store = new Place('the store')
  cuts: Cut[] = []
  /** End among those of all partitions; undefined: none is kept, as on Kafka. */
  end: bigint | undefined
  lostLater: LostConfiguration | undefined
  unreadableLater: MarkUnreadableError | undefined
  #seed = 1

  topic(): Promise<Topic> {
    return memoryLog({ clock, entropy: seededEntropy(this.#seed++), storage: this.storage }).topic(
      CONFIG_TOPIC,
      1,
    )
  }

  get records() {
    return this.storage.get(CONFIG_TOPIC)?.partitions[0]?.records ?? []
  }

  /** Removes the last records, as a faulty disk does. */
  lose(records: number): void {
    this.records.splice(this.records.length - records)
  }

  async open(wrap: (topic: Topic) => Topic = topic => topic) {
    const log = await ConfigurationLog.open({
      topic: wrap(await this.topic()),
      clock,
      entropy: seededEntropy(this.#seed++),
      secretKey: KEY,
      logger: silentLogger,
      snapshotEveryEvents: 40,
    })
    const end = new ConfigurationEnd({
      configuration: log,
      file: this.file,
      store: this.store,
      ...(this.end !== undefined && {
        note: {
          place: 'the ends',
          read: () => this.end ?? 0n,
          note: async next => {
            this.end = next
          },
        },
      }),
      knownCuts: async () => this.cuts,
      isShared: false,
      clock,
      logger: silentLogger,
      onLost: lost => {
        this.lostLater = lost
      },
      onUnreadable: error => {
        this.unreadableLater = error
      },
    })
    return { log, end }
  }

  /** Starts a process that finds the whole log. */
  async start(wrap?: (topic: Topic) => Topic) {
    const { log, end } = await this.open(wrap)
    const lost = await end.findLoss()
    if (lost !== undefined) throw new Error(`refused: ${lost.from} to ${lost.to} by ${lost.witnesses}`)
    await end.begin()
    await bootstrap(log, { clock, entropy: seededEntropy(99) })
    return { log, end }
  }
}

const token = (name: string): AccessToken => ({
  kind: 'service',
  hash: name,
  name,
  account: null,
  enterprise: null,
  subjectId: 's',
  email: null,
  scope: null,
  expiresAtMs: null,
  revoked: false,
  createdAtMs: 0,
})

async function revoke(log: ConfigurationLog, id: string): Promise<void> {
  const found = log.get(accessTokens, id)
  if (found === undefined) throw new Error('no such token')
  await log.append([replace(accessTokens, found, { ...found.value, revoked: true })], author)
}

/** An installation whose last change revoked a token. */
async function withRevokedToken(end?: bigint) {
  const installation = new Installation()
  installation.end = end
  const { log } = await installation.start()
  await log.append([create(accessTokens, 'id', token('a'))], author)
  await revoke(log, 'id')
  return { installation, log }
}

/** Waits for background work to settle. */
const settled = async () => {
  for (let turn = 0; turn < 20; turn++) await new Promise(resolve => setImmediate(resolve))
}

test('after the configuration lost its end, a revoked token was valid again, so such a start is refused', async () => {
  const { installation, log } = await withRevokedToken()
  const { nextOffset } = log
  installation.lose(1)
  const { log: short, end } = await installation.open()
  expect(short.get(accessTokens, 'id')?.value.revoked).toBe(false)
  expect(await end.findLoss()).toMatchObject({ from: nextOffset - 1n, to: nextOffset - 1n })
})

describe('a lost end is recognised', () => {
  test.each(['file', 'store'] as const)('by the %s alone', async name => {
    const { installation } = await withRevokedToken()
    installation[name === 'file' ? 'store' : 'file'].kept = undefined
    installation.lose(1)
    const { end } = await installation.open()
    expect((await end.findLoss())?.witnesses).toEqual([`the ${name}`])
  })

  test('by the end among those of all partitions, if both marks are as old as the log', async () => {
    const { installation, log } = await withRevokedToken(0n)
    const { nextOffset, highestVersion } = log
    installation.lose(1)
    const { log: shorter } = await installation.open()
    installation.file.kept = shorter.endMark
    installation.store.kept = shorter.endMark
    const { end } = await installation.open()
    expect(await end.findLoss()).toEqual({
      from: nextOffset - 1n,
      to: nextOffset - 1n,
      version: highestVersion,
      witnesses: ['the ends'],
    })
    installation.end = 0n
    expect(await (await installation.open()).end.findLoss()).toBeUndefined()
  })

  test('by a log that was cut and then extended', async () => {
    const { installation, log } = await withRevokedToken()
    const { nextOffset } = log
    installation.lose(1)
    // A program that does not know marks continues the log.
    const { log: short } = await installation.open()
    for (const id of ['x', 'y', 'z']) await short.append([create(accessTokens, id, token(id))], author)
    const { end } = await installation.open()
    expect(await end.findLoss()).toMatchObject({ to: nextOffset - 1n })
  })

  test('by another log with the same name', async () => {
    const { installation } = await withRevokedToken()
    installation.storage.clear()
    const { end } = await installation.open()
    expect(await end.findLoss()).toMatchObject({ from: 0n })
  })

  test('by a mark that is many stretches further', async () => {
    const { installation, log } = await withRevokedToken()
    const { nextOffset } = log
    installation.file.kept = { ...(log.endMark as EndMark), next: 5_000n }
    installation.lose(1)
    const { end } = await installation.open()
    expect(await end.findLoss()).toMatchObject({ from: nextOffset - 1n, to: 4_999n })
  })

  test('by a cut with a version that no entity has yet, if marks are missing or as old as the log', async () => {
    const { installation, log } = await withRevokedToken()
    const [account] = log.list(accounts)
    if (account === undefined) throw new Error('no account')
    await log.append([replace(accounts, account, { ...account.value, retentionDays: 5 })], author)
    const known = [...deployedConfiguration(CATALOGUE, log).cuts()].map(({ cut }) => cut)
    installation.lose(1)
    const { log: shorter } = await installation.open()
    for (const mark of [undefined, shorter.endMark]) {
      installation.file.kept = mark
      installation.store.kept = mark
      installation.cuts = []
      const { end } = await installation.open()
      expect(await end.findLoss()).toBeUndefined()
      installation.cuts = known
      expect(await end.findLoss()).toMatchObject({ witnesses: ['changes that partitions know'] })
    }
  })
})

test('a lost end beyond the mark of a store that was away was not noticed, and partitions ignored new changes', async () => {
  const { installation, log } = await withRevokedToken()
  installation.file.kept = undefined // as on Kafka
  const [account] = log.list(accounts)
  if (account === undefined) throw new Error('no account')
  installation.store.isAway = true
  const { nextOffset } = log
  await log.append([replace(accounts, account, { ...account.value, retentionDays: 5 })], author)
  installation.cuts = [...deployedConfiguration(CATALOGUE, log).cuts()].map(({ cut }) => cut)
  installation.store.isAway = false
  installation.file.kept = undefined
  expect(installation.store.kept?.next).toBe(nextOffset)
  installation.lose(1)
  const { end } = await installation.open()
  expect(await end.findLoss()).toMatchObject({
    from: nextOffset,
    to: nextOffset,
    witnesses: ['changes that partitions know'],
  })
})

describe('a process that is killed during a write', () => {
  class Killed extends Error {}

  /** Kills the process at an instant of its next write; the effects until then remain. */
  async function killedAt(instant: 'before the event is durable' | 'before the mark' | 'before the answer') {
    const installation = new Installation()
    let isArmed = false
    const { log } = await installation.start(topic => ({
      ...boundTo(topic),
      append: async (partition, record) => {
        if (isArmed && instant === 'before the event is durable') throw new Killed()
        return topic.append(partition, record)
      },
    }))
    const before = installation.records.length
    isArmed = true
    let wasMarked = false
    for (const place of [installation.file, installation.store])
      place.onWrite = () => {
        if (instant === 'before the mark') throw new Killed()
        wasMarked = true
      }
    const answer = log.append([create(accessTokens, 'id', token('a'))], author).then(
      () => 'answered',
      () => 'not answered',
    )
    const answered = await Promise.race([answer, settled().then(() => 'waits')])
    for (const place of [installation.file, installation.store]) place.onWrite = () => {}
    return { installation, answered, wasMarked, added: installation.records.length - before }
  }

  test.each([
    ['before the event is durable', 0, false],
    ['before the mark', 1, false],
    ['before the answer', 1, true],
  ] as const)('%s leaves an installation that starts', async (instant, added, wasMarked) => {
    const killed = await killedAt(instant)
    expect(killed).toMatchObject({ added, wasMarked })
    if (instant !== 'before the answer') expect(killed.answered).not.toBe('answered')
    const { installation } = killed
    const { log } = await installation.start()
    // The unmarked events are marked now.
    expect([installation.file.kept, installation.store.kept]).toEqual([log.endMark, log.endMark])
    expect(log.get(accessTokens, 'id') !== undefined).toBe(added === 1)
  })

  test('no mark is ever ahead of the durable records', async () => {
    const installation = new Installation()
    const { log } = await installation.start()
    const durable = () => BigInt(installation.records.length)
    const ahead: EndMark[] = []
    for (const place of [installation.file, installation.store])
      place.onWrite = mark => void (mark.next > durable() && ahead.push(mark))
    await Promise.all(
      Array.from({ length: 30 }, (_, number) =>
        log.append([create(accessTokens, `${number}`, token(`${number}`))], author),
      ),
    )
    expect(ahead).toEqual([])
    expect(installation.file.kept?.next).toBe(durable())
  })
})

test('simultaneous writes share a mark', async () => {
  const installation = new Installation()
  const { log } = await installation.start()
  const before = installation.file.writes
  await Promise.all(
    Array.from({ length: 30 }, (_, number) =>
      log.append([create(accessTokens, `${number}`, token(`${number}`))], author),
    ),
  )
  expect(installation.file.writes - before).toBeLessThan(10)
})

describe('an older store beside a newer configuration', () => {
  const restarted = async (ms: number) => {
    const installation = new Installation()
    const { log, end } = await installation.start()
    const older = installation.store.kept
    await log.append([create(accessTokens, 'id', token('a'))], author)
    const fromMs = clock.wallMs()
    clock.advance(ms)
    await log.append([create(accessTokens, 'id2', token('b'))], author)
    end.close()
    installation.store.kept = older
    const { end: next } = await installation.open()
    expect(await next.findLoss()).toBeUndefined()
    return { found: next.olderStore, fromMs }
  }

  test('went unnoticed: it is reported with the times of the changes that it lacks', async () => {
    const { found, fromMs } = await restarted(60_000)
    expect(found).toEqual({ fromMs, toMs: fromMs + 60_000 })
  })

  test('is not reported for what a kill may leave behind, nor for a store with the newest mark', async () => {
    expect((await restarted(59_999)).found).toBeUndefined()
    const installation = new Installation()
    await installation.start()
    const { end } = await installation.open()
    await end.findLoss()
    expect(end.olderStore).toBeUndefined()
  })
})

describe('an unavailable store', () => {
  test('delays no write, is reported, and gets its mark once it answers', async () => {
    const installation = new Installation()
    const { log, end } = await installation.start()
    installation.store.isAway = true
    await log.append([create(accessTokens, 'id', token('a'))], author)
    expect(installation.file.kept).toEqual(log.endMark)
    expect(installation.store.kept).not.toEqual(log.endMark)
    expect(end.trouble).toContain('The store does not have the latest end of the configuration yet')
    installation.store.isAway = false
    clock.advance(10_000)
    await settled()
    expect(installation.store.kept).toEqual(log.endMark)
    expect(end.trouble).toBeUndefined()
  })

  test('that answers after the start with a mark that cannot be read is reported, as at a start', async () => {
    const installation = new Installation()
    installation.store.isAway = true
    const { log, end } = await installation.open()
    expect(await end.findLoss()).toBeUndefined()
    await end.begin()
    await log.append([create(accessTokens, 'id', token('a'))], author)
    const damaged = new MarkUnreadableError('damaged')
    installation.store.read = () => Promise.reject(damaged)
    clock.advance(10_000)
    await settled()
    expect(installation.unreadableLater).toBe(damaged)
    expect(installation.store.writes).toBe(0)
    end.close()
  })

  test('gets the changes that arrive while it is being updated', async () => {
    const installation = new Installation()
    const { log } = await installation.start()
    installation.store.isAway = true
    await log.append([create(accessTokens, 'id', token('a'))], author)
    installation.store.isAway = false
    let more: Promise<void> | undefined
    installation.store.onWrite = () => {
      more ??= log.append([create(accessTokens, 'id2', token('b'))], author)
    }
    const { write } = installation.store
    installation.store.write = async mark => {
      await write.call(installation.store, mark)
      await more
    }
    clock.advance(10_000)
    await settled()
    expect(more).toBeDefined()
    expect(installation.store.kept).toEqual(log.endMark)
  })

  test('that hangs delays a writer by a second', async () => {
    const installation = new Installation()
    const { log } = await installation.start()
    const hanging = Promise.withResolvers<void>()
    installation.store.write = () => hanging.promise
    let isAnswered = false
    const answer = log.append([create(accessTokens, 'id', token('a'))], author).then(() => {
      isAnswered = true
    })
    await settled()
    expect(isAnswered).toBe(false)
    clock.advance(1_000)
    await answer
    // The next write does not wait at all.
    await log.append([create(accessTokens, 'id2', token('b'))], author)
    hanging.resolve()
  })

  test('at the start is compared with the log once it answers, and its mark is not overwritten before', async () => {
    const { installation } = await withRevokedToken()
    const { kept } = installation.store
    installation.lose(1)
    installation.file.kept = undefined
    installation.store.isAway = true
    const { log, end } = await installation.start()
    for (const id of ['x', 'y', 'z']) await log.append([create(accessTokens, id, token(id))], author)
    expect(end.trouble).toBeDefined()
    installation.store.isAway = false
    clock.advance(10_000)
    await settled()
    expect(installation.lostLater?.witnesses).toEqual(['the store'])
    expect(installation.store.kept).toEqual(kept)
  })
})

describe('an accepted loss', () => {
  async function accepted(installation: Installation) {
    const { log, end } = await installation.open()
    const lost = await end.findLoss()
    if (lost === undefined) throw new Error('nothing is lost')
    await acceptConfigurationLoss(log, lost, installation.cuts)
    await end.begin()
    await end.whenMarked()
    return { log, lost }
  }

  test('lets the next start continue, and its versions are beyond all lost ones', async () => {
    const { installation, log: before } = await withRevokedToken()
    for (const id of ['x', 'y', 'z']) await before.append([create(accessTokens, id, token(id))], author)
    const highest = before.highestVersion
    installation.lose(4)
    const { log: after, lost } = await accepted(installation)
    expect(after.nextOffset).toBeGreaterThan(lost.to)
    const { log } = await installation.start()
    await revoke(log, 'id')
    expect(log.get(accessTokens, 'id')?.version).toBeGreaterThan(highest)
    // A start from a snapshot reaches the same versions as a start from all events.
    for (let number = 0; number < 45; number++)
      await log.append([create(accessTokens, `n${number}`, token(`n${number}`))], author)
    const { log: other } = await installation.start()
    expect(other.endMark).toEqual(log.endMark)
    expect(other.get(accessTokens, 'n44')).toEqual(log.get(accessTokens, 'n44'))
  })

  test('stops an earlier program, by its record or by a snapshot', async () => {
    const { installation } = await withRevokedToken()
    installation.lose(1)
    const { log } = await accepted(installation)
    const record = installation.records.at(-1)
    expect(schemaIdOf(record?.value as Buffer)).toBe(configurationLossType.id)
    expect(() => configurationEventType.decode(record?.value as Buffer)).toThrow(
      'expected a ConfigurationEvent',
    )
    for (let number = 0; number < 45; number++)
      await log.append([create(accessTokens, `n${number}`, token(`n${number}`))], author)
    const ids = installation.records.map(({ value }) => schemaIdOf(value))
    expect(ids).toContain(1_000_000_006)
    expect(ids).not.toContain(8)
  })

  test('does not hide the next loss', async () => {
    const { installation } = await withRevokedToken()
    installation.lose(1)
    const { log } = await accepted(installation)
    await revoke(log, 'id')
    installation.lose(1)
    await expect(installation.start()).rejects.toThrow('refused')
    installation.lose(1)
    await expect(installation.start()).rejects.toThrow('refused')
  })

  test('that is present twice, because its answer was lost, counts once', async () => {
    const { installation } = await withRevokedToken()
    installation.lose(1)
    const { log } = await accepted(installation)
    const { value } = installation.records.at(-1) as { value: Buffer }
    const late = configurationLossType.encode({ ...configurationLossType.decode(value), id: 'another' })
    await log.append([create(accessTokens, 'x', token('x'))], author)
    await log.topic.append(0, { value: late, producer: null, priority: 'control' })
    await log.catchUp()
    expect(log.losses).toBe(1)
  })

  test('reverts lost changes that partitions have received', async () => {
    const installation = new Installation()
    const { log } = await installation.start()
    const [account] = log.list(accounts)
    if (account === undefined) throw new Error('no account')
    const { id } = account
    const document = { id: 'p', accountId: id, title: '', revision: 1, nodes: [] } as never
    const revision = (pipeline: string) => ({ account: id, pipeline, document, createdAtMs: 0 })
    await log.append(
      [
        create(revisions, 'r1', revision('known')),
        create(deployments, 'known', { account: id, number: 1, revisionId: 'r1' }),
      ],
      author,
    )
    const kept = installation.records.length
    // Everything after this point is lost.
    const known = log.get(deployments, 'known')
    if (known === undefined) throw new Error('no deployment')
    await log.append(
      [
        replace(deployments, known, { ...known.value, number: 2, revisionId: null }),
        create(revisions, 'r2', {
          ...revision('new'),
          document: { ...(document as object), id: 'new' } as never,
        }),
        create(deployments, 'new', { account: id, number: 1, revisionId: 'r2' }),
        replace(accounts, account, { ...account.value, retentionDays: 3 }),
        create(lineRules, id, { ...noLineRules(id), exclusions: [RULE] }),
        create(exemptions, 'known/n/k', {
          account: id,
          pipeline: 'known',
          node: 'n',
          key: 'k',
          untilMs: 5,
          lastMs: 5,
          reason: '',
          createdAtMs: 0,
        }),
      ],
      author,
    )
    installation.cuts = [...deployedConfiguration(CATALOGUE, log).cuts()].map(({ cut }) => cut)
    const knownCuts = new Map(installation.cuts.map(cut => [`${cut.kind} ${cut.entity}`, cut]))
    installation.lose(installation.records.length - kept)
    const { log: after } = await accepted(installation)
    const cuts = [...deployedConfiguration(CATALOGUE, after).cuts()].map(({ cut }) => cut)
    const payloads = Object.fromEntries(
      cuts.map(({ kind, entity, payload }) => [`${kind} ${entity}`, payload]),
    )
    for (const [key, { version }] of knownCuts)
      expect([key, cuts.find(({ kind, entity }) => `${kind} ${entity}` === key)?.version ?? 0]).toEqual([
        key,
        expect.toSatisfy((newer: number) => newer > version),
      ])
    expect(payloads).toMatchObject({
      'pipeline known': expect.stringContaining('"accountId"'),
      'pipeline new': '',
      [`account ${id}`]: expect.stringContaining('"retentionDays":30'),
      [`line-rules ${id}`]: expect.stringContaining('"exclusions":[]'),
      'exemption known/n/k': expect.stringContaining('"untilMs":0'),
    })
    await installation.start()
  })
})

test('a mark that was forged or changed does not count', () => {
  const seal = new Seal(KEY, seededEntropy(1))
  const mark = { logId: 'a-b', losses: 1, next: 12n, version: 13, digest: 'ab'.repeat(32) }
  const signed = signedMark(mark, seal)
  expect(readMark(signed, seal)).toEqual(mark)
  expect(readMark(signed.replace(' 12 ', ' 11 '), seal)).toBeUndefined()
  expect(readMark(signed, new Seal(Buffer.alloc(32, 8), seededEntropy(1)))).toBeUndefined()
  expect(readMark('', seal)).toBeUndefined()
})
