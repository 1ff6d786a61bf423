import {
  FIFTH_BEHAVIOUR,
  FIRST_BEHAVIOUR,
  FOURTH_BEHAVIOUR,
  SECOND_BEHAVIOUR,
  THIRD_BEHAVIOUR,
} from '../../schemas/log/behaviour-numbers.ts'
import type { Cut } from '../../schemas/log/control.ts'
import type { PipelineCut } from '../../schemas/log/cuts.ts'
import type { NodeDocument } from '../../schemas/pipeline.ts'
import type { Event } from '../event/event.ts'
import { parseJson } from '../json/json-text.ts'
import { processorOf } from '../nodes/processors.ts'
import { sourceOf } from '../nodes/sources.ts'

const BEHAVIOUR_OF_KIND: Readonly<Record<Cut['kind'], number>> = {
  pipeline: FIRST_BEHAVIOUR,
  account: FIRST_BEHAVIOUR,
  slice: FIRST_BEHAVIOUR,
  spread: SECOND_BEHAVIOUR,
  'dead-letter': SECOND_BEHAVIOUR,
  exemption: SECOND_BEHAVIOUR,
  'line-rules': THIRD_BEHAVIOUR,
  quota: THIRD_BEHAVIOUR,
  loss: FIFTH_BEHAVIOUR,
}

/** What a program must know to take a cut. */
export function behaviourOfCut(cut: Cut): number {
  const pipeline = pipelineOf(cut)
  return pipeline === undefined ? BEHAVIOUR_OF_KIND[cut.kind] : behaviourOfPipeline(pipeline)
}

/** What a program must know to run a pipeline. */
function behaviourOfPipeline({ nodes, paused }: PipelineCut): number {
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
