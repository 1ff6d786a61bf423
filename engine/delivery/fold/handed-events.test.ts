import { expect, test } from 'vitest'
import { outgoingType } from '../../../schemas/log/outgoing.ts'
import { deletedPart, handedPart, outgoingValue, textOf } from '../../../test/support/outgoing.ts'
import { PRESENT_FORMS } from '../../lines/columns/value-forms.ts'
import { HandedEvents, handedParts, lastPosition } from './handed-events.ts'

const positions = [
  { offset: 4n, row: 0 },
  { offset: 4n, row: 2 },
]
const [first, second] = handedParts(
  outgoingType.decode(
    outgoingValue([
      handedPart({ lines: ['a', 'b'], positions }),
      handedPart({ node: 'other', version: 2, lines: ['c'], positions: [{ offset: 5n, row: 0 }] }),
      deletedPart('p', { offset: 6n, row: 1 }),
    ]),
  ),
  PRESENT_FORMS,
).filter(part => part instanceof HandedEvents) as [HandedEvents, HandedEvents]

test('events arrive with their messages and positions; rows number those of a whole record', () => {
  expect(first.events.map(textOf)).toEqual(['a', 'b'])
  expect(first.positions).toEqual(positions)
  expect([first.firstRow, second.firstRow]).toEqual([0, 2])
  expect([second.node, second.version, second.type]).toEqual(['other', 2, 'test'])
})

test('the position of a part is that of its last event, or of the deletion', () => {
  expect(lastPosition(first)).toEqual({ offset: 4n, row: 2 })
  expect(lastPosition({ pipeline: 'p', offset: 6, row: 1 })).toEqual({ offset: 6n, row: 1 })
})
