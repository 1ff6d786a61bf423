import type { NodeDocument } from '../../schemas/pipeline.ts'
import type { Dice } from '../support/dice.ts'
import { node } from '../support/world.ts'

/** A processor whose judgement of a line depends on earlier lines, or on the time. */
export type RememberingStep =
  /** Lines of the same app and level are equal. */
  | { readonly type: 'dedupe'; readonly remembered: number }
  | { readonly type: 'sample'; readonly rate: number }
  /** The level of a line is its trace. In the tail a line without an app is the root, and others wait for it. */
  | { readonly type: 'trace-sampling'; readonly samples: 'head' | 'tail'; readonly rate: number }
  /** Every other stretch of time drops its lines. */
  | { readonly type: 'js-script'; readonly stretchMs: number }

/** Windows that count the lines of each level, beside the chain. */
export interface CountingWindows {
  readonly type: 'tumbling' | 'sliding'
  readonly intervalS: number
  readonly distanceS: number
  /** Levels that are counted; others have one value of the tag too many. */
  readonly limit?: TagLimit | undefined
}

export interface TagLimit {
  readonly values: number
  readonly action: 'drop_event' | 'drop_tag'
}

export const METER = 'meter'
/** Host of the lines that windows make. */
export const COUNTED = 'counted'

/** One step, or several behind one another. */
export function drawSteps(dice: Dice): readonly RememberingStep[] {
  const kinds: readonly (() => RememberingStep)[] = [
    () => ({ type: 'dedupe', remembered: 2 + dice.below(6) }),
    () => ({ type: 'sample', rate: 2 + dice.below(2) }),
    () => ({ type: 'trace-sampling', samples: 'head', rate: 2 }),
    () => ({ type: 'trace-sampling', samples: 'tail', rate: 1 + dice.below(2) }),
    () => ({ type: 'js-script', stretchMs: dice.pick([7, 1_000]) }),
  ]
  const first = dice.below(kinds.length)
  const count = 1 + dice.below(3)
  return Array.from({ length: count }, (_, index) =>
    (kinds[(first + index) % kinds.length] as () => RememberingStep)(),
  )
}

export function drawWindows(dice: Dice): CountingWindows | undefined {
  if (dice.chance(0.4)) return undefined
  const limit: TagLimit | undefined = dice.chance(0.6)
    ? { values: 1 + dice.below(3), action: dice.pick(['drop_event', 'drop_tag'] as const) }
    : undefined
  return { type: dice.pick(['tumbling', 'sliding']), intervalS: dice.pick([1, 2, 60]), distanceS: 1, limit }
}

/** The id names the options that the memory depends on: with others it is another node. */
export function stepId(step: RememberingStep): string {
  switch (step.type) {
    case 'dedupe':
      return 'dedupe'
    case 'js-script':
      return `script-${step.stretchMs}`
    case 'trace-sampling':
      return `${step.samples}-${step.rate}`
    default:
      return `${step.type}-${step.rate}`
  }
}

export function windowsId({ type, intervalS, distanceS }: CountingWindows): string {
  return `${type}-${intervalS}-${distanceS}`
}

/** Any change of the options forgets the values. */
export function limitId({ values, action }: TagLimit): string {
  return `${action}-${values}`
}

export function stepNode(step: RememberingStep, inputs: readonly string[]): NodeDocument {
  return node('transform', stepId(step), step.type, inputs, optionsOf(step))
}

function optionsOf(step: RememberingStep): NodeDocument['user_config'] {
  switch (step.type) {
    case 'dedupe':
      return { fields: ['.app', '.level'], number_of_events: step.remembered }
    case 'sample':
      return { rate: step.rate }
    case 'trace-sampling':
      return step.samples === 'head'
        ? { sample_type: 'head', trace_id_field: '.level', rate: step.rate }
        : {
            sample_type: 'tail',
            ...{ trace_id_field: '.level', parent_span_id_field: '.app' },
            conditionals: [{ rate: step.rate, conditional: ANY_LINE }],
          }
    case 'js-script':
      return { script: scriptOf(step.stretchMs) }
  }
}

const ANY_LINE = { expressions: [{ field: '.line', str_operator: 'exists' }] }

function scriptOf(stretchMs: number): string {
  return `function f(message) {
  const now = Date.now()
  const stretch = parseInt(now / ${stretchMs})
  const pair = parseInt(stretch / 2)
  if (stretch - pair * 2 === 1) { return null }
  return message
}`
}

/** A metric of each line, its limit, the windows, and the lines that they make. */
export function windowNodes(
  windows: CountingWindows,
  inputs: readonly string[],
  revision: number,
): NodeDocument[] {
  const { type, intervalS, distanceS, limit } = windows
  const meter = node('transform', METER, 'event-to-metric', inputs, {
    metric_name: 'lines',
    metric_kind: 'incremental',
    metric_type: 'counter',
    value: { value_type: 'value', value: 1 },
    tags: [{ name: 'level', value_type: 'field', value: '.level' }],
  })
  const limits =
    limit === undefined
      ? []
      : [
          node('transform', limitId(limit), 'metrics-tag-cardinality-limit', [METER], {
            value_limit: limit.values,
            action: limit.action,
          }),
        ]
  const sums = node('transform', windowsId(windows), 'aggregate', [limits[0]?.id ?? METER], {
    window: { type, interval: intervalS, ...(type === 'sliding' && { window_min: distanceS }) },
    evaluate: { operation: 'SUM' },
    group_by: ['.tags.level'],
    event_timestamp: '.none',
  })
  const sink = node('sink', `count-${revision}`, 'mezmo', [sums.id], {
    query: { hostname: COUNTED },
    message: {
      scheme: 'Explicit field selection',
      line: '{{ .value.value }} {{ metadata.aggregate.start_timestamp }}',
      app: '{{ .tags.level }}',
      meta_field: '.tags',
    },
  })
  return [meter, ...limits, sums, sink]
}
