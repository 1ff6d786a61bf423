import { hash } from 'node:crypto'
import Type from 'typebox'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../../schemas/json.ts'
import { TWELFTH_BEHAVIOUR } from '../../../../schemas/log/behaviour-numbers.ts'
import type { Event } from '../../../event/event.ts'
import { type Field, fieldAt } from '../../../event/field-path.ts'
import { pass } from '../../../event/outcome.ts'
import type { Problem } from '../../../event/problem.ts'
import { capturingProblem, compileCapturing } from '../../../expressions/captures/capturing-expression.ts'
import { FieldPath, RegularExpressionText } from '../../contract/config-schema.ts'
import { defineProcessor } from '../../contract/define-processor.ts'
import { knownPattern } from './personal-data.ts'
import { type Pattern, Redaction, type Rule } from './redaction.ts'

const MAX_PATTERNS = 20
const CUSTOM = 'custom'
const KNOWN_PATTERNS = [
  ...(['credit_card', 'email_address', 'ipv4_address', 'phone_number'] as const),
  'us_social_security_number' as const,
]
const DEFAULT_REPLACEMENT = '[REDACTED]'
const DEFAULT_HASH_ALGORITHM = 'sha2'

/** Its matches overlap those of other patterns, so it works on their results. */
const LAST_PATTERN = 'phone_number'
/** Units of a digest: it takes about a microsecond. */
const HASH_UNITS = 256

/** Names of the digests in OpenSSL. */
const DIGESTS = { md5: 'md5', sha1: 'sha1', sha2: 'sha512-256', sha3: 'sha3-512' } as const

interface RuleOptions {
  readonly pattern: string
  readonly expression?: string
  readonly action: 'replace' | 'hash' | 'detect_only'
  readonly replacement?: string
  readonly hash_algorithm?: keyof typeof DIGESTS
}

interface NamedRule extends Rule {
  /** Name of the pattern in the metadata. */
  readonly name: string
}

/**
 * Redact: finds personal data in all texts of a field and replaces, hashes or reports it. The patterns work in their order, but the
 * one for phone numbers comes last. Rules: components, sections 5.17 and 9.6.
 */
