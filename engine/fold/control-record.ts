import { BEHAVIOUR, FIRST_BEHAVIOUR } from '../../schemas/log/behaviour-numbers.ts'
import { type Control, controlType } from '../../schemas/log/control.ts'
import type { Catalogue } from '../nodes/contract/catalogue.ts'
import { behaviourOfCut } from './cuts/registry.ts'

/**
 * Value of a control record, with the behaviour number that a program must know to read it. The record of an owner puts
 * the behaviour of this program into force.
 */
export function encodeControl(catalogue: Catalogue, body: Control['body']): Buffer {
  return controlType.encode({ behaviour: behaviourOf(catalogue, body), body })
}

function behaviourOf(catalogue: Catalogue, body: Control['body']): number {
  if ('weir.Owner' in body) return BEHAVIOUR
  return 'weir.Cut' in body ? behaviourOfCut(catalogue, body['weir.Cut']) : FIRST_BEHAVIOUR
}
