import Type from 'typebox'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../schemas/json.ts'
import type { Problem } from '../../event/problem.ts'
import { FieldPath, RegularExpressionText } from '../contract/config-schema.ts'
import { declareProcessor } from '../contract/define-processor.ts'

const MAX_PATTERNS = 20
const CUSTOM = 'custom'
const KNOWN_PATTERNS = [
  ...(['credit_card', 'email_address', 'ipv4_address', 'phone_number'] as const),
  'us_social_security_number' as const,
]
const DEFAULT_REPLACEMENT = '[REDACTED]'
const DEFAULT_HASH_ALGORITHM = 'sha2'

/** Redact: finds personal data in texts and replaces, hashes or reports it. Rules: components, section 5.17. */
export const redact = declareProcessor({
  type: 'redact',
  aliases: ['mask-pii'],
  summary: 'Replace, hash or report personal data.',
  config: Type.Object(
    {
      field: Type.Optional(FieldPath({ description: 'Field to search; the whole message when absent' })),
      patterns: Type.Array(
        Type.Object(
          {
            pattern: Type.Enum([...KNOWN_PATTERNS, CUSTOM], { description: 'Kind of text to find' }),
            expression: Type.Optional(
              RegularExpressionText({ description: 'For custom: expression to find' }),
            ),
            action: Type.Enum(['replace', 'hash', 'detect_only'], {
              description: 'Action on each match',
            }),
            replacement: Type.Optional(
              Type.String({
                description: `For replace: the replacement text; ${DEFAULT_REPLACEMENT} when absent`,
              }),
            ),
            hash_algorithm: Type.Optional(
              Type.Enum(['md5', 'sha1', 'sha2', 'sha3'], {
                description: `For hash: the digest that is put in its place; ${DEFAULT_HASH_ALGORITHM} when absent`,
              }),
            ),
          },
          { additionalProperties: false },
        ),
        {
          minItems: 1,
          maxItems: MAX_PATTERNS,
          description: 'Patterns; each works on the result of the previous one',
        },
      ),
      pii_presence: Type.Optional(
        Type.Boolean({ default: false, description: 'Note in the metadata which patterns were found' }),
      ),
    },
    { additionalProperties: false },
  ),
  check: ({ patterns }) => (Array.isArray(patterns) ? patterns.flatMap(expressionProblems) : []),
  complete: stored => ({
    ...stored,
    patterns: Array.isArray(stored.patterns) ? stored.patterns.filter(isJsonObject).map(withDefaults) : [],
  }),
  configs: [
    {
      sent: {
        field: '.note',
        patterns: [
          { pattern: 'email_address', action: 'replace' },
          { pattern: 'credit_card', action: 'hash' },
          { pattern: CUSTOM, expression: '(?<staff_no>S-\\d{4})', action: 'detect_only' },
        ],
        pii_presence: true,
      },
      defaults: { patterns: [{ replacement: '[REDACTED]' }, { hash_algorithm: 'sha2' }, {}] },
    },
    {
      sent: {
        patterns: [
          { pattern: 'phone_number', action: 'replace', replacement: '' },
          { pattern: 'ipv4_address', action: 'hash', hash_algorithm: 'sha3' },
        ],
      },
      defaults: { pii_presence: false },
    },
  ],
})

function expressionProblems(rule: JsonValue, index: number): Problem[] {
  if (!isJsonObject(rule) || rule.pattern !== CUSTOM || rule.expression !== undefined) return []
  return [{ instancePath: `/patterns/${index}`, message: "must have required property 'expression'" }]
}

/** Requires the options of an action, and refuses those of another. */
function withDefaults(rule: JsonObject): JsonObject {
  if (rule.action === 'replace') return { ...rule, replacement: rule.replacement ?? DEFAULT_REPLACEMENT }
  if (rule.action === 'hash')
    return { ...rule, hash_algorithm: rule.hash_algorithm ?? DEFAULT_HASH_ALGORITHM }
  return rule
}
