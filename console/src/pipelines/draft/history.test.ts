import { expect, test } from 'vitest'
import { closesCircle, withConnection, withNode, withoutNode } from '../document/edits.ts'
import type { PipelineFile } from '../document/file.ts'
import { nodesOf } from '../document/nodes.ts'
import { type History, historyOf, redone, undone, withStep } from './history.ts'

const steps = (...values: readonly number[]) =>
  values.reduce<History<number>>((history, value) => withStep(history, value), historyOf(0))

test('undo and redo go through all steps and back', () => {
  const history = steps(1, 2, 3)
  const back = undone(undone(history))
  expect([back.present, undone(back).present, undone(undone(back)).present]).toEqual([1, 0, 0])
  expect(redone(redone(redone(back))).present).toBe(3)
})

test('a change after undo ends what could be redone', () => {
  const changed = withStep(undone(steps(1, 2)), 5)
  expect(redone(changed).present).toBe(5)
  expect(undone(changed).present).toBe(1)
})

test('changes of one place in a row are one step', () => {
  const typed = withStep(withStep(withStep(steps(1), 2, 'a'), 3, 'a'), 4, 'b')
  expect(undone(typed).present).toBe(3)
  expect(undone(undone(typed)).present).toBe(1)
  const again = withStep(undone(withStep(steps(1), 2, 'a')), 3, 'a')
  expect(undone(again).present).toBe(1)
})

test('two hundred steps are kept', () => {
  let history = steps(...Array.from({ length: 300 }, (_, at) => at + 1))
  for (let count = 0; count < 300; count++) history = undone(history)
  expect(history.present).toBe(100)
})

test.each([1, 2, 3, 4])('fifty drawn edits are undone and redone to equal documents (SEED=%i)', seed => {
  let state = seed
  const below = (sides: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    return (state >>> 8) % sides
  }
  const first: PipelineFile = { weir: 'pipeline/1', title: 'Drawn' }
  const edit = (document: PipelineFile): PipelineFile => {
    const names = nodesOf(document).map(({ node }) => node.name)
    const [from = '', to = ''] = [0, 1].map(() => names[below(Math.max(1, names.length))])
    if (names.length > 2 && below(5) === 0) return withoutNode(document, from)
    if (names.length > 2 && below(2) === 0 && !closesCircle(document, from, to))
      return withConnection(document, from, to)
    const kind = (['source', 'transform', 'sink'] as const)[below(3)] ?? 'transform'
    return withNode(document, { kind, type: 'sample', input: from === '' ? undefined : from }).document
  }
  let history = historyOf(first)
  const documents = [JSON.stringify(first)]
  for (let step = 0; step < 50; step++) {
    history = withStep(history, edit(history.present))
    const text = JSON.stringify(history.present)
    if (text !== documents.at(-1)) documents.push(text)
  }
  const seen = (go: (history: History<PipelineFile>) => History<PipelineFile>) => {
    const texts = [JSON.stringify(history.present)]
    for (let step = 0; step < 50; step++) {
      history = go(history)
      const text = JSON.stringify(history.present)
      if (text !== texts.at(-1)) texts.push(text)
    }
    return texts
  }
  expect(documents.length).toBeGreaterThan(20)
  expect(seen(undone)).toEqual(documents.toReversed())
  expect(seen(redone)).toEqual(documents)
})
