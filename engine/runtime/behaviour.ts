import type { Cut } from '../../schemas/control.ts'
import type { PipelineCut } from '../configuration/deployed.ts'
import { parseJson } from '../json-text.ts'

/** What the same log gives is fixed by this number; a change of it raises the number. */
export const BEHAVIOUR = 3
/** Everything that no later behaviour brought. */
export const FIRST_BEHAVIOUR = 1
/** Accounts on many partitions, dead letters, exemptions and pauses; rekeyed records. */
export const SECOND_BEHAVIOUR = 2
/** Rules on lines and quotas. */
export const THIRD_BEHAVIOUR = 3

const BEHAVIOUR_OF_KIND: Readonly<Record<Cut['kind'], number>> = {
  pipeline: FIRST_BEHAVIOUR,
  account: FIRST_BEHAVIOUR,
  slice: FIRST_BEHAVIOUR,
  spread: SECOND_BEHAVIOUR,
  'dead-letter': SECOND_BEHAVIOUR,
  exemption: SECOND_BEHAVIOUR,
  'line-rules': THIRD_BEHAVIOUR,
  quota: THIRD_BEHAVIOUR,
}

/** What a program must know to take a cut. */
export function behaviourOfCut(cut: Cut): number {
  return isPause(cut) ? SECOND_BEHAVIOUR : BEHAVIOUR_OF_KIND[cut.kind]
}

export function isPause({ kind, payload }: Cut): boolean {
  return (
    kind === 'pipeline' && payload !== '' && (parseJson(payload) as unknown as PipelineCut).paused === true
  )
}
