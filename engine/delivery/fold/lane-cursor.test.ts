import { describe, expect, test } from 'vitest'
import { controlType } from '../../../schemas/log/control.ts'
import type { Position } from '../../../schemas/log/position.ts'
import { type HandedLines, handedPart, LANE_RULES, outgoingValue } from '../../../test/support/outgoing.ts'
import { PassedPositions } from '../../fold/spread/passed-positions.ts'
import { LaneCursor, MAX_OPEN_BATCHES, MAX_OPEN_RUNS } from './lane-cursor.ts'
import { type OutboxRecord, outboxRecord } from './outbox-record.ts'

const LANE = { account: 'a', pipeline: 'p', node: 'out' }
const PARTITION = { topic: 'weir.outbox', partition: 0 }

/** A log with the records of a lane, and the cursor that reads them. */
class Reading {
  cursor = new LaneCursor(LANE, LANE_RULES, { nextOffset: 0n, timeMs: 0, passed: new PassedPositions() })
  offset = 0n
  row = 0

  /** Hands lines over in one record. */
  hand(appendTimeMs: number, ...parts: Omit<HandedLines, 'positions'>[]): OutboxRecord {
    const position = (): Position => ({ offset: 0n, row: this.row++ })
    const value = outgoingValue(
      parts.map(part => handedPart({ ...part, positions: part.lines.map(position) })),
    )
    return this.read(value, appendTimeMs)
  }

  tick(deadlineMs: number): void {
    this.read(controlType.encode({ behaviour: 1, body: { 'weir.Tick': { deadlineMs } } }), 0)
  }

  read(value: Buffer, appendTimeMs: number): OutboxRecord {
    const record = outboxRecord(PARTITION, { offset: this.offset++, appendTimeMs, value, producer: null })
    this.cursor.apply(record)
    return record
  }

  /** Takes the closed batches: their numbers of events, and the places of these. */
  taken(): (readonly [events: number, ...places: string[]])[] {
    const batches: [number, ...string[]][] = []
    while (this.cursor.batch !== undefined) {
      const { events, stretches } = this.cursor.takeBatch()
      batches.push([events, ...stretches.map(({ offset, row, count }) => `${offset}/${row}+${count}`)])
    }
    return batches
  }
}

test('a batch is closed by its number of events, also within a record', () => {
  const log = new Reading()
  log.hand(1_000, { lines: ['a', 'b'] })
  expect(log.taken()).toEqual([])
  log.hand(1_000, { lines: ['c', 'd', 'e', 'f', 'g'] })
  expect(log.taken()).toEqual([
    [3, '0/0+2', '1/0+1'],
    [3, '1/1+3'],
  ])
  expect(log.cursor.heldEvents).toBe(1)
})

test('a batch is closed before an event that does not fit, and a larger event is a batch of its own', () => {
  const log = new Reading()
  log.hand(1_000, { lines: ['aaa', 'bbb', 'cc', 'd'.repeat(50), 'e'], options: { maxBytes: 8 } })
  expect(log.taken()).toEqual([
    [2, '0/0+2'],
    [1, '0/2+1'],
    [1, '0/3+1'],
  ])
})

test('a batch is closed by its age before the events of the record that shows the time', () => {
  const log = new Reading()
  log.hand(1_000, { lines: ['a'] })
  expect(log.cursor.deadlineMs).toBe(2_000)
  log.hand(1_999, { lines: ['b'] })
  log.hand(2_000, { lines: ['c'] })
  expect(log.taken()).toEqual([[2, '0/0+1', '1/0+1']])
  log.tick(2_999)
  expect(log.taken()).toEqual([])
  log.tick(3_000)
  expect(log.taken()).toEqual([[1, '2/0+1']])
  expect(log.cursor.deadlineMs).toBe(Number.POSITIVE_INFINITY)
})

test('time does not step back with the clock of the log', () => {
  const log = new Reading()
  log.hand(5_000, { lines: ['a'] })
  log.hand(4_000, { lines: ['b'], options: { splits: true } })
  log.hand(5_999, { lines: ['c'] })
  expect(log.taken()).toEqual([])
})