export const redact = defineProcessor({
  type: 'redact',
  aliases: ['mask-pii'],
  since: TWELFTH_BEHAVIOUR,
  summary: 'Replace, hash or report personal data.',
  notes: [
    'Texts are searched at every depth; names of members, numbers and booleans are not. Patterns work in their order, each on the result of the one before, and `phone_number` last.',
    'With `pii_presence`, `metadata.pii_presence` has a member with the value `yes` for each pattern that matched: its name, or for `custom` the name of its first named group, or `custom`.',
  ],
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
  errors: ['E_NOT_FOUND', 'E_EXPRESSION_COST'],

  check: ({ patterns }) => (Array.isArray(patterns) ? patterns.flatMap(expressionProblems) : []),
  complete: stored => ({
    ...stored,
    patterns: Array.isArray(stored.patterns) ? stored.patterns.filter(isJsonObject).map(withDefaults) : [],
  }),
  // The options of a node that is being edited may be incomplete.
  runProblems: ({ patterns }: { readonly patterns?: unknown }) =>
    (Array.isArray(patterns) ? patterns : []).flatMap((options: unknown, index) => {
      if (!isJsonObject(options) || options.pattern !== CUSTOM || typeof options.expression !== 'string')
        return []
      const message = capturingProblem(options.expression)
      return message === undefined ? [] : [{ instancePath: `/patterns/${index}/expression`, message }]
    }),

  compile({ field = '.', patterns, pii_presence: notes = false }, _report, meter) {
    const place = fieldAt(field)
    // A rule that neither changes nor notes anything need not search.
    const rules = inOrder(patterns)
      .filter(({ action }) => notes || action !== 'detect_only')
      .map(ruleOf)
    const presence = notes ? rules.map(({ name }) => fieldAt(`metadata.pii_presence."${name}"`)) : []
    return event => {
      const value = place.read(event)
      if (value === undefined) return pass(event, 'E_NOT_FOUND', { field: place.text })
      const { value: redacted, found } = meter.count(() => new Redaction(rules, value))
      let result = event
      if (redacted !== value) {
        meter.work(place.writeUnits(event))
        result = place.write(event, redacted)
      }
      return pass(presence.reduce((noted, at, index) => (found[index] ? withNote(noted, at) : noted), result))
    }
  },

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

  examples: [
    {
      title: 'matches are replaced at every depth; the metadata notes which patterns were found',
      config: {
        field: '.note',
        patterns: [
          { pattern: 'email_address', action: 'replace', replacement: '<mail>' },
          { pattern: CUSTOM, expression: '(?<staff_no>S-\\d{4})', action: 'detect_only' },
          { pattern: 'credit_card', action: 'replace' },
        ],
        pii_presence: true,
      },
      steps: [
        {
          event: { note: 'S-0042 wrote to ida@fjord.example' },
          outcome: pass({ note: 'S-0042 wrote to <mail>' }),
          metadataAfter: { pii_presence: { email_address: 'yes', staff_no: 'yes' } },
        },
        {
          event: { note: { to: ['ida@fjord.example', { cc: 'ole@fjord.example' }] }, by: 'a@fjord.example' },
          outcome: pass({ note: { to: ['<mail>', { cc: '<mail>' }] }, by: 'a@fjord.example' }),
          metadataAfter: { pii_presence: { email_address: 'yes' } },
        },
        { event: { note: 'nothing' }, outcome: pass({ note: 'nothing' }), metadataAfter: {} },
      ],
    },
    {
      title: 'a digest takes the place of the matched text; the rest of the text stays',
      config: {
        patterns: [
          { pattern: 'ipv4_address', action: 'hash', hash_algorithm: 'md5' },
          { pattern: 'us_social_security_number', action: 'hash' },
        ],
      },
      steps: [
        {
          event: { at: 'from 192.0.2.7: denied' },
          outcome: pass({ at: 'from 6cyT2K4jz8WUHOx8xO54ig==: denied' }),
        },
        {
          event: ['219-09-9999'],
          outcome: pass(['e4twc90tFW8W0LeNW20G8CdVX6JsobY6nktgsnqNTbE=']),
        },
      ],
    },
    {
      title: 'each pattern works on the result of the one before, and phone numbers come last',
      config: {
        patterns: [
          { pattern: 'phone_number', action: 'replace', replacement: '<phone>' },
          { pattern: 'credit_card', action: 'replace', replacement: '<card>' },
          { pattern: CUSTOM, expression: '<c\\w+>', action: 'replace', replacement: '$&' },
        ],
      },
      steps: [
        {
          event: '4111111111111111, then +47 555-010-9999',
          outcome: pass('$&, then <phone>'),
        },
      ],
    },
    {
      title: 'keys, numbers and booleans stay, and a field without texts is not an error',
      config: {
        field: '.a',
        patterns: [{ pattern: 'ipv4_address', action: 'replace', replacement: '' }],
        pii_presence: true,
      },
      steps: [
        {
          event: { a: { '192.0.2.7': [1920027, true, null, '192.0.2.7'] } },
          outcome: pass({ a: { '192.0.2.7': [1920027, true, null, ''] } }),
          metadataAfter: { pii_presence: { ipv4_address: 'yes' } },
        },
        { event: { a: 5 }, outcome: pass({ a: 5 }), metadataAfter: {} },
      ],
    },
    {
      title: 'a missing field is recorded, and the event passes',
      config: { field: '.note', patterns: [{ pattern: 'email_address', action: 'replace' }] },
      steps: [
        {
          event: { text: 'ida@fjord.example' },
          outcome: pass({ text: 'ida@fjord.example' }, 'E_NOT_FOUND', { field: '.note' }),
          errors: [['E_NOT_FOUND', '.note']],
        },
      ],
    },
  ],
})

function inOrder(patterns: readonly RuleOptions[]): RuleOptions[] {
  const isLast = ({ pattern }: RuleOptions) => pattern === LAST_PATTERN
  return [...patterns.filter(options => !isLast(options)), ...patterns.filter(isLast)]
}

function ruleOf(options: RuleOptions): NamedRule {
  const { pattern: name, expression, action } = options
  const isCustom = name === CUSTOM && expression !== undefined
  const pattern = isCustom ? customPattern(expression) : knownPattern(name)
  return {
    ...pattern,
    name: isCustom ? (pattern.expression.names[0]?.name ?? CUSTOM) : name,
    replacementUnits: action === 'hash' ? HASH_UNITS : 0,
    ...(action !== 'detect_only' && { replacementOf: replacementOf(options) }),
  }
}

function customPattern(expression: string): Pattern {
  return { expression: compileCapturing(expression), group: 0, digits: 0 }
}

function replacementOf({
  action,
  replacement = DEFAULT_REPLACEMENT,
  hash_algorithm: algorithm = DEFAULT_HASH_ALGORITHM,
}: RuleOptions): (matched: string) => string {
  if (action === 'replace') return () => replacement
  return matched => hash(DIGESTS[algorithm], matched, 'base64')
}

function withNote(event: Event, at: Field): Event {
  return at.read(event) === 'yes' ? event : at.write(event, 'yes')
}

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
