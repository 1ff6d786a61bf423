import { SECOND_BEHAVIOUR } from '../../../schemas/log/behaviour-numbers.ts'
import { defineSentCut } from './cut-kind.ts'

/**
 * A change between one partition and many. The checkpoint holds its effect with the account's other state. Keyed
 * partitions follow the ingest partitions: they do not need the cut.
 */
export const spreadCut = defineSentCut({
  kind: 'spread',
  behaviour: SECOND_BEHAVIOUR,
  address: 'everywhere',
  movesAccount: true,
  accountOf: (_payload, entity) => entity,

  apply: ({ isSpread }, { entity }, { accounts, spread }) => spread(accounts.of(entity), isSpread),
})
