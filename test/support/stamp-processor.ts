import { createHash } from 'node:crypto'
import Type from 'typebox'
import { defineProcessor } from '../../engine/nodes/contract/define-processor.ts'
import { Secret } from '../../engine/nodes/contract/secret.ts'

/** A processor that needs its secret in the fold: it replaces each line by a digest of the key and the line. */
export const stamp = defineProcessor({
  type: 'stamp',
  summary: 'Replace lines by digests.',
  config: Type.Object({ key: Secret({ description: 'Key' }) }, { additionalProperties: false }),
  foldSecrets: ['key'],
  errors: [],
  compile:
    ({ key }) =>
    event =>
      event.withMessage({ line: stampOf(key, String(event.member('line'))) }),
  configs: [{ sent: { key: 'a key' } }],
  examples: [],
})

export function stampOf(key: string, line: string): string {
  return createHash('sha256').update(`${key} ${line}`).digest('hex')
}
