import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { LineTable } from '../../../schemas/log/tables.ts'
import { openStoredLines, type StoredLines } from '../../../test/support/stored-lines.ts'
import { rowsByConditions, testDrawnQueries } from '../../../test/support/tested-queries.ts'

/** The long form is drawn-queries.test.ts. */
const QUERIES = 60

const FORMS: readonly (readonly LineTable[])[] = [['slotted_lines'], ['lines', 'slotted_lines']]

describe.each(FORMS.map(tables => ({ tables })))('lines of $tables', ({ tables }) => {
  let lines: StoredLines

  beforeAll(async () => {
    lines = await openStoredLines(undefined, tables)
  })

  afterAll(() => lines.close())

  test('a line is found whichever shapes are known', async () => {
    const account = 'shapes0001'
    const texts = ['{"a":7}', '{"b":"t","a":7}', '{"b":"t","c":true,"a":7}', '{"a":"word"}', 'a word, 7']
    // Twice, so that each of the tables has all of them.
    const sent = texts.flatMap(line => [{ line }, { line }])
    await lines.add(sent, { account })
    for (const [query, found] of [
      ['a:7', [0, 1, 2]],
      ['a:>6', [0, 1, 2]],
      ['7', [0, 1, 2, 4]],
      ['word', [3, 4]],
      ['true', [2]],
    ] as const) {
      const rows = found.flatMap(number => [2 * number, 2 * number + 1])
      // Each repetition knows other shapes.
      const repeated = await rowsByConditions(
        lines,
        account,
        Array.from({ length: 5 }, () => query),
      )
      for (const each of repeated) expect(each, query).toEqual(rows)
    }
  })

  testDrawnQueries(() => lines, { seed: 20_261_127, queries: QUERIES })
})