test('events of other nodes, accounts and repeats are left out', () => {
  const log = new Reading()
  log.hand(1_000, { node: 'other', lines: ['x'] }, { lines: ['a', 'b'] })
  log.row = 1
  log.hand(1_000, { lines: ['a', 'b', 'c'] })
  expect(log.taken()).toEqual([[3, '0/1+2', '1/2+1']])
})

test('positions of other nodes count, too: the fold counts new events in this way', () => {
  const log = new Reading()
  log.row = 5
  log.hand(1_000, { node: 'other', lines: ['x'] })
  log.row = 4
  log.hand(1_000, { lines: ['a', 'b', 'c', 'd', 'e'] })
  expect(log.taken()).toEqual([[3, '1/2+3']])
})

describe('open batches', () => {
  test('are split by a text of their events, each with limits of its own', () => {
    const log = new Reading()
    log.hand(1_000, { lines: ['x 1', 'y 1', 'x 2', 'y 2', 'y 3'], options: { splits: true } })
    expect(log.taken()).toEqual([[3, '0/1+1', '0/3+2']])
    expect(log.cursor.heldEvents).toBe(2)
  })

  test('of a revision end where events of another begin', () => {
    const log = new Reading()
    log.hand(1_000, { lines: ['a'] }, { version: 2, lines: ['b'] }, { lines: ['c'] })
    expect(log.taken()).toEqual([
      [1, '0/0+1'],
      [1, '0/1+1'],
    ])
  })

  test('are at most so many: the oldest is closed', () => {
    const log = new Reading()
    const lines = Array.from({ length: MAX_OPEN_BATCHES + 1 }, (_, index) => `${index} a`)
    log.hand(1_000, { lines: lines.slice(0, -1), options: { splits: true } })
    expect(log.taken()).toEqual([])
    log.hand(1_000, { lines: lines.slice(-1), options: { splits: true } })
    expect(log.taken()).toEqual([[1, '0/0+1']])
  })

  test('have at most so many runs of rows: the oldest is closed', () => {
    const log = new Reading()
    const options = { splits: true, maxEvents: 1e6, maxBytes: 1e9 }
    log.hand(1_000, { lines: ['x 1', 'y 1'], options })
    const state = log.cursor.snapshot()
    const stretches = Array.from({ length: MAX_OPEN_RUNS - 1 }, (_, row) => ({
      offset: 0,
      row,
      count: 1,
    }))
    const open = state.open.map((batch, index) => (index === 0 ? { ...batch, stretches } : batch))
    log.cursor = LaneCursor.restored(LANE, LANE_RULES, { ...state, open })
    log.hand(1_000, { lines: ['y 2'], options })
    const [closed, ...others] = [log.cursor.takeBatch(), log.cursor.batch]
    expect([closed.split, closed.stretches.length, others]).toEqual(['x', MAX_OPEN_RUNS - 1, [undefined]])
  })
})

test('a restored cursor goes on: open batches, closed ones, time and positions are those of before', () => {
  const log = new Reading()
  log.hand(1_000, { lines: ['a', 'b', 'c', 'd'] })
  const restored = LaneCursor.restored(LANE, LANE_RULES, log.cursor.snapshot())
  log.row = 3
  const next = log.hand(900, { lines: ['d', 'e', 'f'] })
  restored.apply(next)
  expect(restored.snapshot()).toEqual(log.cursor.snapshot())
  expect(log.taken()).toEqual([
    [3, '0/0+3'],
    [3, '0/3+1', '1/1+2'],
  ])
})

test('a cursor needs the records of its batches', () => {
  const log = new Reading()
  log.tick(900)
  log.hand(1_000, { lines: ['a', 'b', 'c'] })
  log.hand(1_000, { lines: ['d'] })
  expect([log.cursor.neededFrom, log.cursor.nextOffset]).toEqual([1n, 3n])
  log.taken()
  expect(log.cursor.neededFrom).toBe(2n)
  log.tick(3_000)
  log.taken()
  expect(log.cursor.neededFrom).toBe(4n)
})
