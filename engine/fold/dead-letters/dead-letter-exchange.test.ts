import { beforeEach, describe, expect, test } from 'vitest'
import { deadLettersType } from '../../../schemas/log/dead-letters.ts'
import { INGEST_TOPIC } from '../../../schemas/log/topics.ts'
import type { NodeDocument } from '../../../schemas/pipeline.ts'
import { lineBatchValue, SAMPLE_ACCOUNT, type SampleLine } from '../../../test/support/line-batches.ts'
import { node, SOURCE } from '../../../test/support/world.ts'
import { CATALOGUE } from '../../nodes/catalogue.ts'
import { DAY_MS } from '../../times/duration.ts'
import { encodeControl } from '../control-record.ts'
import type { Flush } from '../flush.ts'
import { FoldError } from '../fold-error.ts'
import { PartitionFold } from '../partition-fold.ts'
import { type DeadLetter, deadLetterValues, lettersIn } from './dead-letter.ts'

const IDENTITY = { topic: INGEST_TOPIC, partition: 0, partitions: 1, logId: 'log' }
const START_MS = Date.UTC(2031, 2, 9, 8)
const BROKEN = node('sink', 'store', 'mezmo', ['source'], { query: { hostname: '{{ .app }}' } })
const MENDED = node('sink', 'store', 'mezmo', ['source'])

/** A fold with its sent and stored parts. */
class Partition {
  fold = new PartitionFold(CATALOGUE, IDENTITY)
  timeMs = START_MS
  readonly #sent: Buffer[] = []
  stored = 0
  #offset = 0n
  #version = 0

  append(value: Buffer): void {
    const record = { offset: this.#offset++, appendTimeMs: this.timeMs, producer: null, value }
    this.#note(this.fold.apply(record))
    for (const { topic, partition, value } of this.fold.mail.take().flat()) {
      expect([topic, partition]).toEqual(['deadLetters', 0])
      this.#sent.push(value)
    }
  }

  lines(...lines: SampleLine[]): void {
    this.append(lineBatchValue([{ lines }]))
  }

  publish(nodes: readonly NodeDocument[]): void {
    const version = ++this.#version
    const document = { id: 'p', accountId: SAMPLE_ACCOUNT, title: 'p', revision: version, nodes }
    const payload = JSON.stringify(document)
    this.append(encodeControl(CATALOGUE, { 'weir.Cut': { kind: 'pipeline', entity: 'p', version, payload } }))
  }

  ask(isEnabled: boolean): void {
    const payload = JSON.stringify({ accountId: SAMPLE_ACCOUNT, isEnabled })
    const cut = { kind: 'dead-letter' as const, entity: 'p', version: ++this.#version, payload }
    this.append(encodeControl(CATALOGUE, { 'weir.Cut': cut }))
  }

  replay(letters: readonly DeadLetter[]): void {
    for (const value of deadLetterValues(SAMPLE_ACCOUNT, letters)) this.append(value)
  }

  /** Continues from its checkpoint, as after a restart. */
  restart(): void {
    this.timeMs += 1_000
    this.append(encodeControl(CATALOGUE, { 'weir.Tick': { deadlineMs: this.timeMs } }))
    this.fold = PartitionFold.restored(CATALOGUE, IDENTITY, this.fold.checkpointAtRest().checkpoint as Buffer)
  }

  storedLines(): number {
    this.restart()
    return this.stored
  }

  #note(flushes: readonly Flush[]): void {
    for (const { table, rows } of flushes.flatMap(({ tables }) => tables))
      if (table === 'lines') this.stored += rows
  }

  #parts() {
    return this.#sent.flatMap(value => deadLettersType.decode(value).parts)
  }

  get letters(): DeadLetter[] {
    return this.#parts().flatMap(part =>
      'weir.FailedEvents' in part ? lettersIn(part['weir.FailedEvents']) : [],
    )
  }

  get replayed() {
    return this.#parts().flatMap(part => ('weir.ReplayedEvents' in part ? [part['weir.ReplayedEvents']] : []))
  }
}

let partition: Partition

beforeEach(() => {
  partition = new Partition()
  partition.publish([SOURCE, BROKEN])
})

