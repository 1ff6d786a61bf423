import Type from 'typebox'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../../schemas/json.ts'
import { TWELFTH_BEHAVIOUR } from '../../../../schemas/log/behaviour-numbers.ts'
import { type ErrorDetail, foundType } from '../../../event/errors.ts'
import { parseFieldPath } from '../../../event/field-path.ts'
import { drop, pass } from '../../../event/outcome.ts'
import type { Problem } from '../../../event/problem.ts'
import { canonicalJson } from '../../../json/canonical-json.ts'
import { entriesOf, withMember, withoutMembers } from '../../../json/ordered-object.ts'
import { defineProcessor } from '../../contract/define-processor.ts'
import { AcceptedValues, comparedValue, type TagBounds, type TagRule } from './accepted-values.ts'

/** Maximum number of values by mode; the third is another spelling of the second. */
const MAX_VALUES = { exact: 500, probabilistic: 5000, probabalistic: 5000 } as const
type Mode = keyof typeof MAX_VALUES
const MODES = Object.keys(MAX_VALUES) as Mode[]

const TAGS = 'tags'
const TAGS_FIELD = `.${TAGS}`

interface Scope {
  readonly tags?: readonly string[]
  readonly exclude_tags?: readonly string[]
}

/**
 * Metrics tag cardinality limit: caps the distinct values per name of a tag, over all metrics. An event that is dropped leaves
 * no value behind. Rules: components, section 5.13.
 */
export const metricsTagCardinalityLimit = defineProcessor({
  type: 'metrics-tag-cardinality-limit',
  since: TWELFTH_BEHAVIOUR,
  summary:
    'Limit the number of distinct values per metric tag. Any change of the options forgets the values.',
  notes: [
    `\`value_limit\` is at most ${MAX_VALUES.exact} in \`exact\` mode, and ${MAX_VALUES.probabilistic.toLocaleString('en-US')} in \`probabilistic\` mode.`,
    'Values are those of a name in all metrics, and compared by their first 256 bytes. A tag is named by itself, or by a path such as `.tags.host`. With `drop_event`, a refused event leaves no value behind.',
    'At most 1,000 names have values. Tags with other names pass, and the error is recorded.',
  ],
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
      tags: Type.Optional(tagNames('Tags to limit; all when absent or empty')),
      exclude_tags: Type.Optional(tagNames('Tags to leave alone')),
    },
    { additionalProperties: false },
  ),
  errors: ['E_NOT_FOUND', 'E_METRIC_BAD_TYPE', 'E_CARDINALITY_LIMIT'],

  check: limitProblems,

  compile(config, report) {
    const { action = 'drop_event' } = config
    const isInScope = scopeOf(config)
    const rule = ruleOf(config)
    return (event, state: AcceptedValues) => {
      const tags = event.member(TAGS)
      if (tags === undefined) return pass(event, 'E_NOT_FOUND', { field: TAGS_FIELD })
      if (!isTags(tags)) return pass(event, 'E_METRIC_BAD_TYPE', badTags(tags))
      const refused = new Set<string>()
      const accepted: [name: string, value: string][] = []
      let beyond: string | undefined
      let names = 0
      for (const [name, value] of entriesOf(tags)) {
        if (!isInScope(name)) continue
        const compared = comparedValue(value as string)
        const verdict = state.judge(name, compared, rule, names)
        if (verdict === 'refused') refused.add(name)
        else if (verdict === 'unchecked') beyond ??= name
        else if (verdict === 'new') accepted.push([name, compared])
        if (verdict === 'new' && !state.has(name)) names++
      }
      if (beyond !== undefined) report('E_CARDINALITY_LIMIT', { field: TAGS_FIELD, captured: beyond })
      if (refused.size > 0 && action === 'drop_event') return drop()
      for (const [name, value] of accepted) state.accept(name, value, rule)
      if (refused.size === 0) return pass(event)
      const message = event.message as JsonObject
      return pass(event.withMessage(withMember(message, TAGS, withoutMembers(tags, refused))))
    }
  },

  explain(config) {
    const isInScope = scopeOf(config)
    const rule = ruleOf(config)
    return (event, state: AcceptedValues) => {
      const refused = entriesOf(event.member(TAGS) as JsonObject).filter(
        ([name, value]) =>
          isInScope(name) && state.judge(name, comparedValue(value as string), rule, 0) === 'refused',
      )
      return {
        rule: 'tags have a new value, and as many values as they may',
        tags: refused.map(([name]) => name),
        value_limit: config.value_limit,
      }
    }
  },

  state: {
    create: (_seed, bounds?: TagBounds) => new AcceptedValues(bounds),
    advance: () => true,
    snapshot: state => state.snapshot(),
    restore: (bytes, bounds) => AcceptedValues.restore(bytes, bounds),
    measure: state => state.measure(),
    keeps: (before, after) => canonicalJson(before as JsonObject) === canonicalJson(after as JsonObject),
    placement: {
      by: 'node',
      empty: state => state.empty(),
      absorb: (state, data) => state.absorb(data),
    },
  },

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

  examples: [
    {
      title: 'a tag with too many values is dropped, and the others stay',
      config: { tags: ['oven'], value_limit: 1, action: 'drop_tag' },
      steps: [
        { event: { tags: { oven: '4', site: 'x' } }, outcome: pass({ tags: { oven: '4', site: 'x' } }) },
        { event: { tags: { oven: '7', site: 'y' } }, outcome: pass({ tags: { site: 'y' } }) },
        { event: { tags: { oven: '4' } }, outcome: pass({ tags: { oven: '4' } }) },
        { event: { tags: { oven: '9' } }, outcome: pass({ tags: {} }) },
      ],
    },
    {
      title: 'an event that is dropped leaves no value behind, whichever of its tags was refused',
      config: { value_limit: 1 },
      steps: [
        { event: { tags: { a: '1' } }, outcome: pass({ tags: { a: '1' } }) },
        { event: { tags: { b: '1', a: '2' } }, outcome: drop() },
        { event: { tags: { b: '2' } }, outcome: pass({ tags: { b: '2' } }) },
        { event: { tags: { b: '1' } }, outcome: drop() },
      ],
    },
    {
      title: 'tags are named by themselves or by a path, and excluded ones are never judged',
      config: {
        tags: ['.tags.oven', 'message.tags.site'],
        exclude_tags: ['site'],
        value_limit: 1,
        mode: 'probabilistic',
      },
      steps: [
        {
          event: { tags: { oven: '4', site: 'x', app: 'a' } },
          outcome: pass({ tags: { oven: '4', site: 'x', app: 'a' } }),
        },
        {
          event: { tags: { oven: '4', site: 'y', app: 'b' } },
          outcome: pass({ tags: { oven: '4', site: 'y', app: 'b' } }),
        },
        { event: { tags: { oven: '5' } }, outcome: drop() },
      ],
    },
    {
      title: 'an empty list of tags stands for all of them, as an absent one does',
      config: { tags: [], value_limit: 1 },
      steps: [
        { event: { tags: { oven: '4' } }, outcome: pass({ tags: { oven: '4' } }) },
        { event: { tags: { oven: '7' } }, outcome: drop() },
      ],
    },
    {
      title: 'an event without tags, or whose tags are not texts, passes unchanged',
      config: { value_limit: 1 },
      steps: [
        {
          event: { name: 'm' },
          outcome: pass({ name: 'm' }, 'E_NOT_FOUND', { field: '.tags' }),
          errors: [['E_NOT_FOUND', '.tags']],
        },
        {
          event: { tags: { a: '1', b: 1 } },
          outcome: pass({ tags: { a: '1', b: 1 } }, 'E_METRIC_BAD_TYPE', {
            field: '.tags',
            found: 'number',
            cause: 'a tag is not a text',
          }),
          errors: [['E_METRIC_BAD_TYPE', '.tags']],
        },
        {
          event: { tags: ['a'] },
          outcome: pass({ tags: ['a'] }, 'E_METRIC_BAD_TYPE', {
            field: '.tags',
            found: 'array',
            cause: 'the tags are not an object',
          }),
          errors: [['E_METRIC_BAD_TYPE', '.tags']],
        },
      ],
    },
    {
      title: 'where two names of tags are judged, the values of a third pass, and the error is recorded',
      config: { value_limit: 1 },
      bounds: { maxNames: 2 } satisfies TagBounds,
      steps: [
        { event: { tags: { a: '1', b: '1' } }, outcome: pass({ tags: { a: '1', b: '1' } }) },
        {
          event: { tags: { a: '1', c: '1' } },
          outcome: pass({ tags: { a: '1', c: '1' } }),
          errors: [['E_CARDINALITY_LIMIT', '.tags']],
        },
        { event: { tags: { b: '2', c: '2' } }, outcome: drop(), errors: [['E_CARDINALITY_LIMIT', '.tags']] },
      ],
    },
  ],
})

