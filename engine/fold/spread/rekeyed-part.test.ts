import { expect, test } from 'vitest'
import { linesOf } from '../../../test/support/loose-fold.ts'
import { Event } from '../../event/event.ts'
import { decodedRun, encodedRun, lastPositionIn, partBelow } from './rekeyed-part.ts'

const PLACE = { pipeline: 'p', version: 3, node: 'limit' }
const BATCH = linesOf(['x', 'y'], 'a')
const RUN = {
  place: PLACE,
  entrance: BATCH.entrance,
  events: [Event.ofLine(BATCH, 0), Event.ofLine(BATCH, 1)],
  positions: [
    { offset: 7n, row: 2 },
    { offset: 9n, row: 0 },
  ],
}
const PART = { 'weir.RekeyedEvents': encodedRun(RUN, 'a') }
const MOVED = { 'weir.ShareMoved': { offset: 7, row: 1, share: 0 } }

test('a run of events arrives with its place, its positions and its messages', () => {
  const { place, positions, events } = decodedRun(PART['weir.RekeyedEvents'])
  expect({ place, positions }).toEqual({ place: PLACE, positions: RUN.positions })
  expect(events.map(({ message }) => message)).toMatchObject([{ app: 'x' }, { app: 'y' }])
})

test('the position of a part is that of its last event', () => {
  expect(lastPositionIn(PART)).toEqual({ offset: 9n, row: 0 })
  expect(lastPositionIn(MOVED)).toEqual({ offset: 7n, row: 1 })
})

test('below an offset a part is whole, shorter, or absent', () => {
  const countBelow = (offset: bigint) => {
    const part = partBelow(PART, offset, 'a')
    return part && 'weir.RekeyedEvents' in part ? decodedRun(part['weir.RekeyedEvents']).events.length : 0
  }
  expect([7n, 8n, 9n, 10n].map(countBelow)).toEqual([0, 1, 1, 2])
  expect(partBelow(MOVED, 7n, 'a')).toBeUndefined()
  expect(partBelow(MOVED, 8n, 'a')).toBe(MOVED)
})
