import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'

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
