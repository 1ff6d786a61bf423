import { type Checkpoint, checkpointType } from '../../schemas/log/checkpoint.ts'
import { joined, type Steps } from '../steps.ts'
import type { HolderState } from './accounts.ts'

/** A checkpoint as it is on the log, written in stretches: states of many keys take hundreds of megabytes. */
export function* checkpointBytes(
  head: Omit<Checkpoint, 'states'>,
  states: readonly HolderState[],
): Steps<Buffer> {
  const begun = checkpointType.encode({ ...head, states: [] })
  // The states are the last member: the byte that ends their list ends the whole.
  const parts: Uint8Array[] = [begun.subarray(0, -1)]
  if (states.length > 0) parts.push(long(states.length))
  for (const { holder, data } of states) {
    const name = Buffer.from(holder)
    parts.push(long(name.length), name, long(data.length), data)
  }
  parts.push(begun.subarray(-1))
  return yield* joined(parts)
}

/** Avro's `long`: zigzag, which of what is not negative is its double, seven bits at a time, the lowest first. */
function long(value: number): Uint8Array {
  const bytes: number[] = []
  let rest = value * 2
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80)
  bytes.push(rest)
  return Uint8Array.from(bytes)
}
