import type { PassedPosition } from '../../../schemas/log/lanes-checkpoint.ts'
import { PassedPositions } from '../../fold/spread/passed-positions.ts'

/** Positions in the form of a checkpoint. */
export function passedState(passed: PassedPositions): PassedPosition[] {
  return Array.from(passed, ([source, { offset, row }]) => ({ source, offset: Number(offset), row }))
}

export function passedOf(state: readonly PassedPosition[]): PassedPositions {
  return new PassedPositions(
    state.map(({ source, offset, row }) => [source, { offset: BigInt(offset), row }]),
  )
}
