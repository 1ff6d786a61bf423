import { expect, test } from 'vitest'
import { documentOf } from './sent-document.ts'

const NODE = { name: 'a', type: 'sample' }

test.each<[unknown, string]>([
  [[], ''],
  ['text', ''],
  [{ sources: 'x' }, 'sources'],
  [{ processors: [NODE, null] }, 'processors/1'],
  [{ processors: [{ name: 1, type: 'sample' }] }, 'processors/0/name'],
  [{ destinations: [{ name: 'a' }] }, 'destinations/0/type'],
  [{ processors: [{ ...NODE, inputs: 'b' }] }, 'processors/0/inputs'],
  [{ processors: [{ ...NODE, config: [] }] }, 'processors/0/config'],
])('a text whose nodes cannot be drawn is refused at its place: %j', (value, place) => {
  expect(documentOf(value)).toMatchObject({ place })
})

test('a document is taken as it is, with members that the server judges', () => {
  const value = { weir: 'pipeline/1', title: 7, sources: [{ ...NODE, unknown: true }] }
  expect(documentOf(value)).toEqual({ document: value })
})
