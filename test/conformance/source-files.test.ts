import { describe, expect, test } from 'vitest'
import { importsOf } from '../support/source-files.ts'

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
