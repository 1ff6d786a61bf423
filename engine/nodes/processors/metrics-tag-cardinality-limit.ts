import Type from 'typebox'
import type { JsonObject } from '../../../schemas/json.ts'
import type { Problem } from '../../event/problem.ts'
import { declareProcessor } from '../contract/define-processor.ts'

/** Maximum number of values by mode; the third is another spelling of the second. */
const MAX_VALUES = { exact: 500, probabilistic: 5000, probabalistic: 5000 } as const
type Mode = keyof typeof MAX_VALUES
const MODES = Object.keys(MAX_VALUES) as Mode[]

/** Metrics tag cardinality limit: caps the distinct values per tag. Rules: components, section 5.13. */
export const metricsTagCardinalityLimit = declareProcessor({
  type: 'metrics-tag-cardinality-limit',
  summary: 'Limit the number of distinct values per metric tag.',
  config: Type.Object(
    {
      value_limit: Type.Integer({ minimum: 1, description: 'Distinct values per tag' }),
      action: Type.Optional(
        Type.Enum(['drop_event', 'drop_tag'], {
          default: 'drop_event',
          description: 'Part to drop when a tag has too many values',
        }),
      ),
      mode: Type.Optional(
        Type.Enum(MODES, {
          default: 'exact',
          description: 'probabilistic needs less memory and allows slightly more values',
        }),
      ),
      tags: Type.Optional(tagNames('Tags to limit; all when absent')),
      exclude_tags: Type.Optional(tagNames('Tags to leave alone')),
    },
    { additionalProperties: false },
  ),
  check: limitProblems,
  configs: [
    { sent: { value_limit: 50 }, defaults: { action: 'drop_event', mode: 'exact' } },
    {
      sent: {
        value_limit: 5000,
        mode: 'probabilistic',
        action: 'drop_tag',
        tags: ['user', 'oven'],
        exclude_tags: ['site'],
      },
    },
  ],
})

function tagNames(description: string) {
  const name = Type.String({ minLength: 1, maxLength: 100, description: 'Name of a tag' })
  return Type.Array(name, { maxItems: 10, description })
}

function limitProblems({ value_limit: limit, mode = 'exact' }: JsonObject): Problem[] {
  const found = MODES.find(name => name === mode)
  if (found === undefined || typeof limit !== 'number' || limit <= MAX_VALUES[found]) return []
  return [{ instancePath: '/value_limit', message: `must be <= ${MAX_VALUES[found]}` }]
}
