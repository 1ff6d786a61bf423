import type { NodeDocument } from '../../schemas/pipeline.ts'
import { declaredProcessorOf } from './processors.ts'

/** A way out of a node, as other nodes name it in their `inputs` (pipeline API, section 2.3). */
export interface NodeOutput {
  readonly id: string
  readonly label: string
  /** The part of the id after the dot; undefined for the default output. */
  readonly name?: string
}

/** Outputs of a node, in the order in which they are listed; none for sinks. */
export function nodeOutputs({ id, kind, type, user_config: config }: NodeDocument): readonly NodeOutput[] {
  if (kind === 'sink') return []
  const named = kind === 'transform' ? declaredProcessorOf(type)?.outputs?.(config) : undefined
  if (named === undefined) return [{ id, label: 'Default' }]
  return named.map(({ name, label }) => ({ id: `${id}.${name}`, label, name }))
}
