import type { JsonObject } from '../../schemas/json.ts'
import { evaluate } from './evaluate.ts'
import { fieldPaths } from './field-paths.ts'
import type { Query } from './syntax-tree.ts'

/**
 * What a query says of a record of which only some members are known; undefined: that depends on the others.
 *
 * @param known whole members of the record, under their names there
 */
export function evaluateKnown(query: Query, known: JsonObject): boolean | undefined {
  switch (query.kind) {
    case 'all':
      return true
    case 'text':
      return undefined
    case 'field':
      return isKnown(query.name, known) ? evaluate(query, known) : undefined
    case 'not': {
      const verdict = evaluateKnown(query.operand, known)
      return verdict === undefined ? undefined : !verdict
    }
    case 'and':
      return joined(query.operands, known, false)
    case 'or':
      return joined(query.operands, known, true)
  }
}

/** @param decisive what one operand says for all of them */
function joined(operands: readonly Query[], known: JsonObject, decisive: boolean): boolean | undefined {
  let verdict: boolean | undefined = !decisive
  for (const operand of operands) {
    const own = evaluateKnown(operand, known)
    if (own === decisive) return decisive
    if (own === undefined) verdict = undefined
  }
  return verdict
}

/** A field is found where its name looks first, when that is there. */
function isKnown(name: string, known: JsonObject): boolean {
  const [first] = fieldPaths(name)
  return first !== undefined && Object.hasOwn(known, first)
}
