import { fail } from '../event/outcome.ts'

/** Outcome of the events of a record at a node where an operator has put the record into quarantine. */
export const QUARANTINED = fail('E_EXPRESSION_COST', {
  cause:
    'an operator has put the record into quarantine at this node, because the node did not come to an end with its events',
})
