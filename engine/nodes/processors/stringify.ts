import Type from 'typebox'
import { TWELFTH_BEHAVIOUR } from '../../../schemas/log/behaviour-numbers.ts'
import { pass } from '../../event/outcome.ts'
import { jsonText } from '../../json/json-text.ts'
import { defineProcessor } from '../contract/define-processor.ts'
import { COPIED_AT_ONCE_BITS } from '../contract/option-work.ts'

/**
 * Stringify: the message becomes its compact JSON text, with its keys in their order. A message that is a string stays as it
 * is. Rules: components, section 5.22.
 */
export const stringify = defineProcessor({
  type: 'stringify',
  since: TWELFTH_BEHAVIOUR,
  summary: 'Turn each message into its JSON text.',
  config: Type.Object({}, { additionalProperties: false }),
  errors: ['E_EXPRESSION_COST'],

  compile(_config, _report, meter) {
    return event => {
      const printed = event.printedMessage
      if (printed === undefined && typeof event.message === 'string') return pass(event)
      // Each round of wrapping a text into an object and printing it again doubles its backslashes.
      meter.work(event.bytes >> COPIED_AT_ONCE_BITS, 'size')
      return pass(
        event.withMessage(
          printed === undefined ? jsonText(event.message) : printed.batch.lineText(printed.index),
        ),
      )
    }
  },

  configs: [{ sent: {} }],

  examples: [
    {
      title: 'the text has neither blanks nor escapes that it does not need, and the keys are in their order',
      config: {},
      steps: [
        { event: { b: 1, a: ['x', null] }, outcome: pass('{"b":1,"a":["x",null]}') },
        { event: { straße: '€ 😀', tab: '\t' }, outcome: pass('{"straße":"€ 😀","tab":"\\t"}') },
        { event: [], outcome: pass('[]') },
        { event: null, outcome: pass('null') },
      ],
    },
    {
      title: 'large integers keep all digits',
      config: {},
      steps: [
        {
          event: { n: 9007199254740993n, m: -18446744073709551616n, whole: 2, zero: -0 },
          outcome: pass('{"n":9007199254740993,"m":-18446744073709551616,"whole":2,"zero":0}'),
        },
      ],
    },
    {
      title: 'a message that is already a text stays as it is',
      config: {},
      steps: [
        { event: 'a text', outcome: pass('a text') },
        { event: '{"a":1}', outcome: pass('{"a":1}') },
      ],
    },
  ],
})
