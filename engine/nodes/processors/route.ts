import Type from 'typebox'
import { isJsonObject, type JsonObject } from '../../../schemas/json.ts'
import { compileCondition, JUDGING_CODES, uncountedUnits } from '../../conditions/condition.ts'
import { route as leaveBy } from '../../event/outcome.ts'
import { Conditional } from '../contract/config-schema.ts'
import { defineProcessor } from '../contract/define-processor.ts'
import { newOutputName, outputNameOf, UNMATCHED } from '../options/output-name.ts'

const NO_MATCH: readonly string[] = [UNMATCHED.name]

/**
 * Route: an event leaves by every output whose condition is true for it, or by `_unmatched`. Rules: components, section
 * 5.19; names of outputs: pipeline API, section 2.3.
 */
export const route = defineProcessor({
  type: 'route',
  summary: 'Send events different ways by conditions.',
  config: Type.Object(
    {
      conditionals: Type.Array(
        Type.Object(
          {
            label: Type.String({ minLength: 1, maxLength: 255, description: 'Name shown for the output' }),
            conditional: Conditional({ description: 'Condition on the event' }),
            _output_name: Type.Optional(Type.String({ description: 'Given by the server' })),
          },
          { additionalProperties: false },
        ),
        { minItems: 1, description: 'Outputs with the conditions that lead to them' },
      ),
    },
    { additionalProperties: false },
  ),
  errors: JUDGING_CODES,

  complete: (config, { previous }) => ({
    ...config,
    conditionals: withOutputNames(rulesOf(config), previous === undefined ? [] : rulesOf(previous)),
  }),

  outputs: config => [
    UNMATCHED,
    ...rulesOf(config).map(rule => ({ name: outputNameOf(rule), label: String(rule.label) })),
  ],

  compile({ conditionals }, report, meter) {
    const rules = conditionals.map(({ conditional, _output_name: name = '' }) => ({
      meets: compileCondition(conditional, report, meter),
      alone: [name] as readonly string[],
    }))
    const units = uncountedUnits(conditionals.map(({ conditional }) => conditional))
    return event => {
      if (units > 0) meter.work(units)
      let only: readonly string[] | undefined
      let several: string[] | undefined
      for (const { meets, alone } of rules) {
        if (!meets(event)) continue
        if (only === undefined) only = alone
        else if (several === undefined) several = [...only, ...alone]
        else several.push(...alone)
      }
      return leaveBy(event, several ?? only ?? NO_MATCH)
    }
  },

  configs: [
    {
      sent: {
        conditionals: [
          {
            label: 'hot',
            conditional: { expressions: [{ field: '.t', str_operator: 'greater', value: 200 }] },
          },
        ],
      },
      defaults: {
        conditionals: [
          {
            conditional: { expressions: [{ negate: false }], logical_operation: 'AND' },
            _output_name: 'XXXXXXXX',
          },
        ],
      },
    },
  ],

  examples: [
    {
      title: 'an event leaves by every output that it fits, and by the rest output when it fits none',
      config: {
        conditionals: [
          {
            label: 'hot',
            _output_name: 'aaaaaaaa',
            conditional: { expressions: [{ field: '.t', str_operator: 'greater', value: 200 }] },
          },
          {
            label: 'bakery',
            _output_name: 'bbbbbbbb',
            conditional: { expressions: [{ field: '.site', str_operator: 'equal', value: 'bakery' }] },
          },
        ],
      },
      steps: [
        {
          event: { t: 231, site: 'Bakery' },
          outcome: leaveBy({ t: 231, site: 'Bakery' }, ['aaaaaaaa', 'bbbbbbbb']),
        },
        { event: { t: 20, site: 'bakery' }, outcome: leaveBy({ t: 20, site: 'bakery' }, ['bbbbbbbb']) },
        { event: { t: 20, site: 'shop' }, outcome: leaveBy({ t: 20, site: 'shop' }, ['_unmatched']) },
      ],
    },
    {
      title: 'a condition that cannot be judged is false: the error is recorded and the event goes its way',
      config: {
        conditionals: [
          {
            label: 'inside',
            _output_name: 'cccccccc',
            conditional: {
              logical_operation: 'OR',
              expressions: [
                { field: '.from', str_operator: 'is_ip_in_cidr_range', value: '10.0.0.0/8' },
                { field: '.hops', str_operator: 'less', value: 2 },
              ],
            },
          },
        ],
      },
      steps: [
        {
          event: { from: 'somewhere', hops: '1' },
          outcome: leaveBy({ from: 'somewhere', hops: '1' }, ['_unmatched']),
          errors: [
            ['E_COMPARE_BAD_CIDR', '.from'],
            ['E_COMPARE_COERCION_FAILED', '.hops'],
          ],
        },
        {
          event: { from: 7 },
          outcome: leaveBy({ from: 7 }, ['_unmatched']),
          errors: [
            ['E_COMPARE_BAD_TYPE', '.from'],
            ['E_NOT_FOUND', '.hops'],
          ],
        },
      ],
    },
  ],
})

/**
 * Returns the rules; none when the options were refused, because outputs are needed even then, to report all findings at
 * once.
 */
function rulesOf({ conditionals }: { readonly conditionals?: unknown }): JsonObject[] {
  return Array.isArray(conditionals) ? conditionals.filter(isJsonObject) : []
}

/**
 * Gives every rule its previous name, so that inputs of other nodes stay valid. A rule is found by the name that a client
 * sends back, then by label, then by position. A new rule gets a new name.
 */
function withOutputNames(rules: readonly JsonObject[], previous: readonly JsonObject[]): JsonObject[] {
  const free = new Set(previous.keys())
  const names = new Map<JsonObject, string>()
  const claim = (rule: JsonObject, index: number | undefined) => {
    if (index === undefined || names.has(rule) || !free.delete(index)) return
    names.set(rule, outputNameOf(previous[index]))
  }
  const freeWhere = (fits: (rule: JsonObject | undefined) => boolean) =>
    [...free].find(index => fits(previous[index]))
  for (const rule of rules) {
    const sent = outputNameOf(rule)
    if (sent !== '')
      claim(
        rule,
        freeWhere(old => outputNameOf(old) === sent),
      )
  }
  for (const rule of rules)
    if (!names.has(rule))
      claim(
        rule,
        freeWhere(old => old?.label === rule.label),
      )
  for (const [index, rule] of rules.entries()) claim(rule, index)
  const taken = new Set(previous.map(outputNameOf))
  return rules.map((rule, index) => {
    const name = names.get(rule) ?? newOutputName(`${index} ${String(rule.label)}`, taken)
    return { ...rule, _output_name: name }
  })
}
