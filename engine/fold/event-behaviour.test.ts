import { expect, test } from 'vitest'
import { FOURTH_BEHAVIOUR, SECOND_BEHAVIOUR, TWELFTH_BEHAVIOUR } from '../../schemas/log/behaviour-numbers.ts'
import { pushedValue } from '../../test/support/line-batches.ts'
import { linesOf } from '../../test/support/loose-fold.ts'
import { Event } from '../event/event.ts'
import { LineBatchView } from '../lines/columns/line-batch-view.ts'
import { behaviourOfEvents } from './event-behaviour.ts'

test('only programs that know gateway routes can receive events of one from another partition', () => {
  const line = Event.ofLine(linesOf(['web']), 0)
  const pushed = Event.ofLine(LineBatchView.decode(pushedValue([{ messages: [{ door: 7 }] }])), 0)
  expect(behaviourOfEvents([line])).toBe(SECOND_BEHAVIOUR)
  expect(behaviourOfEvents([line, pushed])).toBe(FOURTH_BEHAVIOUR)
  expect(behaviourOfEvents([line, line.withAnnotations({ app: 'a' })])).toBe(TWELFTH_BEHAVIOUR)
})
