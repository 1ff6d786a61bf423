import { expect, test } from 'vitest'
import { queryContext } from './query-context.ts'

/** The cursor stands where the bar is. */
function at(marked: string) {
  const cursor = marked.indexOf('|')
  return queryContext(marked.replace('|', ''), cursor)
}

test.each([
  ['|', '', 0],
  ['ap|', 'ap', 0],
  ['error -ap|', 'ap', 7],
  ['(error OR le|', 'le', 10],
  ['app:web ho|', 'ho', 8],
  ['app:(web) ho|', 'ho', 10],
  ['"a phrase" ho|', 'ho', 11],
  ["it's ho|", 'ho', 5],
])('%s is the beginning of a term', (marked, prefix, from) => {
  expect(at(marked)).toEqual({ kind: 'term', prefix, from, to: from + prefix.length })
})

test.each([
  ['app:|', 'app', ''],
  ['app:we|', 'app', 'we'],
  ['app:-==we|', 'app', 'we'],
  ['-app:we|', 'app', 'we'],
  ['meta.ms:>=1|', 'meta.ms', '1'],
  ['app:"a b|', 'app', 'a b'],
  ['app:(web OR d|', 'app', 'd'],
  ['app:(web OR |', 'app', ''],
  ['app:(web OR "a b|', 'app', 'a b'],
  ['app:[web,d|', 'app', 'd'],
  ['app:[web,d|,x]', 'app', 'd'],
])('%s is the value of a field', (marked, field, prefix) => {
  expect(at(marked)).toMatchObject({ kind: 'value', field, prefix, to: marked.indexOf('|') })
})

test.each(['"a phr|', "'a|"])('within %s nothing is completed', marked => {
  expect(at(marked)).toBeUndefined()
})

test('every text and every cursor has an answer', () => {
  const pieces = ['a', ':', '(', ')', '"', "'", '[', ']', ',', ' ', '-', '=', '\\', 'OR']
  let seed = 1
  const next = (most: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return seed % most
  }
  for (let round = 0; round < 3_000; round++) {
    const text = Array.from({ length: next(12) }, () => pieces[next(pieces.length)]).join('')
    const cursor = next(text.length + 1)
    const found = queryContext(text, cursor)
    if (found === undefined) continue
    expect(found.to).toBe(cursor)
    expect(text.slice(found.from, cursor).endsWith(found.prefix)).toBe(true)
  }
})
