import Type from 'typebox'
import type { JsonValue } from '../../../schemas/json.ts'
import { TWELFTH_BEHAVIOUR } from '../../../schemas/log/behaviour-numbers.ts'
import type { Report } from '../../event/errors.ts'
import type { Event } from '../../event/event.ts'
import { type Field, fieldAt } from '../../event/field-path.ts'
import { pass } from '../../event/outcome.ts'
import { MAX_BUILT_LEVELS } from '../../json/message-levels.ts'
import { walkValue } from '../../json/value-extent.ts'
import { FieldPath } from '../contract/config-schema.ts'
import { type CostMeter, defineProcessor } from '../contract/define-processor.ts'
import { COPIED_AT_ONCE_BITS, ENTRY_UNITS, UNCOUNTED_ENTRIES } from '../contract/option-work.ts'

interface Mapping {
  readonly source: Field
  readonly target: Field
  readonly drops: boolean
  readonly overwrites: boolean
}

/**
 * Map fields: copies or moves fields, one after the other; each mapping sees the result of the one before. A mapping does
 * nothing at all when its target is there and is not to be overwritten. Rules: components, section 5.12. Our choice: a target
 * that cannot be written is reported, and its source stays.
 */
export const mapFields = defineProcessor({
  type: 'map-fields',
  since: TWELFTH_BEHAVIOUR,
  summary: 'Copy or move fields.',
  notes: [
    `A target beyond the index 1,000, or of more than ${MAX_BUILT_LEVELS} levels, is not written: the source stays, and the error is recorded.`,
  ],
  config: Type.Object(
    {
      mappings: Type.Array(
        Type.Object(
          {
            source_field: FieldPath({ description: 'Field to copy from' }),
            target_field: FieldPath({ description: 'Field to copy to' }),
            drop_source: Type.Optional(Type.Boolean({ default: false, description: 'Move instead of copy' })),
            overwrite_target: Type.Optional(
              Type.Boolean({ default: false, description: 'Replace a target that is there already' }),
            ),
          },
          { additionalProperties: false },
        ),
        { minItems: 1, description: 'Mappings; each works on the result of the previous one' },
      ),
    },
    { additionalProperties: false },
  ),
  errors: ['E_NOT_FOUND', 'E_EXPRESSION_COST'],

  compile({ mappings }, report, meter) {
    const compiled = mappings.map(
      ({ source_field, target_field, drop_source = false, overwrite_target = false }): Mapping => ({
        source: fieldAt(source_field),
        target: fieldAt(target_field),
        drops: drop_source,
        overwrites: overwrite_target,
      }),
    )
    return event => {
      if (compiled.length > UNCOUNTED_ENTRIES) meter.work(compiled.length * ENTRY_UNITS)
      let mapped = event
      for (const mapping of compiled) mapped = mappedEvent(mapped, mapping, report, meter)
      return pass(mapped)
    }
  },

  configs: [
    {
      sent: {
        mappings: [
          { source_field: 'metadata.query.site', target_field: '.site' },
          { source_field: '.n.id', target_field: '.id', drop_source: true, overwrite_target: true },
        ],
      },
      defaults: { mappings: [{ drop_source: false, overwrite_target: false }, {}] },
    },
  ],

  examples: [
    {
      title: 'a value is copied from the metadata, and another one is moved over its target',
      config: {
        mappings: [
          { source_field: 'metadata.query.site', target_field: '.site' },
          { source_field: '.n.id', target_field: '.id', drop_source: true, overwrite_target: true },
        ],
      },
      steps: [
        {
          event: { n: { id: 9 }, id: 1 },
          envelope: { metadata: { query: { site: 'oslo' } } },
          outcome: pass({ n: {}, id: 9, site: 'oslo' }),
          metadataAfter: { query: { site: 'oslo' } },
        },
      ],
    },
    {
      title: 'nothing at all happens where the target is there, even as null, and is not to be overwritten',
      config: { mappings: [{ source_field: '.a', target_field: '.b', drop_source: true }] },
      steps: [
        { event: { a: 1, b: 2 }, outcome: pass({ a: 1, b: 2 }) },
        { event: { a: 1, b: null }, outcome: pass({ a: 1, b: null }) },
        { event: { a: null }, outcome: pass({ b: null }) },
      ],
    },
    {
      title: 'each mapping sees the result of the one before, and a missing source is recorded',
      config: {
        mappings: [
          { source_field: '.a', target_field: '.b', drop_source: true },
          { source_field: '.a', target_field: '.c' },
          { source_field: '.b', target_field: '.d.e[1]' },
        ],
      },
      steps: [
        {
          event: { a: 1 },
          outcome: pass({ b: 1, d: { e: [null, 1] } }),
          errors: [['E_NOT_FOUND', '.a']],
        },
      ],
    },
    {
      title:
        'a target inside its source gets a copy of the source as it was; a moved source is removed first',
      config: { mappings: [{ source_field: '.a', target_field: '.a.b', overwrite_target: true }] },
      steps: [
        { event: { a: { b: 1, c: 2 } }, outcome: pass({ a: { b: { b: 1, c: 2 }, c: 2 } }) },
        { event: { a: 'text' }, outcome: pass({ a: { b: 'text' } }) },
      ],
    },
    {
      title: 'a moved source is removed before its target is written',
      config: {
        mappings: [
          { source_field: '.a', target_field: '.a.b', drop_source: true, overwrite_target: true },
          { source_field: '.', target_field: '.whole', drop_source: true },
        ],
      },
      steps: [{ event: { a: { b: 1, c: 2 } }, outcome: pass({ whole: { a: { b: { b: 1, c: 2 } } } }) }],
    },
    {
      title: 'the timestamp takes only times, and an index above 1000 refuses its mapping: the source stays',
      config: {
        mappings: [
          { source_field: '.at', target_field: 'timestamp', drop_source: true, overwrite_target: true },
          { source_field: '.n', target_field: '.list[1001]', drop_source: true },
        ],
      },
      steps: [
        {
          event: { at: '2031-03-09T09:15:30+01:00', n: 1 },
          outcome: pass({ n: 1 }),
          timestampAfter: '2031-03-09T08:15:30Z',
          errors: [['E_NOT_FOUND', '.list[1001]']],
        },
        {
          event: { at: 'noon' },
          outcome: pass({ at: 'noon' }),
          errors: [
            ['E_NOT_FOUND', 'timestamp'],
            ['E_NOT_FOUND', '.n'],
          ],
        },
      ],
    },
  ],
})

