import type { JsonObject } from '../../schemas/json.ts'
import type { ProcessorState, StatePiece } from '../nodes/contract/define-processor.ts'
import type { HeldState } from './compiled-node.ts'

/** Returns the hash that places an event of a node; undefined: it is judged in the partition where it is. */
export function memoryHash(
  { placement }: ProcessorState<unknown, JsonObject>,
  seed: number,
  { config, desk }: Pick<HeldState, 'config' | 'desk'>,
): HeldState['hash'] {
  switch (placement.by) {
    case 'key':
      return placement.hash(config, desk.meter)
    case 'node':
      return () => seed
    case 'partition':
      return undefined
  }
}

/** Removes the memory of some shares, and gives it in pieces of a bounded size; undefined: the work may pause. */
export function* splitMemory(
  { kind: { placement }, value, seed }: HeldState,
  shares: readonly number[],
  shareOf: (hash: number) => number,
): Iterable<StatePiece | undefined> {
  if (placement.by === 'key') {
    yield* placement.split(value, shares, shareOf)
  } else if (placement.by === 'node' && shares.includes(shareOf(seed))) {
    for (const data of placement.empty(value)) yield data && { share: shareOf(seed), data }
  }
}

/** Adds a piece of memory. @throws RangeError when the bytes are not valid */
export function absorbMemory({ kind: { placement }, value }: HeldState, data: Uint8Array): void {
  if (placement.by === 'partition') throw new RangeError('this memory never moves')
  placement.absorb(value, data)
}
