import Type from 'typebox'
import { TWELFTH_BEHAVIOUR } from '../../../../schemas/log/behaviour-numbers.ts'
import type { Event } from '../../../event/event.ts'
import { type FieldPath as ParsedPath, parseFieldPath, removalsOf } from '../../../event/field-path.ts'
import { drop, pass } from '../../../event/outcome.ts'
import type { Segment } from '../../../event/path-segments.ts'
import { canonicalJson } from '../../../json/canonical-json.ts'
import { FieldPath } from '../../contract/config-schema.ts'
import { type CostMeter, defineProcessor } from '../../contract/define-processor.ts'
import { ENTRY_UNITS, UNCOUNTED_ENTRIES, UNCOUNTED_PASSES } from '../../contract/option-work.ts'
import { keyHash, valuesKey } from '../../contract/values-key.ts'
import { keptKey, RecentKeys } from './recent-keys.ts'

const MAX_REMEMBERED_EVENTS = 5000

interface Compared {
  readonly fields: readonly string[]
  readonly comparison_type?: 'Match' | 'Ignore'
}

/**
 * Dedupe: the first of equal events passes, the rest are dropped. Events are equal to those among the last distinct ones that
 * have the same values, or the same message without some fields. A dropped event counts as a use of its key. Rules: components,
 * section 5.5.
 */
