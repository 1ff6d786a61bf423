import { BEHAVIOUR, FIRST_BEHAVIOUR } from '../../schemas/log/behaviour-numbers.ts'
import { type Control, controlType } from '../../schemas/log/control.ts'
import type { Catalogue } from '../nodes/contract/catalogue.ts'
import { behaviourOfCut } from './cuts/registry.ts'

/**
 * Value of a control record, with the behaviour number that a program must know to read it. The record of an owner puts
 * a behaviour into force.
 *
 * @param owners number of the record of an owner: the highest that all processes know
 */
export function encodeControl(catalogue: Catalogue, body: Control['body'], owners = BEHAVIOUR): Buffer {
  return controlType.encode({ behaviour: behaviourOf(catalogue, body, owners), body })
}

/** Value of a control record whose only effect is that a behaviour number is in force behind it. */
export function encodeBehaviour(behaviour = BEHAVIOUR): Buffer {
  return controlType.encode({ behaviour, body: { 'weir.Tick': { deadlineMs: 0 } } })
}

function behaviourOf(catalogue: Catalogue, body: Control['body'], owners: number): number {
  if ('weir.Owner' in body) return owners
  return 'weir.Cut' in body ? behaviourOfCut(catalogue, body['weir.Cut']) : FIRST_BEHAVIOUR
}
