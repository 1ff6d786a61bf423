import { describe, expect, test } from 'vitest'
import { manualClock } from '../../engine/clock/manual-clock.ts'
import { seededEntropy } from '../../engine/entropy/seeded-entropy.ts'
import type { LineBatchBuilder, RequestFacts } from '../../engine/lines/columns/line-batch-builder.ts'
import { LineBatchView } from '../../engine/lines/columns/line-batch-view.ts'
import { type Appended, LogError, MAX_RECORD_BYTES } from '../../engine/log/log.ts'
import { memoryLog } from '../../engine/log/memory-log.ts'
import { IngestWriter } from './ingest-writer.ts'

const FACTS: RequestFacts = {
  hostname: 'h',
  mac: '',
  ip: '',
  remoteAddress: '',
  tags: [],
  receivedAtMs: 1,
  driftMs: null,
  idempotency: null,
}

/** A producer whose appends end when the test allows it. */
async function heldWriter(maxWaitingBytes?: number) {
  const topic = await memoryLog({ clock: manualClock(), entropy: seededEntropy(1) }).topic('t', 4)
  const held: {
    value: Buffer
    partition: number
    resolve: (appended: Appended) => void
    reject: (error: Error) => void
  }[] = []
  const writer = new IngestWriter({
    topic,
    producer: {
      append: (partition, value) =>
        new Promise((resolve, reject) => held.push({ value, partition, resolve, reject })),
    },
    ...(maxWaitingBytes !== undefined && { maxWaitingBytes }),
  })
  const texts = (index: number) => {
    const view = LineBatchView.decode((held[index] as { value: Buffer }).value)
    return Array.from({ length: view.count }, (_, line) => view.lineText(line))
  }
  return { writer, held, texts, logId: topic.logId }
}

function lines(...texts: string[]) {
  return (batch: LineBatchBuilder) => {
    for (const text of texts)
      batch.add({
        line: Buffer.from(text),
        host: '',
        app: '',
        level: '',
        env: '',
        file: '',
        timestampMs: 1,
        timestampKind: 0,
        meta: '',
        rest: '',
      })
    return { facts: FACTS }
  }
}

const to = (account: string, entrance = 'ingest') => ({ account, entrance, partition: Number(account) })

const append = (writer: IngestWriter, account: string, ...texts: string[]) =>
  writer.append(to(account), texts.join('').length, lines(...texts))

const turn = () => new Promise<void>(resolve => setImmediate(resolve))

describe('group commit', () => {
  test('requests that arrive during an append share the next record, one after the other', async () => {
    const { writer, held, texts, logId } = await heldWriter()
    const first = append(writer, '1', 'a')
    const second = append(writer, '1', 'b', 'c')
    const third = append(writer, '1', 'd')
    expect(held).toHaveLength(1)
    held[0]?.resolve({ offset: 7n, appendTimeMs: 1 })
    expect((await first).batchId).toBe(`${logId.slice(0, 8)}:1:7:0`)
    await turn()
    expect(held).toHaveLength(2)
    expect([texts(0), texts(1)]).toEqual([['a'], ['b', 'c', 'd']])
    held[1]?.resolve({ offset: 9n, appendTimeMs: 1 })
    expect((await second).batchId).toBe(`${logId.slice(0, 8)}:1:9:0`)
    expect((await third).batchId).toBe(`${logId.slice(0, 8)}:1:9:1`)
    expect(writer.waitingBytes).toBe(0)
  })

  test('no request is answered before the append has ended', async () => {
    const { writer, held } = await heldWriter()
    let isAnswered = false
    const answered = append(writer, '1', 'a').then(() => {
      isAnswered = true
    })
    await turn()
    expect(isAnswered).toBe(false)
    held[0]?.resolve({ offset: 0n, appendTimeMs: 1 })
    await answered
  })

  test('accounts and routes do not share records', async () => {
    const { writer, held } = await heldWriter()
    void append(writer, '1', 'a')
    void append(writer, '2', 'b')
    void writer.append(to('1', 'gateway'), 1, lines('c'))
    expect(held.map(({ partition }) => partition)).toEqual([1, 2, 1])
  })

  test('a full record is sent although another append is running, and a request is never split', async () => {
    const { writer, held, texts } = await heldWriter()
    const large = 'x'.repeat(400_000)
    for (const name of ['a', 'b', 'c', 'd', 'e']) void append(writer, '1', name + large)
    expect(
      held.map((_, index) =>
        texts(index)
          .map(text => text[0])
          .join(''),
      ),
    ).toEqual(['a', 'bc'])
    held[0]?.resolve({ offset: 0n, appendTimeMs: 1 })
    held[1]?.resolve({ offset: 1n, appendTimeMs: 1 })
    await turn()
    expect(texts(2).map(text => text[0])).toEqual(['d', 'e'])
    for (const { value } of held) expect(value.length).toBeLessThan(1_000_000)
  })

  test('very many short lines are no single record, however few bytes they have', async () => {
    const { writer, held, texts } = await heldWriter()
    const short = Array.from({ length: 6_000 }, () => 'x')
    for (let request = 0; request < 4; request++) void append(writer, '1', ...short)
    expect(held.map((_, index) => texts(index).length)).toEqual([6_000, 12_000])
  })

  test('a request that fails while it is filled in does not affect others in its record', async () => {
    const { writer, held, texts } = await heldWriter()
    void append(writer, '1', 'a')
    void append(writer, '1', 'b')
    const failing = () =>
      writer.append(to('1'), 1, batch => {
        lines('bad')(batch)
        throw new Error('no')
      })
    expect(failing).toThrow('no')
    void append(writer, '1', 'c')
    held[0]?.resolve({ offset: 0n, appendTimeMs: 1 })
    await turn()
    expect(texts(1)).toEqual(['b', 'c'])
  })

  test('a request without lines is answered at once', async () => {
    const { writer, held } = await heldWriter()
    expect(await append(writer, '1')).toMatchObject({ lines: 0, batchId: '' })
    expect(held).toEqual([])
    await writer.idle()
  })
})

