import Type from 'typebox'
import { ScriptText } from '../contract/config-schema.ts'
import { declareProcessor } from '../contract/define-processor.ts'

const SCRIPT = `function tidy(message, metadata) {
  if (message.kind != 'oven') { return null }
  message.label = message.kind.toUpperCase() + '-' + message.number.toString()
  metadata.tidied = 'yes'
  return message
}
`

/** Script: one function of the user's per event. Rules: components, section 5.11. */
export const jsScript = declareProcessor({
  type: 'js-script',
  aliases: ['script-execution'],
  summary: 'Run a function of your own on each event.',
  config: Type.Object(
    {
      script: ScriptText({
        description: 'One JavaScript function of message, metadata, timestamp and annotations',
      }),
    },
    { additionalProperties: false },
  ),
  configs: [{ sent: { script: SCRIPT } }],
})
