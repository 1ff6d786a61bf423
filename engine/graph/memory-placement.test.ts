import { expect, test } from 'vitest'
import type { JsonValue } from '../../schemas/json.ts'
import { node, SOURCE } from '../../test/support/world.ts'
import { Event } from '../event/event.ts'
import { CATALOGUE } from '../nodes/catalogue.ts'
import type { StatePiece } from '../nodes/contract/define-processor.ts'
import { compileGraph } from './compile-graph.ts'
import type { HeldState } from './compiled-node.ts'
import { absorbMemory, splitMemory } from './memory-placement.ts'

const SHARES = 4
const shareOf = (hash: number) => hash % SHARES
const ALL = [0, 1, 2, 3]

/** The memory of a node after some messages. */
function memoryOf(type: string, config: object, messages: readonly JsonValue[] = [], id = 'n'): HeldState {
  const nodes = [SOURCE, node('transform', id, type, [SOURCE.id], config as never)]
  const graph = compileGraph(CATALOGUE, { id: 'p', accountId: 'a', title: '', revision: 1, nodes })
  const state = graph.states.get(id) as HeldState
  for (const message of messages) state.process(eventOf(message), state.value, 0)
  return state
}

const eventOf = (message: JsonValue) => Event.of(message, {}, '2031-03-09T08:15:30Z')
const piecesOf = (state: HeldState, shares: readonly number[]): StatePiece[] =>
  [...splitMemory(state, shares, shareOf)].filter(piece => piece !== undefined)

test('the memory of a whole node is in the partition of its id, to which all of its events go', () => {
  const config = { value_limit: 1 }
  const messages = [{ tags: { a: '1' } }, { tags: { b: '1' } }]
  for (const id of ['n', 'other', 'third']) {
    const state = memoryOf('metrics-tag-cardinality-limit', config, messages, id)
    const home = shareOf(state.hash?.(eventOf(messages[0] as JsonValue), state.value) as number)
    expect(shareOf(state.hash?.(eventOf('x'), state.value) as number)).toBe(home)
    expect(
      piecesOf(
        state,
        ALL.filter(share => share !== home),
      ),
    ).toEqual([])
    const pieces = piecesOf(state, ALL)
    expect(pieces.map(({ share }) => share)).toEqual([home])
    expect(state.kind.measure(state.value)).toMatchObject({ tags: 0 })
    const target = memoryOf('metrics-tag-cardinality-limit', config, [], id)
    for (const { data } of pieces) absorbMemory(target, data)
    expect(target.kind.measure(target.value)).toMatchObject({ tags: 2, values: 2 })
  }
})

test('a memory of each partition never moves, and its events stay where they are', () => {
  const state = memoryOf('sample', { rate: 3 }, [1, 2])
  expect(state.hash).toBeUndefined()
  expect(piecesOf(state, ALL)).toEqual([])
  expect(state.kind.measure(state.value)).toEqual({ place: 2 })
  expect(() => absorbMemory(state, new Uint8Array())).toThrow('never moves')
})

test('the memory of keys moves with their shares', () => {
  const messages = Array.from({ length: 40 }, (_, k) => ({ k }))
  const state = memoryOf('dedupe', { fields: ['.k'] }, messages)
  const [first] = piecesOf(state, [1])
  expect(first?.share).toBe(1)
  const target = memoryOf('dedupe', { fields: ['.k'] })
  absorbMemory(target, first?.data as Uint8Array)
  for (const message of messages) {
    const isThere = shareOf(state.hash?.(eventOf(message), state.value) as number) === 1
    const event = eventOf(message)
    expect(target.process(event, target.value, 0) === event).toBe(!isThere)
  }
})
