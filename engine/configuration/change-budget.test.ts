import { describe, expect, test } from 'vitest'
import { manualClock } from '../clock/manual-clock.ts'
import { seededEntropy } from '../entropy/seeded-entropy.ts'
import { memoryLog } from '../log/memory-log.ts'
import { silentLogger } from '../logger.ts'
import { HOUR_MS } from '../times/duration.ts'
import { DEFAULT_PLAN } from './bootstrap.ts'
import { type Author, type Change, ConfigurationLog } from './configuration-log.ts'
import { type Account, accounts, type Deployment, deployments, type Revision, revisions } from './entities.ts'
import type { AnyKind } from './kind.ts'
import { type Board, boards } from './kinds/boards.ts'
import { quotaLedgerOn } from './kinds/quota-ledger.ts'
import { quotaStates, quotas } from './kinds/quotas.ts'
import { spreadReportsOn } from './kinds/spread.ts'

const BYTES_PER_HOUR = 10_000
/** Eight hours. */
const AT_ONCE = 80_000

async function opened(maxBytes?: number) {
  const clock = manualClock()
  const entropy = seededEntropy(1)
  const log = memoryLog({ clock, entropy, ...(maxBytes !== undefined && { maxBytes }) })
  const topic = await log.topic('weir.config', 1)
  const open = async () => {
    const configuration = await ConfigurationLog.open({
      topic,
      clock,
      entropy,
      secretKey: Buffer.alloc(32, 1),
      logger: silentLogger,
      changeBytesPerHour: BYTES_PER_HOUR,
    })
    const write = (changes: Change[], account = 'a', author: Partial<Author> = {}) =>
      configuration.append(changes, { subjectId: 'test', account, ...author })
    return { configuration, write }
  }
  return { clock, topic, open, ...(await open()) }
}

const put = (kind: AnyKind, id: string, value: unknown): Change => ({ kind, id, expectedVersion: -1, value })
const board = (characters: number): Board => ({
  account: 'a',
  title: 'x'.repeat(characters),
  graphs: [],
  order: [],
  categories: [],
  createdAtMs: 0,
})
const pause: Deployment = { account: 'a', number: 1, revisionId: null, paused: true }
const LIMIT = { limit: 1, discard: true, rules: [] }
const QUOTA = { account: 'a', daily: LIMIT, monthly: LIMIT }
const EXHAUSTED = { name: 'BudgetExhausted', retryAfterS: expect.any(Number) }

/** @returns the number of writes until one is refused */
async function untilRefused(
  write: (changes: Change[]) => Promise<void>,
  changes: (attempt: number) => Change[] = () => [],
): Promise<number> {
  for (let attempt = 0; attempt < 1_000; attempt++)
    try {
      await write(changes(attempt))
    } catch (error) {
      expect(error).toMatchObject(EXHAUSTED)
      return attempt
    }
  throw new Error('nothing was refused')
}

/** Too long for an act, and short enough for an essential change. */
const LONG_QUOTA = { ...QUOTA, note: 'x'.repeat(8_000) }

