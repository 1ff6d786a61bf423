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

const PAGES = ['README.md', 'CONTRIBUTING.md', ...globSync('docs/**/*.md', { cwd: ROOT })]

test.each(PAGES)('the paths that %s names exist', page => {
  const text = readFileSync(new URL(page, ROOT), 'utf8')
  const paths = [...text.matchAll(PATH)].map(([, path]) => path as string)
  expect(paths.filter(path => !existsSync(new URL(path, ROOT)))).toEqual([])
})

test.each([...PAGES, 'CHANGELOG.md'])('the links of %s lead to files and headings that exist', page => {
  expect(deadLinks(page, readFileSync(new URL(page, ROOT), 'utf8'))).toEqual([])
})

test('a link to a missing file or heading is found', () => {
  const links = [
    'docs/none.md',
    'docs/architecture.md#none',
    '#none',
    'docs/architecture.md#the-parts',
    '#commits',
  ]
  const text = links.map(link => `see [this](${link})`).join('\n')
  expect(deadLinks('CONTRIBUTING.md', text)).toEqual(links.slice(0, 3))
})

/** Targets of the links between files of the project. */
const LINK = /\]\((?!https?:)([^)\s]+)\)/g

function deadLinks(page: string, text: string): string[] {
  const site = new URL(page, ROOT)
  return [...withoutCode(text).matchAll(LINK)].flatMap(([, link = '']) => {
    const [path, anchor] = link.split('#')
    const target = path === '' ? site : new URL(path as string, site)
    const exists = existsSync(target) && (anchor === undefined || anchorsOf(target).has(anchor))
    return exists ? [] : [link]
  })
}

/** Anchors of the headings of a page, as GitHub derives them. */
function anchorsOf(page: URL): Set<string> {
  const anchors = new Set<string>()
  for (const [, heading = ''] of withoutCode(readFileSync(page, 'utf8')).matchAll(/^#+ +(.*)$/gm)) {
    const text = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase()
    const name = text.replace(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-')
    let anchor = name
    for (let count = 1; anchors.has(anchor); count++) anchor = `${name}-${count}`
    anchors.add(anchor)
  }
  return anchors
}

function withoutCode(text: string): string {
  return text.replace(/^```[\s\S]*?^```/gm, '')
}
