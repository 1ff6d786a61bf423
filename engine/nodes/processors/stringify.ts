import Type from 'typebox'
import { declareProcessor } from '../contract/define-processor.ts'

/** Stringify: the message becomes its JSON text. Rules: components, section 5.22. */
export const stringify = declareProcessor({
  type: 'stringify',
  summary: 'Turn each message into its JSON text.',
  config: Type.Object({}, { additionalProperties: false }),
  configs: [{ sent: {} }],
})
