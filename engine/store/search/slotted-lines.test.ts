import { afterAll, beforeAll, describe } from 'vitest'
import type { LineTable } from '../../../schemas/log/tables.ts'
import { openStoredLines, type StoredLines } from '../../../test/support/stored-lines.ts'
import { testDrawnQueries } from '../../../test/support/tested-queries.ts'

/** The long form is drawn-queries.test.ts. */
const QUERIES = 60

const FORMS: readonly (readonly LineTable[])[] = [['slotted_lines'], ['lines', 'slotted_lines']]

describe.each(FORMS.map(tables => ({ tables })))('lines of $tables', ({ tables }) => {
  let lines: StoredLines

  beforeAll(async () => {
    lines = await openStoredLines(undefined, tables)
  })

  afterAll(() => lines.close())

  testDrawnQueries(() => lines, { seed: 20_261_127, queries: QUERIES })
})
