import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { describeSettings } from '../../deploy/settings.ts'

const PAGE = new URL('../../docs/operations.md', import.meta.url)

function settingsTable(): string {
  const rows = describeSettings().map(
    ({ name, summary, fallback }) =>
      `| \`${name}\` | ${fallback === '' ? '' : `\`${fallback}\``} | ${summary} |`,
  )
  return ['| Name | Default | Meaning |', '|---|---|---|', ...rows].join('\n')
}

test("the settings of the operator's guide are those of the program", () => {
  const [, table] =
    /<!-- settings:.*-->\n([\s\S]*?)\n<!-- \/settings -->/.exec(readFileSync(PAGE, 'utf8')) ?? []
  expect(table).toBe(settingsTable())
})