function ruleOf({
  value_limit: limit,
  mode,
}: {
  readonly value_limit: number
  readonly mode?: Mode
}): TagRule {
  return { limit, isExact: mode === undefined || mode === 'exact' }
}

/** Returns whether a tag is judged. */
function scopeOf({ tags = [], exclude_tags: excluded = [] }: Scope): (name: string) => boolean {
  const left = new Set(excluded.map(lastKey))
  const named = new Set(tags.map(lastKey))
  return name => (named.size === 0 || named.has(name)) && !left.has(name)
}

/** The name of a tag that may be written as a path. */
function lastKey(text: string): string {
  const last = parseFieldPath(text)?.segments.at(-1)
  return typeof last === 'string' ? last : text
}

function isTags(tags: JsonValue): tags is JsonObject {
  return isJsonObject(tags) && entriesOf(tags).every(([, value]) => typeof value === 'string')
}

function badTags(tags: JsonValue): ErrorDetail {
  const field = TAGS_FIELD
  if (!isJsonObject(tags)) return { field, found: foundType(tags), cause: 'the tags are not an object' }
  const [, tag] = entriesOf(tags).find(([, value]) => typeof value !== 'string') ?? []
  return { field, found: foundType(tag), cause: 'a tag is not a text' }
}

function tagNames(description: string) {
  const name = Type.String({ minLength: 1, maxLength: 100, description: 'Name of a tag' })
  return Type.Array(name, { maxItems: 10, description })
}

function limitProblems({ value_limit: limit, mode = 'exact' }: JsonObject): Problem[] {
  const found = MODES.find(name => name === mode)
  if (found === undefined || typeof limit !== 'number' || limit <= MAX_VALUES[found]) return []
  return [{ instancePath: '/value_limit', message: `must be <= ${MAX_VALUES[found]}` }]
}
