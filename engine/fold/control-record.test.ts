import { expect, test } from 'vitest'
import { BEHAVIOUR, FIRST_BEHAVIOUR, SECOND_BEHAVIOUR } from '../../schemas/log/behaviour-numbers.ts'
import { type Control, controlType } from '../../schemas/log/control.ts'
import { CATALOGUE } from '../nodes/catalogue.ts'
import { encodeControl } from './control-record.ts'

const spread = { kind: 'spread', entity: 'a', version: 1, payload: '{"isSpread":true}' } as const

test.each<[string, Control['body'], number]>([
  ['a tick', { 'weir.Tick': { deadlineMs: 1 } }, FIRST_BEHAVIOUR],
  ['a cut', { 'weir.Cut': spread }, SECOND_BEHAVIOUR],
  ['an owner, which brings that of this program into force', { 'weir.Owner': { worker: 'w' } }, BEHAVIOUR],
])('the record of %s carries the behaviour number that its readers must know', (_title, body, behaviour) => {
  expect(controlType.decode(encodeControl(CATALOGUE, body))).toEqual({ behaviour, body })
})
