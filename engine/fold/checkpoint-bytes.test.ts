import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Checkpoint, checkpointType } from '../../schemas/log/checkpoint.ts'
import { finish } from '../steps.ts'
import { checkpointBytes } from './checkpoint-bytes.ts'

const HEAD: Omit<Checkpoint, 'states'> = {
  behaviour: 5,
  logId: '00000000-0000-4000-8000-000000000000',
  nextOffset: 2 ** 40,
  timeMs: 1_795_000_000_000,
  sliceMs: 5_000,
  stored: [{ table: 'lines', offset: 70_000, row: 3 }],
  cuts: [{ kind: 'pipeline', entity: 'p', version: 300, payload: '{"title":"é"}' }],
  producers: [{ id: 'p', sequence: 1, timeMs: 2 }],
}

test('a checkpoint written in stretches has the bytes that Avro gives it', () => {
  const holder = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.integer({ min: 60, max: 200 }).map(n => 'x'.repeat(n)),
  )
  const data = fc.oneof(
    fc.uint8Array(),
    fc.integer({ min: 60, max: 20_000 }).map(n => new Uint8Array(n)),
  )
  fc.assert(
    fc.property(fc.array(fc.record({ holder, data: data.map(bytes => Buffer.from(bytes)) })), states => {
      expect(finish(checkpointBytes(HEAD, states))).toEqual(checkpointType.encode({ ...HEAD, states }))
    }),
  )
})

test('a checkpoint of a hundred megabytes lets others have their turn while it is written', () => {
  const states = [1, 2].map(n => ({ holder: `node ${n}`, data: Buffer.alloc(50 * 1024 * 1024, n) }))
  let turns = 0
  const steps = checkpointBytes(HEAD, states)
  for (;;) {
    const { done, value } = steps.next()
    if (done) {
      expect(turns).toBeGreaterThanOrEqual(40)
      expect(checkpointType.decode(value).states.map(({ data }) => data[0])).toEqual([1, 2])
      return
    }
    turns++
  }
})
