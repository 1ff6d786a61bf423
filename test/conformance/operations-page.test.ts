import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { EXIT, EXIT_CODES } from '../../deploy/cli/command-error.ts'
import { describeSettings } from '../../deploy/settings/settings.ts'
import { servedCommandLine } from '../support/served-command-line.ts'

const PAGE = new URL('../../docs/operations.md', import.meta.url)

const page = () => readFileSync(PAGE, 'utf8')

/** The cells of the table between the two marks, without its heading. */
function settingsOfPage(): string[][] {
  const [, table] = /<!-- settings:.*-->\n([\s\S]*?)\n<!-- \/settings -->/.exec(page()) ?? []
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

test("the exit codes of the operator's guide are those of the program", () => {
  const [, table = ''] = /<!-- exit codes:.*-->\n([\s\S]*?)\n<!-- \/exit codes -->/.exec(page()) ?? []
  const rows = table.split('\n').slice(2)
  const cells = rows.map(row =>
    row
      .split('|')
      .slice(1, -1)
      .map(cell => cell.trim()),
  )
  expect(cells).toEqual(EXIT_CODES.map(({ code, meaning }) => [String(code), meaning]))
  expect(EXIT_CODES.map(({ code }) => code)).toEqual(Object.values(EXIT))
})

test("the pipeline of the operator's guide passes its tests, and can be applied and published", async () => {
  const [, text = ''] =
    /<!-- pipeline file:.*-->\n```yaml\n([\s\S]*?)```\n<!-- \/pipeline file -->/.exec(page()) ?? []
  const weir = await servedCommandLine()
  try {
    const path = join(weir.line.folder, 'shop.yaml')
    await writeFile(path, text)
    const tested = await weir.line.run(['pipeline', 'test', path])
    expect([tested.err, tested.out.split('\n').at(-2), tested.code]).toEqual(['', '1 passed, 0 failed', 0])
    const applied = await weir.run(['pipeline', 'apply', path, '--publish'])
    expect([applied.err, applied.code]).toEqual(['', 0])
    expect(applied.out).toContain('\nPublished Shop at ')
  } finally {
    await weir.close()
  }
})
