import { describe, expect, test } from 'vitest'
import type { PipelineFile } from './file.ts'
import { isSame, mergeOf } from './merge.ts'

const BASE: PipelineFile = {
  weir: 'pipeline/1',
  title: 'P',
  sources: [{ name: 'in', type: 'http' }],
  processors: [
    { name: 'a', type: 'sample', inputs: ['in'], config: { rate: 1 } },
    { name: 'b', type: 'sample', inputs: ['a'], config: { rate: 1 } },
  ],
  destinations: [{ name: 'out', type: 'blackhole', inputs: ['b'] }],
}

function withRate(document: PipelineFile, name: string, rate: number): PipelineFile {
  const processors = document.processors?.map(node =>
    node.name === name ? { ...node, config: { rate } } : node,
  )
  return { ...document, ...(processors && { processors }) }
}

const rates = (document: PipelineFile) => document.processors?.map(({ name, config }) => [name, config?.rate])

describe('a merge', () => {
  test('takes a node from the side that alone changed it', () => {
    const merge = mergeOf(BASE, withRate(BASE, 'a', 2), withRate(BASE, 'b', 3))
    expect([merge.conflicts, merge.taken]).toEqual([[], ['b']])
    expect(rates(merge.with(() => 'mine'))).toEqual([
      ['a', 2],
      ['b', 3],
    ])
  })

  test('asks where both changed a node, and takes what was chosen', () => {
    const merge = mergeOf(BASE, withRate(BASE, 'a', 2), withRate(BASE, 'a', 3))
    expect(merge.conflicts.map(({ name }) => name)).toEqual(['a'])
    expect(rates(merge.with(() => 'mine'))?.[0]).toEqual(['a', 2])
    expect(rates(merge.with(() => 'theirs'))?.[0]).toEqual(['a', 3])
  })

  test('keeps nodes that either side added, and leaves out those that either removed', () => {
    const mine = { ...BASE, sources: [...(BASE.sources ?? []), { name: 'mine', type: 'http' }] }
    const theirs = { ...BASE, processors: [{ ...BASE.processors![1]!, inputs: ['in'] }] }
    const merged = mergeOf(BASE, mine, theirs).with(() => 'mine')
    expect(merged.sources?.map(({ name }) => name)).toEqual(['in', 'mine'])
    expect(merged.processors?.map(({ name }) => name)).toEqual(['b'])
  })

  test('asks where one side removed a node that the other changed', () => {
    const theirs = { ...BASE, processors: BASE.processors!.slice(1) }
    const merge = mergeOf(BASE, withRate(BASE, 'a', 2), theirs)
    expect(merge.conflicts).toEqual([{ name: 'a', mine: expect.anything(), theirs: undefined }])
    expect(rates(merge.with(() => 'theirs'))).toEqual([['b', 1]])
    expect(rates(merge.with(() => 'mine'))?.[0]).toEqual(['a', 2])
  })

  test('takes the title of the side that changed it, and asks where both did', () => {
    const mine = { ...BASE, title: 'Mine' }
    expect(mergeOf(BASE, mine, withRate(BASE, 'a', 3)).with(() => 'theirs').title).toBe('Mine')
    const merge = mergeOf(BASE, mine, { ...BASE, title: 'Theirs' })
    expect(merge.conflicts.map(({ name }) => name)).toEqual([undefined])
    expect(merge.with(() => 'theirs').title).toBe('Theirs')
  })
})

test('equality of JSON does not depend on the order of members', () => {
  expect(isSame({ a: 1, b: [{ c: null }] }, { b: [{ c: null }], a: 1 })).toBe(true)
  expect(isSame({ a: undefined }, {})).toBe(true)
  expect(isSame([1, 2], [2, 1])).toBe(false)
  expect(isSame({}, [])).toBe(false)
  expect(isSame({ a: 1 }, { b: 1 })).toBe(false)
})
