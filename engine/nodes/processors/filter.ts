import Type from 'typebox'
import { compileCondition, JUDGING_CODES } from '../../conditions/condition.ts'
import {
  compileOnColumns,
  MET,
  NOT_MET,
  UNKNOWN,
  uncountedPaths,
} from '../../conditions/condition-columns.ts'
import { explainCondition } from '../../conditions/condition-explanation.ts'
import { drop, pass } from '../../event/outcome.ts'
import { DROPPED, NO_LINE, PASSED, UNDECIDED } from '../contract/column-form.ts'
import { Conditional } from '../contract/config-schema.ts'
import { defineProcessor } from '../contract/define-processor.ts'

/**
 * Filter: passes events that meet a condition, unchanged. Rules: components, section 5.9; effects of errors on a
 * condition: section 3.5.
 */
export const filter = defineProcessor({
  type: 'filter',
  summary: 'Keep or drop events by a condition.',
  config: Type.Object(
    {
      action: Type.Enum(['allow', 'drop'], {
        description:
          'allow: events that meet the condition pass, all others are dropped. drop: the other way round',
      }),
      conditional: Conditional({ description: 'Condition on the event' }),
    },
    { additionalProperties: false },
  ),
  errors: JUDGING_CODES,

  compile({ action, conditional }, report, meter) {
    const meets = compileCondition(conditional, report, meter)
    const passesWhen = action === 'allow'
    return event => (meets(event) === passesWhen ? event : drop())
  },

  columns: {
    paths: ({ conditional }) => uncountedPaths(conditional),
    compile({ action, conditional }) {
      const prepare = compileOnColumns(conditional)
      const outcomes: number[] = []
      outcomes[UNKNOWN] = UNDECIDED
      outcomes[MET] = action === 'allow' ? PASSED : DROPPED
      outcomes[NOT_MET] = action === 'allow' ? DROPPED : PASSED
      return columns => {
        const judge = prepare(columns)
        return (lines, count, judged) => {
          for (let index = 0; index < count; index++) {
            const line = lines[index] as number
            judged[index] = outcomes[line === NO_LINE ? UNKNOWN : judge(line)] as number
          }
        }
      }
    },
  },

  explain({ action, conditional }) {
    const comparisons = explainCondition(conditional)
    const rule = action === 'drop' ? 'the condition is met' : 'the condition is not met'
    return event => ({ rule, action, comparisons: comparisons(event) })
  },

  configs: [
    {
      sent: {
        action: 'drop',
        conditional: { expressions: [{ field: '.level', str_operator: 'equal', value: 'debug' }] },
      },
      defaults: { conditional: { expressions: [{ negate: false }], logical_operation: 'AND' } },
    },
  ],

  examples: [
    {
      title: 'heavy or fragile things pass; a weight in words is not a weight',
      config: {
        action: 'allow',
        conditional: {
          logical_operation: 'OR',
          expressions: [
            { field: '.kg', str_operator: 'greater', value: 20 },
            { field: '.tag', str_operator: 'equal', value: 'FRAGILE' },
          ],
        },
      },
      steps: [
        { event: { kg: 25 }, outcome: pass({ kg: 25 }) },
        { event: { kg: 3, tag: 'fragile' }, outcome: pass({ kg: 3, tag: 'fragile' }) },
        {
          event: { kg: '30' },
          outcome: drop(),
          errors: [
            ['E_COMPARE_COERCION_FAILED', '.kg'],
            ['E_NOT_FOUND', '.tag'],
          ],
        },
      ],
    },
    {
      title: 'under drop, an event that the condition cannot judge passes',
      config: {
        action: 'drop',
        conditional: { expressions: [{ field: '.size', str_operator: 'less', value: 10 }] },
      },
      steps: [
        { event: { size: 9 }, outcome: drop() },
        { event: { size: 10 }, outcome: pass({ size: 10 }) },
        {
          event: { size: null },
          outcome: pass({ size: null }),
          errors: [['E_COMPARE_BAD_TYPE', '.size']],
        },
      ],
    },
    {
      title: 'addresses of a network pass',
      config: {
        action: 'allow',
        conditional: {
          expressions: [
            { field: '.from', str_operator: 'is_ip_in_cidr_range', value: '10.0.0.0/8,fd00::/8' },
          ],
        },
      },
      steps: [
        { event: { from: '10.255.0.1' }, outcome: pass({ from: '10.255.0.1' }) },
        { event: { from: 'fd12::1' }, outcome: pass({ from: 'fd12::1' }) },
        { event: { from: '11.0.0.0' }, outcome: drop() },
        { event: { from: 'localhost' }, outcome: drop(), errors: [['E_COMPARE_BAD_CIDR', '.from']] },
      ],
    },
  ],
})
