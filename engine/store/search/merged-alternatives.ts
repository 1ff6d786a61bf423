import type { Comparison, FieldTest, Query } from '../../query-language/syntax-tree.ts'

/**
 * Returns an equivalent query with fewer parts. The tests of an OR on one field become one test. Comparisons by the same
 * operator become one list, because one match is enough in both. Each part costs the statement a read of the field and
 * some of its limited characters.
 */
export function mergeAlternatives(query: Query): Query {
  switch (query.kind) {
    case 'not':
      return { kind: 'not', operand: mergeAlternatives(query.operand) }
    case 'and':
      return { kind: 'and', operands: query.operands.map(mergeAlternatives) }
    case 'or':
      return mergedOr(alternativesOf(query.operands))
    case 'field':
      return { ...query, test: mergedTest(query.test) }
    default:
      return query
  }
}

function mergedOr(alternatives: readonly Query[]): Query {
  const fields = Map.groupBy(
    alternatives.filter(alternative => alternative.kind === 'field'),
    ({ name }) => name,
  )
  const others = alternatives.filter(alternative => alternative.kind !== 'field')
  const operands: Query[] = [
    ...[...fields].map(([name, terms]): Query => {
      const tests = terms.map(({ test }) => test)
      return { kind: 'field', name, test: mergedTest({ kind: 'or', operands: tests }) }
    }),
    ...others.map(mergeAlternatives),
  ]
  return operands.length === 1 ? (operands[0] as Query) : { kind: 'or', operands }
}

function mergedTest(test: FieldTest): FieldTest {
  switch (test.kind) {
    case 'not':
      return { kind: 'not', operand: mergedTest(test.operand) }
    case 'and':
      return { kind: 'and', operands: test.operands.map(mergedTest) }
    case 'or':
      return mergedTests(testsOf(test.operands))
    default:
      return test
  }
}

function mergedTests(tests: readonly FieldTest[]): FieldTest {
  const comparisons = Map.groupBy(
    tests.filter(test => test.kind === 'comparison'),
    ({ operator }) => operator,
  )
  const others = tests.filter(test => test.kind !== 'comparison')
  const operands: FieldTest[] = [
    ...[...comparisons].map(([operator, each]): Comparison => {
      return { kind: 'comparison', operator, texts: each.flatMap(({ texts }) => texts) }
    }),
    ...others.map(mergedTest),
  ]
  return operands.length === 1 ? (operands[0] as FieldTest) : { kind: 'or', operands }
}

function alternativesOf(operands: readonly Query[]): Query[] {
  return operands.flatMap(operand => (operand.kind === 'or' ? alternativesOf(operand.operands) : [operand]))
}

function testsOf(operands: readonly FieldTest[]): FieldTest[] {
  return operands.flatMap(operand => (operand.kind === 'or' ? testsOf(operand.operands) : [operand]))
}
