import type { LoopTurns } from '../../engine/turns/loop-turns.ts'

/**
 * Returns a function that a long work calls between its parts. It lets other work of the process run when a turn is over. All works
 * with the same turns take one after the other, so that many of them together do not keep requests waiting.
 *
 * @param signal ends the work: the function then throws its reason
 */
export function restsBetween(turns: LoopTurns, signal?: AbortSignal): () => Promise<void> {
  const turn = turns.begin()
  return async () => {
    signal?.throwIfAborted()
    if (turn.isOver()) await turn.rest()
  }
}
