import { expect, test } from 'vitest'
import { manualClock } from '../../clock/manual-clock.ts'
import type { Lane } from '../../delivery/fold/lane.ts'
import type { LogSpace } from '../../log/log.ts'
import { boundedSpace, lanesBeyondShare, WaitingRoom } from './waiting-room.ts'

const FULL: LogSpace = {
  usedBytes: 1_000,
  limitBytes: 1_000,
  reservedBytes: 200,
  takesIngest: false,
  takesControl: true,
}
const RECORD_BYTES = 10
const NEXT_OFFSET = 1_000n

/** A lane of an account with one waiting event, and this many bytes on the log from there on. */
function lane(account: string, bytes: number): Lane {
  const neededFrom = NEXT_OFFSET - BigInt(bytes / RECORD_BYTES)
  return { account, batch: { bytes: 1, events: 1 }, waiting: 1, cursor: { neededFrom } } as Lane
}

function partition(...lanes: Lane[]) {
  return { fold: { lanes }, bytesFrom: (offset: bigint) => Number(NEXT_OFFSET - offset) * RECORD_BYTES }
}

test('a lane pins everything from its oldest waiting event on, however few events it has', () => {
  const [one, level] = [lane('a', 110), lane('b', 100)]
  expect([...lanesBeyondShare(FULL, [partition(one, level)])]).toEqual([one])
})

test('the share of an account is that of all partitions, and its lanes near the end of the log are none of it', () => {
  const lanes = [lane('a', 60), lane('a', 60), lane('a', 20), lane('b', 60)]
  expect([
    ...lanesBeyondShare(
      FULL,
      lanes.map(each => partition(each)),
    ),
  ]).toEqual(lanes.slice(0, 2))
  // Lanes of one partition pin the same records.
  expect([...lanesBeyondShare(FULL, [partition(...lanes)])]).toEqual([])
})

test('of lanes that pin more than half of the space for lines together, the one that pins most makes room', () => {
  const lanes = ['a', 'b', 'c', 'd', 'e'].map(account => lane(account, 80))
  const most = lane('f', 90)
  expect([
    ...lanesBeyondShare(
      FULL,
      [...lanes, most].map(each => partition(each)),
    ),
  ]).toEqual([most])
  expect([
    ...lanesBeyondShare(
      FULL,
      [...lanes.slice(1), most].map(each => partition(each)),
    ),
  ]).toEqual([most])
  expect([
    ...lanesBeyondShare(
      FULL,
      [...lanes.slice(2), most].map(each => partition(each)),
    ),
  ]).toEqual([])
})

test('a lane that has nothing to send now does not count', () => {
  const { account, cursor } = lane('a', 900)
  expect([...lanesBeyondShare(FULL, [partition({ account, cursor, batch: undefined } as Lane)])]).toEqual([])
})

/** A room in which the first lane pins too much. */
function room() {
  const clock = manualClock()
  const lanes = [lane('a', 500), lane('b', 10)] as const
  let space = FULL
  const waiting = new WaitingRoom(
    clock,
    () => space,
    () => [partition(...lanes)],
  )
  const setTakesIngest = (takesIngest: boolean) => {
    space = { ...FULL, takesIngest }
  }
  return { clock, lanes, waiting, setTakesIngest }
}

test('a lane that fails makes room at once, while lines are refused', () => {
  const { lanes, waiting, setTakesIngest } = room()
  expect(lanes.map(each => waiting.lacks(each, true))).toEqual([true, false])
  setTakesIngest(true)
  expect(waiting.lacks(lanes[0], true)).toBe(false)
})

test('a lane whose remote accepts events makes room when it has not caught up after 30 s', () => {
  const { clock, lanes, waiting, setTakesIngest } = room()
  setTakesIngest(true)
  expect(waiting.lacks(lanes[0], false)).toBe(false)
  clock.advance(29_000)
  setTakesIngest(false)
  expect(waiting.lacks(lanes[0], false)).toBe(false)
  clock.advance(1_000)
  expect(lanes.map(each => waiting.lacks(each, false))).toEqual([true, false])
})

test('a bounded partition is full while a lane with something to send pins more than the limit', () => {
  const idle = { ...lane('a', 900), batch: undefined } as Lane
  const spaceOf = (...lanes: Lane[]) => boundedSpace(500, partition(...lanes))
  expect(spaceOf(idle, lane('a', 500))).toMatchObject({ usedBytes: 500, limitBytes: 500, takesIngest: true })
  expect(spaceOf(lane('a', 510), lane('b', 20))).toMatchObject({ usedBytes: 510, takesIngest: false })
})