/** The event after one mapping; the same event when it does nothing. */
function mappedEvent(
  event: Event,
  { source, target, drops, overwrites }: Mapping,
  report: Report<'E_NOT_FOUND'>,
  meter: CostMeter,
): Event {
  const value = source.read(event)
  if (value === undefined) {
    report('E_NOT_FOUND', { field: source.text })
    return event
  }
  if (!overwrites && target.read(event) !== undefined) return event
  if (levelsOf(value, drops, meter) + target.depth <= MAX_BUILT_LEVELS) {
    meter.work(target.writeUnits(event) + (drops ? source.copyUnits(event) : 0))
    const rest = drops ? source.remove(event) : event
    const written = target.write(rest, value)
    if (written !== rest) return written
  }
  report('E_NOT_FOUND', { field: target.text, cause: 'the target of a mapping cannot be written' })
  return event
}

/**
 * Levels of a value. Copies share their parts, and copies of copies would become a text without bound, so each counts its
 * text.
 */
function levelsOf(value: JsonValue, isMoved: boolean, meter: CostMeter): number {
  if (typeof value === 'string') {
    if (!isMoved) meter.work(value.length >> COPIED_AT_ONCE_BITS)
    return 0
  }
  if (typeof value !== 'object' || value === null) return 0
  return walkValue(value, characters => meter.work(characters >> COPIED_AT_ONCE_BITS))
}
