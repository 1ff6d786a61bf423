import { expect, test } from 'vitest'
import { BEHAVIOUR } from '../../../schemas/log/behaviour-numbers.ts'
import { checkpointType } from '../../../schemas/log/checkpoint.ts'
import { WireFormatError, withSchemaId } from '../../../schemas/log/wire-format.ts'
import { decodedCheckpoint, knownCheckpoint } from './read-checkpoint.ts'

const PARTITION = { topic: 'weir.ingest', partition: 3 }
const NEWER = 'the checkpoint of weir.ingest/3 was written by a newer program: start that one'

function checkpoint(behaviour: number): Buffer {
  const empty = { stored: [], cuts: [], producers: [], states: [] }
  return checkpointType.encode({
    ...{ behaviour, logId: 'log', nextOffset: 9, timeMs: 0, sliceMs: 1_000 },
    ...empty,
  })
}

test('a checkpoint of the highest known behaviour is continued, one of the next is only read', () => {
  expect(knownCheckpoint(checkpoint(BEHAVIOUR), PARTITION).nextOffset).toBe(9)
  expect(() => knownCheckpoint(checkpoint(BEHAVIOUR + 1), PARTITION)).toThrow(NEWER)
  expect(decodedCheckpoint(checkpoint(BEHAVIOUR + 1), PARTITION).nextOffset).toBe(9)
})

test('a form of a newer program is distinguished from a damaged checkpoint', () => {
  const bytes = checkpoint(BEHAVIOUR)
  expect(() => decodedCheckpoint(withSchemaId(bytes, 1_000_000_099), PARTITION)).toThrow(NEWER)
  expect(() => decodedCheckpoint(bytes.subarray(0, -1), PARTITION)).toThrow(WireFormatError)
})
