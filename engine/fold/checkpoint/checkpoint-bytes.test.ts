import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FIFTH_BEHAVIOUR, SIXTH_BEHAVIOUR } from '../../../schemas/log/behaviour-numbers.ts'
import { type Checkpoint, checkpointType } from '../../../schemas/log/checkpoint.ts'
import type { StateHolder } from '../../../schemas/log/state-holder.ts'
import { finish } from '../../steps.ts'
import { checkpointBytes } from './checkpoint-bytes.ts'

const HEAD: Omit<Checkpoint, 'states' | 'behaviour'> = {
  logId: '00000000-0000-4000-8000-000000000000',
  nextOffset: 2 ** 40,
  timeMs: 1_795_000_000_000,
  sliceMs: 5_000,
  stored: [{ table: 'lines', offset: 70_000, row: 3 }],
  cuts: [{ kind: 'pipeline', entity: 'p', version: 300, payload: '{"title":"é"}' }],
  producers: [{ id: 'p', sequence: 1, timeMs: 2 }],
}

/** Names of accounts, pipelines and nodes have no blanks. */
const word = fc.stringMatching(/^[a-zé0-9-]{1,80}$/)
const count = fc.nat({ max: 2 ** 31 - 1 })
const part = fc.constantFrom('names', 'keys', 'expressions', 'spread', 'deadLetters')
const holders: fc.Arbitrary<StateHolder> = fc.oneof(
  fc.record({ 'weir.PendingMinute': fc.record({ startMs: count }) }),
  fc.record({ 'weir.AccountPart': fc.record({ account: word, part }) }) as fc.Arbitrary<StateHolder>,
  fc.record({
    'weir.RetiringRevision': fc.record({ account: word, pipeline: word, version: count, replacedMs: count }),
  }),
  fc.record({
    'weir.NodeMemory': fc.record({ account: word, pipeline: word, node: word, version: fc.option(count) }),
  }),
)
const data = fc.oneof(
  fc.uint8Array(),
  fc.integer({ min: 60, max: 20_000 }).map(n => new Uint8Array(n)),
)
const namedStates = fc.array(
  fc.record({ holder: holders, data: data.map(bytes => Buffer.from(bytes)) }, { noNullPrototype: true }),
  { maxLength: 40, size: 'max' },
)

describe.each([FIFTH_BEHAVIOUR, SIXTH_BEHAVIOUR])('a checkpoint of behaviour %i', behaviour => {
  const head = { ...HEAD, behaviour }

  test('has the same bytes as from Avro when it is written in stretches', () => {
    fc.assert(
      fc.property(namedStates, states => {
        expect(finish(checkpointBytes(head, states))).toEqual(checkpointType.encode({ ...head, states }))
      }),
    )
  })

  test('is read as it was written, with the names of all states', () => {
    fc.assert(
      fc.property(namedStates, states => {
        const read = checkpointType.decode(finish(checkpointBytes(head, states)))
        expect({ ...read }).toMatchObject({ ...head, states })
        expect(read.states).toHaveLength(states.length)
      }),
    )
  })

  test('of a hundred megabytes gives other work its turn while it is written', () => {
    const states = [1, 2].map(n => ({
      holder: { 'weir.NodeMemory': { account: 'a', pipeline: 'p', node: `node-${n}`, version: null } },
      data: Buffer.alloc(50 * 1024 * 1024, n),
    }))
    let turns = 0
    const steps = checkpointBytes(head, states)
    for (;;) {
      const { done, value } = steps.next()
      if (done) {
        expect(turns).toBeGreaterThan(40)
        expect(checkpointType.decode(value).states.map(({ data }) => data[0])).toEqual([1, 2])
        break
      }
      turns++
    }
  })
})

test('only from the sixth behaviour on, the form cannot be read by earlier programs', () => {
  const schemaIdAt = (behaviour: number) =>
    finish(checkpointBytes({ ...HEAD, behaviour }, [])).readUInt32BE(1)
  expect([1, 2, 3, 4, FIFTH_BEHAVIOUR].map(schemaIdAt)).toEqual([5, 5, 5, 5, 5])
  expect(schemaIdAt(SIXTH_BEHAVIOUR)).toBe(1_000_000_007)
})