describe('the budget of an account for changes', () => {
  test('refuses values at its end, also those that get a little shorter, and after as much again also essential ones', async () => {
    const { topic, write } = await opened()
    const longer = await untilRefused(write, () => [put(boards, 'b', board(10_000))])
    expect(longer).toBe(Math.floor(AT_ONCE / 10_250))
    expect(await untilRefused(write, attempt => [put(boards, 'b', board(9_999 - attempt))])).toBe(0)
    await write([put(boards, 'b', board(4_000))])
    const essential = await untilRefused(write, () => [put(quotas, 'a', LONG_QUOTA)])
    expect(essential).toBeGreaterThan(5)
    expect((await topic.bounds(0)).next).toBe(BigInt(longer + 1 + essential))
  })

  test('leaves pauses and quotas possible at its end, and removals always', async () => {
    const { write } = await opened()
    await untilRefused(write, () => [put(boards, 'b', board(10_000))])
    await write([put(deployments, 'p', pause)])
    await write([put(quotas, 'a', QUOTA)])
    await untilRefused(write, () => [put(quotas, 'a', LONG_QUOTA)])
    await write([put(deployments, 'p', pause)])
    await write([put(boards, 'c', undefined), put(deployments, 'p', pause)])
    // A pipeline is deleted beside shared objects that are written unchanged.
    await write([put(boards, 'c', undefined), put(boards, 'b', board(10_000))])
    const shorter = [put(boards, 'c', undefined), put(boards, 'b', board(9_000))]
    await expect(write(shorter)).rejects.toMatchObject(EXHAUSTED)
    await write([put(boards, 'b', undefined)])
    // A removal beside a long text is not a free write of that text.
    await expect(write([put(boards, 'b', undefined), put(boards, 'd', board(10_000))])).rejects.toMatchObject(
      EXHAUSTED,
    )
    await expect(
      write([put(revisions, 'r', undefined), put(revisions, 's', { account: 'a' } as Revision)]),
    ).rejects.toMatchObject(EXHAUSTED)
  })

  test('does not refuse what an engine decides', async () => {
    const { configuration, write } = await opened()
    await write([put(quotas, 'a', QUOTA)])
    await untilRefused(write, () => [put(boards, 'b', board(10_000))])
    await untilRefused(write, () => [put(quotas, 'b', LONG_QUOTA)])
    await quotaLedgerOn(configuration).quotaOf('a')?.decide([])
    expect(configuration.count(quotaStates, 'a')).toBe(1)
    await spreadReportsOn(configuration).report('a', 0, 1, 0)
    expect(spreadReportsOn(configuration).reported('a', 0)).toBe(1)
  })

  test('is saved up again, for eight hours at most, and other accounts have their own', async () => {
    const { clock, write } = await opened()
    const change = [put(boards, 'b', board(10_000))]
    const atOnce = await untilRefused(write, () => change)
    const error = await write(change).catch(each => each)
    clock.advance(error.retryAfterS * 1_000 - 1_000)
    await expect(write(change)).rejects.toMatchObject({ retryAfterS: 1 })
    clock.advance(1_000)
    await write(change)
    await write(change, 'b')
    clock.advance(100 * HOUR_MS)
    expect(await untilRefused(write, () => change)).toBe(atOnce)
  })

  test('is not used by writes that a full log or the configuration refuses', async () => {
    const { write } = await opened(60_000)
    await write([put(boards, 'b', board(10_000))])
    for (let attempt = 0; attempt < 20; attempt++) {
      await expect(write([put(boards, 'b', board(10_000))])).rejects.toMatchObject({ code: 'LOG_FULL' })
      const conflict = { ...put(boards, 'b', board(10_000)), expectedVersion: 7 }
      await expect(write([conflict])).rejects.toMatchObject({ code: 'CHANGED_MEANWHILE' })
    }
  })
})

const ENTERPRISE = 'e'
const NEW_ACCOUNT_BYTES = 65_536
const accountOf = (id: string, enterprise: string | null, status: Account['status'] = 'active'): Account => ({
  id,
  enterprise,
  company: '',
  ownerEmail: '',
  plan: DEFAULT_PLAN,
  status,
  retentionDays: 30,
  externalId: null,
  ingestionSuspended: false,
  createdAtMs: 0,
})

