import type { JsonObject } from '../../schemas/json.ts'
import type { CostMeter } from '../expressions/cost-meter.ts'
import { matches, SearchedRecord } from './evaluate.ts'
import { fieldPaths } from './field-paths.ts'
import type { Query } from './syntax-tree.ts'

/** Cost in units of reading the known members, in addition to the cost of the query. */
const RECORD_UNITS = 128

/**
 * Result of a query on a record of which only some members are known; undefined: it depends on the others.
 *
 * @param known whole members of the record, under their names there
 * @throws BEYOND_BUDGET from the meter
 */
export function evaluateKnown(query: Query, known: JsonObject, meter: CostMeter): boolean | undefined {
  switch (query.kind) {
    case 'all':
      return true
    case 'text':
      return undefined
    case 'field':
      if (!isKnown(query.name, known)) return undefined
      meter.spend(RECORD_UNITS)
      return matches(query, new SearchedRecord(known), meter)
    case 'not': {
      const verdict = evaluateKnown(query.operand, known, meter)
      return verdict === undefined ? undefined : !verdict
    }
    case 'and':
      return joined(query.operands, known, { decisive: false, meter })
    case 'or':
      return joined(query.operands, known, { decisive: true, meter })
  }
}

/** @param decisive result of one operand that decides the whole expression */
function joined(
  operands: readonly Query[],
  known: JsonObject,
  { decisive, meter }: { readonly decisive: boolean; readonly meter: CostMeter },
): boolean | undefined {
  let verdict: boolean | undefined = !decisive
  for (const operand of operands) {
    const own = evaluateKnown(operand, known, meter)
    if (own === decisive) return decisive
    if (own === undefined) verdict = undefined
  }
  return verdict
}

/** Whether the first path of a field is among the known members. */
function isKnown(name: string, known: JsonObject): boolean {
  const [first] = fieldPaths(name)
  return first !== undefined && Object.hasOwn(known, first)
}
