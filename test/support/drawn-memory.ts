import type { NodeDocument } from '../../schemas/pipeline.ts'
import type { Dice } from './dice.ts'
import { node } from './world.ts'

type Options = NodeDocument['user_config']

const ANY_LINE = { expressions: [{ field: '.line', str_operator: 'exists' }] }
const TAGGING = "function tagged(line) { line.tags = { app: line.app + '!' }; return line }"
const COUNTING = 'function counted(sum, line) { sum.line = sum.line + line.line; return sum }'
/** Drops the lines of every other second. */
const CLOCKED = `function clocked(line) {
  const second = parseInt(Date.now() / 1000)
  const pair = parseInt(second / 2)
  if (second - pair * 2 === 1) { return null }
  return line
}`

/** Options of processors that remember earlier lines, or look at the time. Some changes of them keep the memory. */
const OPTIONS: Readonly<Record<string, (dice: Dice) => Options>> = {
  dedupe: dice => ({
    fields: dice.pick([['.app'], ['.app', '.level']]),
    number_of_events: 2 + dice.below(4),
    comparison_type: 'Match',
  }),
  sample: dice => ({ rate: 2 + dice.below(2) }),
  'trace-sampling': dice =>
    dice.chance(0.5)
      ? { sample_type: 'head', trace_id_field: '.app', rate: 2 }
      : {
          sample_type: 'tail',
          trace_id_field: '.app',
          parent_span_id_field: '.level',
          conditionals: [{ rate: 1 + dice.below(2), conditional: ANY_LINE }],
        },
  'metrics-tag-cardinality-limit': dice => ({
    value_limit: 1 + dice.below(2),
    action: dice.pick(['drop_event', 'drop_tag']),
    mode: dice.pick(['exact', 'probabilistic']),
  }),
  aggregate: dice => ({
    window: { type: dice.pick(['tumbling', 'sliding']), interval: dice.pick([1, 5, 60]), window_min: 1 },
    evaluate: { operation: 'CUSTOM', script: COUNTING },
    group_by: ['.app'],
    ...(dice.chance(0.5) && { event_timestamp: '.none' }),
  }),
  'js-script': () => ({ script: CLOCKED }),
}
const TYPES = Object.keys(OPTIONS)

/** Up to three of them behind one another, each of another type. @param input node that they read */
export function drawMemory(dice: Dice, input: string): NodeDocument[] {
  const first = dice.below(TYPES.length)
  const types = Array.from(
    { length: dice.below(4) },
    (_, index) => TYPES[(first + index) % TYPES.length] as string,
  )
  const nodes: NodeDocument[] = []
  const add = (id: string, type: string, options: Options) =>
    nodes.push(node('transform', id, type, [nodes.at(-1)?.id ?? input], options))
  for (const type of types) {
    if (type === 'metrics-tag-cardinality-limit') add('tag', 'js-script', { script: TAGGING })
    add(type, type, OPTIONS[type]?.(dice) ?? {})
  }
  return nodes
}
