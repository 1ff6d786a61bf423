import { describe, expect, test } from 'vitest'
import { importsOf, projectSources } from '../support/source-files.ts'

const imported = (text: string) =>
  importsOf({ path: 'engine/a.ts', text }).map(({ specifier, typeOnly, names }) => [
    specifier,
    typeOnly,
    ...names,
  ])

describe('imports of a module', () => {
  test.each<[string, ...(readonly [string, boolean, ...string[]])[]]>([
    ["import { a, type B, c as d } from './x.ts'", ['./x.ts', false, 'a', 'c']],
    ["import type { A } from './x.ts'", ['./x.ts', true]],
    ["import './x.ts'", ['./x.ts', false, '*']],
    ["import a from 'x'\nimport * as b from 'y'", ['x', false, '*'], ['y', false, '*']],
    ["import {\n  a, // the fold's clock\n  b,\n} from './x.ts'", ['./x.ts', false, 'a', 'b']],
    ["/* it's */ import { a } from './x.ts'", ['./x.ts', false, 'a']],
    ["const b = 1; import { a } from './x.ts'", ['./x.ts', false, 'a']],
    ['export const x = () => import(`./x.ts`)', ['./x.ts', false, '*']],
    ["const x = await import /* it's */ ('./x.ts')", ['./x.ts', false, '*']],
    ["type A = import('./x.ts').A", ['./x.ts', true]],
    ["const x = import('./' + name)", ["'./' + name", false, '*']],
    ["export { a } from './x.ts'", ['./x.ts', false, 'a']],
    ["export type { A } from './x.ts'", ['./x.ts', true]],
    ["export * from './x.ts'", ['./x.ts', false, '*']],
    ['const here = import.meta.url\nexport { here }'],
    ["// import { a } from './x.ts'\nconst text = \"import './x.ts'\""],
  ])('%s', (text, ...found) => {
    expect(imported(text)).toEqual(found)
  })
})

/** Beginning of a comment that names no subject. */
const FRAGMENT = /(?<=^|\s)(?:\/\*\*?|\/\/)\s*(?:\*\s*)?((?:Of|What|Which|How|Both|Same)\s.*)/gm

/**
 * Beginning of a docstring that says when, and not what. Within functions, a sentence may begin in this way. With some words a long
 * sentence may begin, too, but a short one has no subject.
 */
const CIRCUMSTANCE =
  /\/\*\*\s*(?:\*\s*)?((?:As|For|When|Those|Also)\s.*|(?:In|By|Per|Before|Where|With|Without|Beyond|Not)(?:\s(?!\*\/)\S+){1,6}\s\*\/)/g

/** Descriptions of options for users are comments of the generated client. */
const GENERATED = 'test/client/api-client.ts'

function fragmentsIn(text: string): string[] {
  return [...text.matchAll(FRAGMENT), ...text.matchAll(CIRCUMSTANCE)].map(([, comment]) => comment as string)
}

test('every comment names its subject', () => {
  const found = projectSources()
    .filter(({ path }) => path !== GENERATED)
    .flatMap(({ path, text }) => fragmentsIn(text).map(comment => `${path}: ${comment}`))
  expect(found).toEqual([])
})

describe.each(['Of', 'What', 'Which', 'How', 'Both', 'Same'])('a comment that begins with "%s"', word => {
  const text = `${word} its cut.`
  test.each([`/** ${text} */`, `/**\n * ${text}\n */`, `/* ${text} */`, `  // ${text}`, `call() // ${text}`])(
    'is found: %j',
    comment => {
      expect(fragmentsIn(comment)).toHaveLength(1)
    },
  )
})

test.each(['As', 'For', 'When', 'Those', 'Also'])(
  'a docstring that begins with "%s" is found, and no other comment',
  word => {
    const text = `${word} cuts.`
    expect(fragmentsIn(`/** ${text} */`)).toHaveLength(1)
    expect(fragmentsIn(`/**\n * ${text}\n */`)).toHaveLength(1)
    expect(fragmentsIn(`// ${text}\n/** A ${text} */`)).toEqual([])
  },
)

test.each(['In', 'With', 'Without', 'Beyond'])(
  'a short docstring that begins with "%s" is found, and no sentence',
  word => {
    expect(fragmentsIn(`/** ${word} all digits of it. */`)).toHaveLength(1)
    expect(fragmentsIn(`/** ${word} all digits of it, a text is read once more by slower rules. */`)).toEqual(
      [],
    )
  },
)

test('other comments, and other words, are not found', () => {
  const word = 'How'
  expect(
    fragmentsIn(`/** Number of cuts. */\n// ${word}ever, both.\nconst url = 'https://${word} '`),
  ).toEqual([])
})
