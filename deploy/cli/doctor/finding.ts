import type { World } from '../world.ts'

/** ok: as it should be. warning: works, with a risk. wrong: does not work, or loses something. skipped: does not apply here. */
export type Verdict = 'ok' | 'warning' | 'wrong' | 'skipped'

export interface Finding {
  readonly verdict: Verdict
  /** Sentence about the state that was found, and the remedy unless it is ok. */
  readonly finding: string
}

export interface Check {
  readonly name: string
  /** @param stop aborted when the check takes too long */
  run(world: World, stop: AbortSignal): Promise<readonly Finding[]>
}

export const ok = (finding: string): Finding => ({ verdict: 'ok', finding })
export const warning = (finding: string): Finding => ({ verdict: 'warning', finding })
export const wrong = (finding: string): Finding => ({ verdict: 'wrong', finding })
export const skipped = (finding: string): Finding => ({ verdict: 'skipped', finding })
