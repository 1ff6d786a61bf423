import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { describeSettings } from '../../deploy/settings.ts'

const PAGE = new URL('../../docs/operations.md', import.meta.url)

/** The cells of the table between the two marks, without its heading. */
function settingsOfPage(): string[][] {
  const [, table] =
    /<!-- settings:.*-->\n([\s\S]*?)\n<!-- \/settings -->/.exec(readFileSync(PAGE, 'utf8')) ?? []
  const rows = (table ?? '').split('\n').slice(2)
  return rows.map(row =>
    row
      .split('|')
      .slice(1, -1)
      .map(cell => cell.trim()),
  )
}

test("the settings of the operator's guide are those of the program", () => {
  const expected = describeSettings().map(({ name, summary, fallback }) => [
    `\`${name}\``,
    fallback === '' ? '' : `\`${fallback}\``,
    summary,
  ])
  expect(settingsOfPage()).toEqual(expected)
})
