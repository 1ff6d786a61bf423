import { matchesGlob } from 'node:path'
import { expect, test } from 'vitest'
import config, { CAMPAIGNS, CLUSTER, WITH_LONG_FORM } from '../../vitest.config.ts'
import { COVERED_FILES } from '../support/covered-files.ts'
import { importsOf, projectSources } from '../support/source-files.ts'

const TESTS = projectSources().filter(({ path }) => path.endsWith('.test.ts'))

function hasLongForm(file: { path: string; text: string }): boolean {
  return importsOf(file).some(({ specifier }) => specifier.endsWith('/long-form.ts'))
}

interface Project {
  readonly test: {
    readonly name: string
    readonly include: readonly string[]
    readonly exclude?: readonly string[]
    readonly env?: Readonly<Record<string, string>>
  }
}

const PROJECTS = config.test?.projects as readonly Project[]

/** Names of the projects that run a file. */
function projectsOf(path: string): string[] {
  const isIn = (globs: readonly string[] = []) => globs.some(glob => matchesGlob(path, glob))
  return PROJECTS.filter(({ test }) => isIn(test.include) && !isIn(test.exclude)).map(({ test }) => test.name)
}

const RUNS_LONG = PROJECTS.filter(({ test }) => test.env?.WEIR_TEST_FORM === 'long').map(
  ({ test }) => test.name,
)

test('every file of tests runs once, or in a short and in a long form', () => {
  const runs = TESTS.map(({ path }) => [path, projectsOf(path)] as const)
  expect(runs.filter(([path, projects]) => projects.length !== (isTwice(path) ? 2 : 1))).toEqual([])
})

test('the long form of every test that has one is run', () => {
  const listed = TESTS.filter(({ path }) => WITH_LONG_FORM.some(glob => matchesGlob(path, glob)))
  expect(TESTS.filter(hasLongForm).map(({ path }) => path)).toEqual(listed.map(({ path }) => path))
  for (const { path } of listed)
    expect([path, projectsOf(path).map(name => RUNS_LONG.includes(name))]).toEqual([path, [false, true]])
})

/** Whether `npm test` runs a file. */
function runsInShort(path: string): boolean {
  return projectsOf(path).some(name => name === 'units' || name === 'whole')
}

test('every file that covers another one runs in npm test, and reasons are sentences', () => {
  for (const [covered, cover] of Object.entries(COVERED_FILES)) {
    if (typeof cover === 'string') {
      expect([covered, cover]).toEqual([covered, expect.stringMatching(/^[A-Z].* .*\.$/)])
      continue
    }
    expect([covered, cover.length]).not.toEqual([covered, 0])
    for (const name of cover) {
      const named = TESTS.filter(({ path }) => matchesGlob(path, name)).map(({ path }) => path)
      expect([covered, name, named.length]).not.toEqual([covered, name, 0])
      expect([covered, named.filter(path => !runsInShort(path))]).toEqual([covered, []])
    }
  }
})

test.each([
  ['campaign', CAMPAIGNS],
  ['file of the cluster', CLUSTER],
])('each %s has one row that names its cover', (_, globs) => {
  const files = TESTS.filter(({ path }) => globs.some(glob => matchesGlob(path, glob)))
  expect(files.filter(({ path }) => rowsOf(path).length !== 1).map(({ path }) => path)).toEqual([])
})

test('each row names a campaign or a file of the cluster', () => {
  const files = TESTS.filter(({ path }) => [...CAMPAIGNS, ...CLUSTER].some(glob => matchesGlob(path, glob)))
  const covered = new Set(files.flatMap(({ path }) => rowsOf(path)))
  expect(Object.keys(COVERED_FILES).filter(name => !covered.has(name))).toEqual([])
})

/** Rows that name the cover of a file. */
function rowsOf(path: string): string[] {
  return Object.keys(COVERED_FILES).filter(name => matchesGlob(path, name))
}

function isTwice(path: string): boolean {
  return WITH_LONG_FORM.some(glob => matchesGlob(path, glob))
}
