import Type from 'typebox'
import { isJsonObject, type JsonObject } from '../../../schemas/json.ts'
import type { Problem } from '../../event/problem.ts'
import { Conditional, FieldPath } from '../contract/config-schema.ts'
import { declareProcessor } from '../contract/define-processor.ts'
import { newOutputName, outputNameOf } from '../options/output-name.ts'

const MAX_RATE = 100_000
const HEAD_RATE = 10
const PARENT_SPAN_ID_FIELD = '.parent_span_id'
/** Options that the other way of sampling does not use. */
const REFUSED = { head: ['parent_span_id_field', 'conditionals'], tail: ['rate'] } as const

/** Trace sampling: keeps or drops whole traces. Rules: components, section 5.24. */
export const traceSampling = declareProcessor({
  type: 'trace-sampling',
  summary: 'Keep or drop whole traces.',
  config: Type.Object(
    {
      sample_type: Type.Enum(['head', 'tail'], {
        description:
          'head: the first span of a trace decides, by counting. tail: the root decides, by conditions',
      }),
      trace_id_field: Type.Optional(
        FieldPath({ default: '.trace_id', description: 'Field with the id of the trace' }),
      ),
      rate: Type.Optional(
        Type.Integer({
          minimum: 2,
          maximum: MAX_RATE,
          description: `head: one of how many traces is kept; ${HEAD_RATE} when absent`,
        }),
      ),
      parent_span_id_field: Type.Optional(
        FieldPath({
          description: `tail: field with the id of the parent span; ${PARENT_SPAN_ID_FIELD} when absent`,
        }),
      ),
      conditionals: Type.Optional(
        Type.Array(
          Type.Object(
            {
              rate: Type.Integer({
                minimum: 1,
                maximum: MAX_RATE,
                description: 'One of how many traces is kept',
              }),
              conditional: Conditional({ description: 'Condition on the root span' }),
              _output_name: Type.Optional(
                Type.String({ description: 'Name of the rule; given by the server when empty' }),
              ),
            },
            { additionalProperties: false },
          ),
          { minItems: 1, description: 'tail: rules in order of trial; the first that is met decides' },
        ),
      ),
    },
    { additionalProperties: false },
  ),
  check: memberProblems,
  complete: (stored, { previous }) =>
    stored.sample_type === 'head'
      ? { ...stored, rate: stored.rate ?? HEAD_RATE }
      : {
          ...stored,
          parent_span_id_field: stored.parent_span_id_field ?? PARENT_SPAN_ID_FIELD,
          conditionals: named(rulesOf(stored), previous === undefined ? [] : rulesOf(previous)),
        },
  configs: [
    { sent: { sample_type: 'head' }, defaults: { trace_id_field: '.trace_id', rate: 10 } },
    {
      sent: { sample_type: 'head', trace_id_field: '.trace', rate: 15 },
    },
    {
      sent: {
        sample_type: 'tail',
        conditionals: [
          {
            rate: 1,
            conditional: {
              expressions: [{ field: '.status', str_operator: 'greater_or_equal', value: 500 }],
            },
            _output_name: 'ab1869cd',
          },
        ],
      },
      defaults: {
        trace_id_field: '.trace_id',
        parent_span_id_field: '.parent_span_id',
        conditionals: [{ conditional: { expressions: [{ negate: false }], logical_operation: 'AND' } }],
      },
    },
  ],
})

function memberProblems(sent: JsonObject): Problem[] {
  const type = sent.sample_type
  if (type !== 'head' && type !== 'tail') return []
  const problems: Problem[] = REFUSED[type]
    .filter(member => sent[member] !== undefined)
    .map(member => ({ instancePath: `/${member}`, message: `must NOT be sent for ${type} sampling` }))
  if (type === 'tail' && sent.conditionals === undefined)
    problems.push({ instancePath: '', message: "must have required property 'conditionals'" })
  return problems
}

function rulesOf({ conditionals }: JsonObject): JsonObject[] {
  return Array.isArray(conditionals) ? conditionals.filter(isJsonObject) : []
}

/** A client's own names stay; a rule without one keeps the earlier name at its place, or gets a new one. */
function named(rules: readonly JsonObject[], previous: readonly JsonObject[]): JsonObject[] {
  const taken = new Set(rules.map(outputNameOf))
  return rules.map((rule, index) => {
    if (outputNameOf(rule) !== '') return rule
    const before = outputNameOf(previous[index])
    const name = taken.has(before) ? newOutputName(String(index), taken) : before
    taken.add(name)
    return { ...rule, _output_name: name }
  })
}