describe('bounds', () => {
  test('a request that is too large for a record is refused alone, and those before and after are stored', async () => {
    const { writer, held, texts } = await heldWriter()
    const huge = 'x'.repeat(MAX_RECORD_BYTES)
    void append(writer, '1', 'a')
    void append(writer, '1', 'b')
    expect(() => writer.append(to('1'), 10, lines(huge))).toThrow('Request Entity Too Large')
    void append(writer, '1', 'c')
    held[0]?.resolve({ offset: 0n, appendTimeMs: 1 })
    held[1]?.resolve({ offset: 1n, appendTimeMs: 1 })
    await turn()
    expect(held.flatMap((_, index) => texts(index))).toEqual(['a', 'b', 'c'])
    expect(() => append(writer, '2', huge)).toThrow('Request Entity Too Large')
  })

  test('more lines than a record has rows for are refused', async () => {
    const { writer } = await heldWriter()
    const rows = (count: number) => () =>
      writer.append(to('1'), 1, batch => {
        for (let row = 0; row < count; row++) {
          batch.lines.appendEmpty()
          batch.meta.appendEmpty()
          batch.rest.appendEmpty()
          batch.finishLine(0, 0, 0, 0, 0, 0, 0)
        }
        return { facts: FACTS }
      })
    expect(rows(2 ** 20 + 1)).toThrow('Request Entity Too Large')
    expect(rows(400_000)).not.toThrow()
  })

  test('beyond the limit of waiting bytes, requests are refused with 503 until some are durable', async () => {
    const { writer, held } = await heldWriter(1000)
    const first = append(writer, '1', 'x'.repeat(2000))
    expect(() => append(writer, '2', 'b')).toThrow(expect.objectContaining({ status: 503 }))
    held[0]?.resolve({ offset: 0n, appendTimeMs: 1 })
    await first
    await turn()
    expect(() => void append(writer, '2', 'b')).not.toThrow()
  })
})

describe('a failure', () => {
  test.each([
    ['LOG_FULL', 503],
    ['LOG_UNAVAILABLE', 503],
    ['LOG_CLOSED', 503],
    ['LOG_RECORD_TOO_LARGE', 413],
  ] as const)(
    '%s answers every request of the record with %i, and the next record is tried',
    async (code, status) => {
      const { writer, held } = await heldWriter()
      void append(writer, '1', 'a')
      const sharing = [append(writer, '1', 'b'), append(writer, '1', 'c')]
      held[0]?.resolve({ offset: 0n, appendTimeMs: 1 })
      await turn()
      held[1]?.reject(new LogError(code, 'no'))
      for (const request of sharing) await expect(request).rejects.toMatchObject({ status })
      expect(writer.waitingBytes).toBe(0)
      const next = append(writer, '1', 'd')
      held[2]?.resolve({ offset: 5n, appendTimeMs: 1 })
      expect((await next).batchId).toMatch(/:5:0$/)
    },
  )

  test('idle waits for all requests that are under way', async () => {
    const { writer, held } = await heldWriter()
    void append(writer, '1', 'a')
    void append(writer, '1', 'b')
    let isIdle = false
    const idle = writer.idle().then(() => {
      isIdle = true
    })
    held[0]?.resolve({ offset: 0n, appendTimeMs: 1 })
    await turn()
    expect(isIdle).toBe(false)
    held[1]?.resolve({ offset: 1n, appendTimeMs: 1 })
    await idle
  })
})
