import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { importedPath, importsOf, projectSources } from '../../test/support/source-files.ts'

const sources = projectSources().filter(({ path }) => !path.endsWith('.test.ts'))
const ownSources = sources.filter(({ path }) => path.startsWith('schemas/http/'))

/** Constants of a module whose value begins with a call of the pattern, in the form that the formatter gives them. */
function constants(call: string): RegExpExecArray[] {
  const pattern = new RegExp(`^(?:export )?const (\\w+) =\\s+(?:Type\\.Optional\\(\\s*)?${call}`, 'gm')
  return ownSources.flatMap(({ text }) => [...text.matchAll(pattern)])
}

test('every schema has the name under which it is exported', async () => {
  const files = readdirSync(new URL('.', import.meta.url), { recursive: true, encoding: 'utf8' }).filter(
    name => name.endsWith('.ts') && !name.endsWith('.test.ts'),
  )
  const modules = await Promise.all(
    files.map(name => import(`./${name}`) as Promise<Record<string, unknown>>),
  )
  const schemas = modules
    .flatMap(Object.entries)
    .filter(([, value]) => typeof value === 'object' && value !== null && '~kind' in value)
  expect(schemas.length).toBeGreaterThan(90)
  const wrong = schemas.filter(([name, schema]) => (schema as { readonly $id?: string }).$id !== name)
  expect(wrong.map(([name]) => name)).toEqual([])
})

test('every object that is a body or a part of one has a name, also where it is not exported', () => {
  const unnamed = constants(String.raw`Type\.(?:Object|Partial|Pick|Omit|Intersect)\(`)
  // The document lists parameters of a path one by one.
  expect(unnamed.map(([, name]) => name).filter(name => !name?.endsWith('Path'))).toEqual([])
  const given = constants(String.raw`named\(\s*'(\w+)'`)
  expect(given.length).toBeGreaterThan(130)
  expect(given.filter(([, name, id]) => name !== id).map(([, name]) => name)).toEqual([])
})

test('schemas with a name are declared here, except one that needs rules of the engine', () => {
  const naming = sources
    .filter(({ path }) => /^(engine|api|deploy)\//.test(path))
    .filter(file =>
      importsOf(file).some(
        ({ specifier, names }) =>
          importedPath(file, specifier) === 'schemas/named.ts' && names.includes('named'),
      ),
    )
  expect(naming.map(({ path }) => path)).toEqual(['engine/alerts/check-alert.ts'])
})
