import type { Cut } from '../../schemas/control.ts'
import type { PipelineCut } from '../configuration/deployed.ts'
import { parseJson } from '../json-text.ts'
import { processorOf } from '../processors/registry.ts'

/** What the same log gives is fixed by this number; a change of it raises the number. */
export const BEHAVIOUR = 3
/** Everything that no later behaviour brought. */
export const FIRST_BEHAVIOUR = 1
/** Accounts on many partitions, dead letters, exemptions and pauses; rekeyed records. */
export const SECOND_BEHAVIOUR = 2
/** Rules on lines, quotas, and nodes whose windows end by themselves. */
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
  const pipeline = pipelineOf(cut)
  return pipeline === undefined ? BEHAVIOUR_OF_KIND[cut.kind] : behaviourOfPipeline(pipeline)
}

/** What a program must know to run a pipeline. */
export function behaviourOfPipeline({ nodes, paused }: PipelineCut): number {
  const ofNodes = nodes.map(({ kind, type }) => (kind === 'transform' ? (processorOf(type)?.since ?? 1) : 1))
  return Math.max(paused ? SECOND_BEHAVIOUR : FIRST_BEHAVIOUR, ...ofNodes)
}

export function isPause(cut: Cut): boolean {
  return pipelineOf(cut)?.paused === true
}

function pipelineOf({ kind, payload }: Cut): PipelineCut | undefined {
  return kind === 'pipeline' && payload !== '' ? (parseJson(payload) as unknown as PipelineCut) : undefined
}
