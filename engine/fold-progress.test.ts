import { expect, test } from 'vitest'
import {
  FOLD_CELL,
  FoldProgress,
  NODE_CELL,
  OFFSET_CELL,
  type PlaceNames,
  PROGRESS_BYTES,
  ProgressPlace,
  STRETCH_CELL,
} from './fold-progress.ts'
import { finish, type Steps } from './steps.ts'

const [north, south] = [
  new ProgressPlace({ topic: 'a', partition: 0 }),
  new ProgressPlace({ topic: 'a', partition: 1 }),
]
const [first, second] = ['first', 'second'].map(node => new ProgressPlace({ node })) as [
  ProgressPlace,
  ProgressPlace,
]

function attached(progress = new FoldProgress()) {
  const memory = new SharedArrayBuffer(PROGRESS_BYTES)
  const [cells, offsets] = [new Int32Array(memory), new Float64Array(memory)]
  const names = new Map<number, PlaceNames>()
  const moves: (readonly [Record<string, unknown>, number])[] = []
  const detach = progress.attach(memory, {
    named: (number, given) => names.set(number, given),
    moves: (fold, node, offset) => moves.push([{ ...names.get(fold), ...names.get(node) }, offset]),
  })
  const place = () => ({
    ...names.get(cells[FOLD_CELL] as number),
    ...names.get(cells[NODE_CELL] as number),
    offset: offsets[OFFSET_CELL],
  })
  return {
    progress,
    names,
    moves,
    detach,
    place,
    stretch: () => cells[STRETCH_CELL] as number,
    fold: () => cells[FOLD_CELL],
  }
}

test('each stretch shows its own place, whatever other folds do between two of them', () => {
  const { progress, place, stretch, fold } = attached()
  const seen: unknown[] = []
  function* work(node: ProgressPlace): Steps<string> {
    progress.enter(node)
    seen.push(place())
    yield
    seen.push(place())
    return 'done'
  }
  const one = progress.watched(north, 7n, work(first))
  const other = progress.watched(south, 9n, work(second))
  one.next()
  expect(fold()).toBe(0)
  other.next()
  const before = stretch()
  expect(one.next()).toEqual({ done: true, value: 'done' })
  expect(stretch()).toBe(before + 1)
  expect(seen).toEqual([
    { topic: 'a', partition: 0, node: 'first', offset: 7 },
    { topic: 'a', partition: 1, node: 'second', offset: 9 },
    { topic: 'a', partition: 0, node: 'first', offset: 7 },
  ])
})

test('an observer learns the place that the work leaves, at both ends of each turn and of its stretches', () => {
  const { progress, moves } = attached()
  const [one, other] = [new ProgressPlace({ node: 'one' }), new ProgressPlace({ node: 'other' })]
  function* work(): Steps {
    progress.enter(one)
    yield
    progress.enter(other)
    progress.leave()
  }
  const steps = progress.watched(new ProgressPlace({ topic: 'a', partition: 0 }), 7n, work())
  steps.next()
  progress.enter(other)
  steps.next()
  const fold = { topic: 'a', partition: 0 }
  const [atOne, atOther] = [
    { ...fold, node: 'one' },
    { ...fold, node: 'other' },
  ]
  expect(moves.map(([place]) => place)).toEqual([
    ...[fold, atOne],
    // Work outside of the folds: a simulation.
    { node: 'one' },
    ...[{ node: 'other' }, atOne, atOther],
  ])
  expect(moves.filter(([place]) => 'topic' in place).every(([, offset]) => offset === 7)).toBe(true)
})

test('no fold works after an error', () => {
  const { progress, fold } = attached()
  const failing = function* (): Steps {
    yield
    expect(fold()).not.toBe(0)
    throw new Error('no')
  }
  expect(() => finish(progress.watched(north, 1n, failing()))).toThrow('no')
  expect(fold()).toBe(0)
})

test('a later watchdog knows the earlier places, and equal places have one number', () => {
  const { progress, detach, names } = attached()
  const enter = () => progress.enter(new ProgressPlace({ node: 'first' }))
  enter()
  detach()
  enter()
  const later = attached(progress)
  enter()
  expect([...later.names]).toEqual([...names])
  expect(later.place()).toMatchObject({ node: 'first' })
})

test('without a watchdog nothing is written, and the work is the same', () => {
  const steps = (function* (): Steps<number> {
    yield
    return 5
  })()
  const progress = new FoldProgress()
  progress.enter(first)
  expect(progress.watched(north, 1n, steps)).toBe(steps)
})
