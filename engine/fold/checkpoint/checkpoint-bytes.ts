import {
  type Checkpoint,
  checkpointType,
  encodedHolder,
  encodedLength,
  type NamedState,
} from '../../../schemas/log/checkpoint.ts'
import { joined, type Steps } from '../../steps.ts'

/** Encodes a checkpoint for the log in stretches: states of many keys take hundreds of megabytes. */
export function* checkpointBytes(
  head: Omit<Checkpoint, 'states'>,
  states: readonly NamedState[],
): Steps<Buffer> {
  const begun = checkpointType.encode({ ...head, states: [] })
  // The states are the last member, so the byte that ends their list also ends the value.
  const parts: Uint8Array[] = [begun.subarray(0, -1)]
  if (states.length > 0) parts.push(encodedLength(states.length))
  for (const { holder, data } of states) {
    parts.push(encodedHolder(holder, head.behaviour), encodedLength(data.length), data)
  }
  parts.push(begun.subarray(-1))
  return yield* joined(parts)
}
