import { existsSync, globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const PAGE = readFileSync(new URL('../../docs/architecture.md', import.meta.url), 'utf8')
const MAX_WORDS = 2_500

/** Headings of the sections that contain a diagram. */
function sectionsWithDiagrams(): string[] {
  return PAGE.split(/^## /m)
    .filter(section => section.includes('```mermaid\n'))
    .map(section => section.slice(0, section.indexOf('\n')))
}

test('the overview of the architecture stays short: longer topics have a page in docs/design', () => {
  expect(PAGE.split(/\s+/).filter(word => word !== '').length).toBeLessThanOrEqual(MAX_WORDS)
})

test('the overview shows the parts, the ways of a line and of a change, and a checkpoint as diagrams', () => {
  expect(sectionsWithDiagrams()).toEqual([
    'The parts',
    'The way of a line',
    'The way of a change',
    'A checkpoint',
  ])
})

/** Files and folders of the project in code marks, except for patterns. */
const PATH = /`((?:api|console|deploy|docs|engine|schemas|test)\/[\w./-]+)`/g
const ROOT = new URL('../../', import.meta.url)

test.each(['README.md', 'CONTRIBUTING.md', ...globSync('docs/**/*.md', { cwd: ROOT })])(
  'the paths that %s names exist',
  page => {
    const text = readFileSync(new URL(page, ROOT), 'utf8')
    const paths = [...text.matchAll(PATH)].map(([, path]) => path as string)
    expect(paths.filter(path => !existsSync(new URL(path, ROOT)))).toEqual([])
  },
)