export const dedupe = defineProcessor({
  type: 'dedupe',
  since: TWELFTH_BEHAVIOUR,
  summary:
    'Drop events that equal one of the last distinct ones. Other fields, or another comparison, forget the remembered events.',
  notes: [
    'Objects are equal whatever the order of their keys, lists only in the same order. `1` and `"1"` differ, and so do null and a missing field. `Ignore` compares the message alone, without metadata and timestamp.',
    'A duplicate renews the memory of its event. Each partition remembers `number_of_events` on its own. A key of more than 512 bytes is remembered as its SHA-256.',
  ],
  config: Type.Object(
    {
      fields: Type.Array(FieldPath({ description: 'Field such as .request_id' }), {
        minItems: 1,
        description: 'Fields to compare, or to leave out of the comparison',
      }),
      number_of_events: Type.Optional(
        Type.Integer({
          minimum: 2,
          maximum: MAX_REMEMBERED_EVENTS,
          default: MAX_REMEMBERED_EVENTS,
          description: 'Number of distinct events that are remembered',
        }),
      ),
      comparison_type: Type.Optional(
        Type.Enum(['Match', 'Ignore'], {
          default: 'Match',
          description: 'Match: compare the fields. Ignore: compare the message without them',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  errors: ['E_EXPRESSION_COST'],

  compile(config, _report, meter) {
    const { number_of_events: limit = MAX_REMEMBERED_EVENTS } = config
    const keyOf = comparedKey(config, meter)
    return (event, state: RecentKeys, nowMs) => (state.use(keyOf(event), nowMs, limit) ? drop() : pass(event))
  },

  explain({
    fields,
    comparison_type: compared = 'Match',
    number_of_events: remembered = MAX_REMEMBERED_EVENTS,
  }) {
    return (_event, { twinMs = 0 }) => ({
      rule: 'an equal event is among the remembered ones',
      equal_event_at: new Date(twinMs).toISOString(),
      comparison_type: compared,
      fields: [...fields],
      number_of_events: remembered,
    })
  },

  state: {
    create: () => new RecentKeys(),
    advance: () => true,
    snapshot: state => state.snapshot(),
    restore: bytes => RecentKeys.restore(bytes),
    measure: state => ({ keys: state.count, bytes: state.bytes }),
    // A smaller number forgets the keys that were used least recently.
    keeps: (before, after) => comparedText(before) === comparedText(after),
    placement: {
      by: 'key',
      hash: (config, meter) => {
        const keyOf = comparedKey(config, meter)
        return event => keyHash(keyOf(event))
      },
      split: (state, shares, shareOf) => state.split(shares, shareOf),
      absorb: (state, data) => state.absorb(data),
    },
  },

  configs: [
    {
      sent: { fields: ['.badge'] },
      defaults: { number_of_events: 5000, comparison_type: 'Match' },
    },
    {
      sent: { fields: ['.seen_at', '.trace.id'], number_of_events: 2, comparison_type: 'Ignore' },
    },
  ],

  examples: [
    {
      title: 'two badges are remembered, and a repeat counts as a use',
      config: { fields: ['.badge'], number_of_events: 2 },
      steps: [
        { event: { badge: 7 }, outcome: pass({ badge: 7 }) },
        { event: { badge: 8 }, outcome: pass({ badge: 8 }) },
        { event: { badge: 7 }, outcome: drop() },
        { event: { badge: 9 }, outcome: pass({ badge: 9 }) },
        { event: { badge: 8 }, outcome: pass({ badge: 8 }) },
        { event: { badge: 7 }, outcome: pass({ badge: 7 }) },
      ],
    },
    {
      title: 'types count, and a missing field differs from null',
      config: { fields: ['.a', '.b'] },
      steps: [
        { event: { a: 1 }, outcome: pass({ a: 1 }) },
        { event: { a: '1' }, outcome: pass({ a: '1' }) },
        { event: { a: true }, outcome: pass({ a: true }) },
        { event: { a: null }, outcome: pass({ a: null }) },
        { event: { c: 1 }, outcome: pass({ c: 1 }) },
        { event: { c: 2 }, outcome: drop() },
        { event: { b: 1 }, outcome: pass({ b: 1 }) },
      ],
    },
    {
      title: 'objects are equal by their members, whatever their order, and arrays by their order',
      config: { fields: ['.a'] },
      steps: [
        { event: { a: { x: 1, y: [1, 2] } }, outcome: pass({ a: { x: 1, y: [1, 2] } }) },
        { event: { a: { y: [1, 2], x: 1 } }, outcome: drop() },
        { event: { a: { x: 1, y: [2, 1] } }, outcome: pass({ a: { x: 1, y: [2, 1] } }) },
      ],
    },
    {
      title: 'fields to ignore are those of the message as it is, also elements of one list',
      config: { fields: ['.l[0]', '.l[1]'], comparison_type: 'Ignore' },
      steps: [
        { event: { l: [1, 2, 3] }, outcome: pass({ l: [1, 2, 3] }) },
        { event: { l: [9, 2, 9] }, outcome: pass({ l: [9, 2, 9] }) },
        { event: { l: [8, 7, 9] }, outcome: drop() },
      ],
    },
    {
      title: 'the whole message may be compared without some fields; metadata never take part',
      config: { fields: ['.at', '.trace.id', 'metadata.x'], comparison_type: 'Ignore' },
      steps: [
        {
          event: { n: 1, at: 5, trace: { id: 'a' } },
          envelope: { metadata: { x: 1, y: 1 } },
          outcome: pass({ n: 1, at: 5, trace: { id: 'a' } }),
        },
        { event: { trace: { id: 'b' }, n: 1 }, envelope: { metadata: { y: 2 } }, outcome: drop() },
        { event: { n: 1 }, outcome: pass({ n: 1 }) },
        { event: 'a text', outcome: pass('a text') },
        { event: 'a text', outcome: drop() },
      ],
    },
  ],
})

/** Prepares the stored form of the key by which events are compared. */
function comparedKey(compared: Compared, meter: CostMeter): (event: Event) => string {
  const textOf =
    compared.comparison_type === 'Ignore' ? restText(compared, meter) : valuesKey(compared.fields, meter)
  return event => keptKey(textOf(event))
}

/** Prepares the canonical text of the message without some fields. A message that is a string is compared whole. */
function restText({ fields }: Compared, meter: CostMeter): (event: Event) => string {
  const removals = removalsOf(lastFirst(fields))
  const isCounted = removals.length > UNCOUNTED_PASSES || fields.length > UNCOUNTED_ENTRIES
  return event => {
    if (typeof event.message === 'string') return canonicalJson(event.message)
    if (isCounted) meter.work(fields.length * ENTRY_UNITS)
    let rest = event
    for (const removal of removals) {
      if (isCounted) meter.work(removal.copyUnits(rest))
      rest = removal.remove(rest)
    }
    return canonicalJson(rest.message)
  }
}

/**
 * Paths name places of the message as it is, and the removal of an element moves those behind it. So elements of lists are removed
 * from behind, each once.
 */
function lastFirst(fields: readonly string[]): readonly string[] {
  const places = new Map<string, { readonly field: string; readonly segments: readonly Segment[] }>()
  for (const field of fields) {
    const { root, segments } = parseFieldPath(field) as ParsedPath
    places.set(canonicalJson([root, ...segments]), { field, segments })
  }
  const isInList = ({ segments }: { readonly segments: readonly Segment[] }) =>
    segments.some(segment => typeof segment === 'number')
  if (![...places.values()].some(isInList)) return fields
  return [...places.values()]
    .toSorted((a, b) => comparedPlaces(b.segments, a.segments))
    .map(({ field }) => field)
}

/** Order of places: elements by their indexes, and places within a place behind it. */
function comparedPlaces(a: readonly Segment[], b: readonly Segment[]): number {
  for (const [depth, left] of a.entries()) {
    const right = b[depth]
    if (right === undefined) return 1
    if (typeof left === 'number' && typeof right === 'number') {
      if (left !== right) return left - right
    } else if (left !== right) return String(left) < String(right) ? -1 : 1
  }
  return a.length - b.length
}

function comparedText({ fields, comparison_type: compared = 'Match' }: Compared): string {
  return canonicalJson([compared, [...fields]])
}
