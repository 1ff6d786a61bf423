import { afterAll, beforeAll, describe } from 'vitest'
import { openStoredLines, type StoredLines } from '../support/stored-lines.ts'
import { testDrawnQueries } from '../support/tested-queries.ts'

/** The long form of the drawn queries in query-language.test.ts. `SEED` and `QUERIES` set others. */

describe.each([['lines'], ['slotted_lines'], ['lines', 'slotted_lines']] as const)(
  'lines of %s and %s',
  (...tables) => {
    let lines: StoredLines

    beforeAll(async () => {
      lines = await openStoredLines(undefined, tables)
    })

    afterAll(() => lines.close())

    testDrawnQueries(() => lines, {
      seed: Number(process.env.SEED ?? 20_260_305),
      queries: Number(process.env.QUERIES ?? (tables[0] === 'lines' && tables.length === 1 ? 5_000 : 1_500)),
    })
  },
)
