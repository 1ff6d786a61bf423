import { describe, expect, test } from 'vitest'
import { manualClock } from '../clock/manual-clock.ts'
import { seededEntropy } from '../entropy/seeded-entropy.ts'
import { memoryLog } from '../log/memory-log.ts'
import { silentLogger } from '../logger.ts'
import { ConfigurationLog, create, remove, replace } from './configuration-log.ts'
import { drafts } from './entities.ts'
import { type Board, boards } from './kinds/boards.ts'

const AUTHOR = { subjectId: 'test', account: 'a' }

async function opened() {
  const clock = manualClock()
  const entropy = seededEntropy(1)
  const topic = await memoryLog({ clock, entropy }).topic('weir.config', 1)
  const open = (accountCharacters?: number) =>
    ConfigurationLog.open({
      topic,
      clock,
      entropy,
      secretKey: Buffer.alloc(32, 1),
      logger: silentLogger,
      accountCharacters,
    })
  return { open, configuration: await open(10_000) }
}

function board(title: string, account = 'a'): Board {
  return { account, title, graphs: [], order: [], categories: [], createdAtMs: 0 }
}

const large = (account?: string) => board('x'.repeat(4_000), account)
const TOO_LARGE = { code: 'SIZE_LIMIT' }

describe('the objects of an account', () => {
  test('have a limit together, and another account has its own', async () => {
    const { configuration } = await opened()
    for (const id of ['1', '2']) await configuration.append([create(boards, id, large())], AUTHOR)
    await expect(configuration.append([create(boards, '3', large())], AUTHOR)).rejects.toMatchObject(
      TOO_LARGE,
    )
    await configuration.append([create(boards, '3', board('small'))], AUTHOR)
    await configuration.append([create(boards, '4', large('b'))], AUTHOR)
    expect(configuration.count(boards, 'a')).toBe(3)
  })

  test('cannot exceed it by writes at the same time', async () => {
    const { configuration } = await opened()
    const writes = ['1', '2', '3', '4'].map(id => configuration.append([create(boards, id, large())], AUTHOR))
    const done = await Promise.allSettled(writes)
    expect(done.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'rejected'])
  })

  test('give their room back when they are removed or shortened, and when a write fails', async () => {
    const { configuration } = await opened()
    for (const id of ['1', '2']) await configuration.append([create(boards, id, large())], AUTHOR)
    await expect(configuration.append([create(boards, '2', board(''))], AUTHOR)).rejects.toMatchObject({
      code: 'CHANGED_MEANWHILE',
    })
    const entity = (id: string) => configuration.get(boards, id) as NonNullable<ReturnType<typeof find>>
    const find = (id: string) => configuration.get(boards, id)
    await configuration.append([remove(boards, entity('1'))], AUTHOR)
    await configuration.append([create(boards, '3', large())], AUTHOR)
    await configuration.append([replace(boards, entity('2'), board('short'))], AUTHOR)
    await configuration.append([create(boards, '4', large())], AUTHOR)
    await expect(configuration.append([create(boards, '5', large())], AUTHOR)).rejects.toMatchObject(
      TOO_LARGE,
    )
  })

  test('that exceed a lower limit than before stay, can become smaller, and cannot grow', async () => {
    const { configuration, open } = await opened()
    for (const id of ['1', '2']) await configuration.append([create(boards, id, large())], AUTHOR)
    const other = await open(5_000)
    expect(other.count(boards, 'a')).toBe(2)
    const first = other.get(boards, '1')
    if (first === undefined) throw new Error('the board is gone')
    await expect(
      other.append([replace(boards, first, board('x'.repeat(4_001)))], AUTHOR),
    ).rejects.toMatchObject(TOO_LARGE)
    await other.append([replace(boards, first, board('x'.repeat(3_999)))], AUTHOR)
    expect(other.get(boards, '1')?.value.title).toHaveLength(3_999)
  })

  test('one draft has at most four million characters as it is stored, as every change writes all of it', async () => {
    const { open } = await opened()
    const configuration = await open()
    const draft = (characters: number) => ({
      account: 'a',
      nodes: [{ description: 'x'.repeat(characters) }] as never,
      updatedAtMs: null,
    })
    await configuration.append([create(drafts, 'd', draft(3_000_000))], AUTHOR)
    await expect(configuration.append([create(drafts, 'e', draft(3_200_000))], AUTHOR)).rejects.toMatchObject(
      TOO_LARGE,
    )
  })
})
