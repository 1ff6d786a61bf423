import type { Cut } from '../../schemas/control.ts'
import type { NodeDocument } from '../../schemas/pipeline.ts'
import type { PipelineCut } from '../configuration/deployed.ts'
import type { Event } from '../event.ts'
import { parseJson } from '../json-text.ts'
import { processorOf } from '../processors/registry.ts'
import { sourceOf } from '../sources/registry.ts'

/** What the same log gives is fixed by this number; a change of it raises the number. */
export const BEHAVIOUR = 4
/** Everything that no later behaviour brought. */
export const FIRST_BEHAVIOUR = 1
/** Accounts on many partitions, dead letters, exemptions and pauses; rekeyed records. */
export const SECOND_BEHAVIOUR = 2
/** Rules on lines, quotas, and nodes whose windows end by themselves. */
export const THIRD_BEHAVIOUR = 3
/** Sources of gateway routes, and the events that they bring. */
export const FOURTH_BEHAVIOUR = 4

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
  return Math.max(paused ? SECOND_BEHAVIOUR : FIRST_BEHAVIOUR, ...nodes.map(behaviourOfNode))
}

function behaviourOfNode({ kind, type }: NodeDocument): number {
  if (kind === 'sink') return FIRST_BEHAVIOUR
  return (kind === 'source' ? sourceOf(type) : processorOf(type))?.since ?? FIRST_BEHAVIOUR
}

/** What a program must know to take events as they travel between partitions. */
export function behaviourOfEvents(events: readonly Event[]): number {
  return events.some(({ origin }) => origin?.batch.isPushed) ? FOURTH_BEHAVIOUR : SECOND_BEHAVIOUR
}

export function isPause(cut: Cut): boolean {
  return pipelineOf(cut)?.paused === true
}

function pipelineOf({ kind, payload }: Cut): PipelineCut | undefined {
  return kind === 'pipeline' && payload !== '' ? (parseJson(payload) as unknown as PipelineCut) : undefined
}
