import { readFileSync } from 'node:fs'
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