describe('an event that fails', () => {
  test('is a letter with the event and the reason of the failure, and is not stored', () => {
    partition.ask(true)
    partition.lines({ line: 'fine', app: 'web' }, { line: 'broken', level: 'info' }, { line: 'too' })
    expect(partition.letters).toMatchObject([
      { topic: INGEST_TOPIC, partition: 0, offset: 2, row: 2, pipeline: 'p', version: 1, node: 'store' },
      { topic: INGEST_TOPIC, partition: 0, offset: 2, row: 4, pipeline: 'p', version: 1, node: 'store' },
    ])
    const [{ event, ...why } = {} as DeadLetter] = partition.letters
    expect(event.message).toEqual({ line: 'broken', level: 'info', host: 'web-1' })
    expect(why).toMatchObject({ code: 'E_NOT_FOUND', field: '.app', failedAtMs: START_MS })
    expect(partition.storedLines()).toBe(1)
  })

  test('is not a letter unless its pipeline keeps dead letters at that moment', () => {
    partition.lines({ line: 'broken' })
    partition.ask(true)
    partition.ask(false)
    partition.restart()
    partition.lines({ line: 'broken' })
    expect(partition.letters).toEqual([])
  })

  test('keeps the changes of earlier nodes', () => {
    const drop = node('transform', 'drop', 'drop-fields', ['source'], { fields: ['.level'] })
    partition.publish([SOURCE, drop, { ...BROKEN, inputs: ['drop'] }])
    partition.ask(true)
    partition.lines({ line: 'broken', level: 'info' })
    expect(partition.letters[0]?.event.message).toEqual({ line: 'broken', host: 'web-1' })
  })
})

describe('a letter', () => {
  beforeEach(() => {
    partition.ask(true)
    partition.lines({ line: 'broken' }, { line: 'too' })
  })

  test('goes through the present revision once, on its own, even after a restart', () => {
    partition.publish([SOURCE, MENDED])
    const [first, second] = partition.letters as [DeadLetter, DeadLetter]
    partition.replay([second])
    partition.replay([second])
    partition.restart()
    partition.replay([first, second])
    expect(partition.storedLines()).toBe(2)
    expect(partition.replayed.map(({ positions }) => positions)).toEqual([
      [{ offset: second.offset, row: second.row }],
      [{ offset: first.offset, row: first.row }],
    ])
    expect(partition.replayed[0]).toMatchObject({ topic: INGEST_TOPIC, partition: 0, version: 3 })
  })

  test('that fails again is a new letter', () => {
    const [first, second] = partition.letters as [DeadLetter, DeadLetter]
    partition.replay([first])
    const [, , third, ...others] = partition.letters
    expect(others).toEqual([])
    expect(third?.event.message).toEqual(first.event.message)
    expect(third?.offset).toBeGreaterThan(second.offset)
    expect(partition.storedLines()).toBe(0)
  })

  test('stays a letter while the present revision lacks its node', () => {
    partition.publish([SOURCE, { ...MENDED, id: 'another' }])
    partition.replay(partition.letters)
    expect(partition.replayed).toEqual([])
    partition.publish([SOURCE, MENDED])
    partition.replay(partition.letters)
    expect(partition.storedLines()).toBe(2)
  })

  test('is refused if it is so old that its replay is unknown', () => {
    partition.publish([SOURCE, MENDED])
    const letters = partition.letters
    partition.timeMs = START_MS + 31 * DAY_MS
    partition.replay(letters.slice(0, 1))
    partition.timeMs++
    partition.replay(letters)
    expect(partition.replayed).toHaveLength(1)
  })

  test('is replayed even if its pipeline no longer keeps letters', () => {
    partition.publish([SOURCE, MENDED])
    partition.ask(false)
    partition.replay(partition.letters)
    expect(partition.storedLines()).toBe(2)
  })
})

test('a program that does not know dead letters stops at records about them', () => {
  const newer = deadLettersType.encode({ behaviour: 99, account: SAMPLE_ACCOUNT, parts: [] })
  expect(() => partition.append(newer)).toThrow(FoldError)
})
