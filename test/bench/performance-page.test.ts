import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { BENCHMARK_NAMES } from './benchmarks.ts'
import { figureOf } from './figure.ts'
import { marksOf, withResult } from './performance-page.ts'

const TAKEN = {
  takenAt: '2026-11-23T20:20:00.000Z',
  machine: { cpu: 'a processor', cores: 2, memoryBytes: 2 ** 34, system: 'Linux', temporaryFolder: '/tmp' },
  versions: { weir: '1', commit: 'abc', node: 'v24', chdb: '3', clickhouse: '26' },
}
const RESULT = {
  name: 'tail',
  summary: 'The benchmark shows how soon a line is seen.',
  seconds: 3,
  loadAverageBefore: 0.5,
  figures: [figureOf({ name: 'p50', unit: 'ms', values: [1.5] })],
}

test('a section is replaced, and everything around it remains', () => {
  const page = '# Page\n\n## Tail\n<!-- bench tail -->\nold\n<!-- end tail -->\nA remark.\n'
  const written = withResult(page, RESULT, TAKEN)
  expect(
    written.startsWith(
      '# Page\n\n## Tail\n<!-- bench tail -->\n\nThe benchmark shows how soon a line is seen.\n(3 s',
    ),
  ).toBe(true)
  expect(written).toContain('| p50    | ms   |  1.5 |')
  expect(written).toContain('2026-11-23, 2 x a processor, 16 GiB, Linux, weir 1 (abc), Node v24')
  expect(written.endsWith('\n\n<!-- end tail -->\nA remark.\n')).toBe(true)
  expect(written).not.toContain('old')
  expect(withResult(written, RESULT, TAKEN)).toBe(written)
})

test('a page without the marks is refused', () => {
  expect(() => withResult('# Page\n', RESULT, TAKEN)).toThrow('the page does not mark tail')
})

test('the page of the project marks each benchmark that it shows once, and shows none that is gone', () => {
  const page = readFileSync(new URL('../../docs/performance.md', import.meta.url), 'utf8')
  const shown = [...page.matchAll(/<!-- bench (\S+) -->/g)].map(([, name]) => name as string)
  expect(new Set(shown).size).toBe(shown.length)
  for (const name of shown) {
    expect(BENCHMARK_NAMES).toContain(name)
    expect(page.split(marksOf(name)[1]).length).toBe(2)
  }
  for (const name of ['end-to-end', 'shapes', 'stages', 'push']) expect(shown).toContain(name)
})
