import { FIFTH_BEHAVIOUR } from '../../../schemas/log/behaviour-numbers.ts'
import { LOSS_CUT, type Loss } from '../../../schemas/log/loss.ts'
import { defineCut } from './cut-kind.ts'

/**
 * An accepted loss of records. An operator writes it in the places of the lost records. The fold reads it by these places
 * before it applies cuts, so the cut itself is not applied.
 */
export const lossCut = defineCut<Loss>({
  kind: LOSS_CUT,
  behaviour: FIFTH_BEHAVIOUR,
  address: 'none',
  parse: text => JSON.parse(text) as Loss,
  accountOf: () => undefined,
})