describe('the budget that the accounts of an enterprise share', () => {
  /** Accounts that existed before the process started. */
  async function withAccounts(...ids: string[]) {
    const { write, open, ...opening } = await opened()
    await write(
      ids.map(id => put(accounts, id, accountOf(id, ENTERPRISE))),
      '',
      { isProgram: true },
    )
    return { ...opening, ...(await open()) }
  }
  const IDS = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
  const change = [put(boards, 'b', board(10_000))]

  test('refuses an account with a whole budget of its own, and no account of another enterprise', async () => {
    const { write } = await withAccounts(...IDS)
    const counts: number[] = []
    for (const id of IDS) counts.push(await untilRefused(() => write(change, id)))
    // Each share pays one change, and the common part fifteen.
    expect(counts).toEqual([7, 7, 4, 1, 1, 1, 1])
    await expect(write(change, 'g')).rejects.toThrow(
      /^The accounts of the enterprise together have changed their configuration too much: 40000 bytes an hour are possible, and 320000 at once/,
    )
    await write(change, 'lone')
  })

  test('lets each of three busy accounts write as much as an account alone', async () => {
    const { write } = await withAccounts('a', 'b', 'c')
    const small = [put(boards, 'b', board(1_000))]
    const alone = await untilRefused(() => write(small, 'lone'))
    for (const id of ['a', 'b', 'c']) expect(await untilRefused(() => write(small, id))).toBe(alone)
  })

  test('keeps the ordinary changes of an account possible, however much its siblings write for days', async () => {
    const { write, clock } = await withAccounts(...IDS)
    const small = [put(boards, 'b', board(1_000))]
    const busy = ['a', 'b', 'c', 'd']
    for (let hour = 0; hour < 48; hour++) {
      for (const id of busy) await untilRefused(() => write(small, id))
      await write(small, 'g')
      clock.advance(HOUR_MS)
    }
    for (const id of busy) await untilRefused(() => write(small, id))
    const saved = await untilRefused(() => write(small, 'g'))
    expect(saved).toBeGreaterThan(10)
    clock.advance(HOUR_MS)
    for (const id of busy) await untilRefused(() => write(small, id))
    expect(await untilRefused(() => write(small, 'g'))).toBe(2)
  })

  test('gets no larger by new accounts that each use all of their shares', async () => {
    const { write } = await withAccounts(...IDS)
    const small = [put(boards, 'b', board(1_000))]
    let writes = 0
    const useUp = async (id: string) => {
      writes += await untilRefused(() => write(small, id))
    }
    for (const id of IDS) await useUp(id)
    const before = writes
    for (let number = 0; number < 100; number++) {
      const account = put(accounts, `n${number}`, accountOf(`n${number}`, ENTERPRISE))
      await write([account], '', { isProgram: true })
      await useUp(`n${number}`)
      for (const id of IDS) await useUp(id)
    }
    const perNewAccount = ((writes - before) * 1_250) / 100
    expect(perNewAccount).toBeLessThan(NEW_ACCOUNT_BYTES)
  })

  test('of an account that an enterprise has detached is its own again', async () => {
    const { write } = await withAccounts(...IDS)
    for (const id of IDS.slice(0, 6)) await untilRefused(() => write(change, id))
    await write([put(accounts, 'g', accountOf('g', null))], '', { isProgram: true })
    expect(await untilRefused(() => write(change, 'g'))).toBe(7)
  })

  test('leaves removals, pauses, suspensions and quotas possible at its end', async () => {
    const { write } = await withAccounts(...IDS)
    for (const id of IDS) await untilRefused(() => write(change, id))
    await write([put(boards, 'b', undefined)], 'g')
    await write([put(deployments, 'p', pause)], 'g')
    await write([put(quotas, 'a', QUOTA)], 'g')
    await write([put(accounts, 'g', accountOf('g', ENTERPRISE, 'deactivated'))], 'g')
  })

  test('is used by each new account, and refuses it at its end', async () => {
    const { write, clock } = await withAccounts()
    let number = 0
    const createOne = () =>
      write([put(accounts, `n${number}`, accountOf(`n${number}`, ENTERPRISE))], `n${number++}`, {
        enterprise: ENTERPRISE,
      })
    const atOnce = await untilRefused(createOne)
    // The share of the enterprise pays for two of them before it gets too small, and the common part for two.
    expect(atOnce).toBe(4)
    clock.advance(2 * HOUR_MS)
    await createOne()
  })

  test('is used by a detached account as by all that it may write at once', async () => {
    const { write } = await withAccounts(...IDS)
    const left: string[] = []
    for (const id of IDS) {
      await write([put(accounts, id, accountOf(id, null))], id, { enterprise: ENTERPRISE }).catch(error => {
        expect(error).toMatchObject(EXHAUSTED)
        left.push(id)
      })
    }
    expect(left).toEqual(['b', 'c', 'd', 'e', 'f', 'g'])
  })

  test('counts what the enterprise changes in itself', async () => {
    const { write } = await withAccounts('a')
    const ofEnterprise = () => write(change, '', { enterprise: ENTERPRISE })
    // It has a share like its account, which keeps its own.
    expect(await untilRefused(ofEnterprise)).toBe(15 + 7)
    expect(await untilRefused(() => write(change, 'a'))).toBe(7)
  })
})

test('short changes of a large configuration, which all of it was written again for, wait for as many bytes', async () => {
  const clock = manualClock()
  const entropy = seededEntropy(1)
  const topic = await memoryLog({ clock, entropy }).topic('weir.config', 1)
  const configuration = await ConfigurationLog.open({
    topic,
    clock,
    entropy,
    secretKey: Buffer.alloc(32, 1),
    logger: silentLogger,
    snapshotEveryEvents: 4,
  })
  const write = (id: string, characters: number) =>
    configuration.append([put(boards, id, board(characters))], { subjectId: 'test', account: 'a' })
  const records = async () => Number((await topic.bounds(0)).next)
  for (const id of ['1', '2', '3', '4', '5']) await write(id, 1_000_000)
  const snapshot = (await records()) - 5
  expect(snapshot).toBeGreaterThan(3)
  for (let change = 0; change < 20; change++) await write('6', 10)
  expect(await records()).toBe(5 + snapshot + 20)
  for (const id of ['1', '2', '3', '4', '5']) await write(id, 1_000_000)
  expect(await records()).toBeGreaterThan(5 + snapshot + 20 + 5)
})
