import Type from 'typebox'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../schemas/json.ts'
import { TWELFTH_BEHAVIOUR } from '../../../schemas/log/behaviour-numbers.ts'
import { foundType } from '../../event/errors.ts'
import type { Event } from '../../event/event.ts'
import { type Field, type PlacedField, placedFieldAt } from '../../event/field-path.ts'
import { pass } from '../../event/outcome.ts'
import { type Entry, entriesOf, orderedObject, withMembersAt } from '../../json/ordered-object.ts'
import { FieldPath } from '../contract/config-schema.ts'
import { type CostMeter, defineProcessor } from '../contract/define-processor.ts'
import { COPIED_AT_ONCE_BITS, ENTRY_UNITS, UNCOUNTED_PASSES } from '../contract/option-work.ts'

const DELIMITER = '_'
/** Characters of joined names that are counted together. */
const COUNTED_AT_ONCE = 4_096

/**
 * Flatten fields: the leaves of an object take its place, with joined key names; the nested arrays of an array become one
 * level. Rules: components, section 5.10. Our choice: of two new keys of one name the last wins.
 */
export const flattenFields = defineProcessor({
  type: 'flatten-fields',
  since: TWELFTH_BEHAVIOUR,
  summary: 'Turn nested objects into one level with joined key names.',
  config: Type.Object(
    {
      fields: Type.Optional(
        Type.Array(FieldPath({ description: 'Field to flatten, such as .geo' }), {
          default: [],
          description: 'Fields to flatten; none means the whole message',
        }),
      ),
      options: Type.Optional(
        Type.Object(
          {
            delimiter: Type.Optional(
              Type.String({
                minLength: 1,
                maxLength: 1,
                default: '_',
                description: 'Character between joined keys',
              }),
            ),
          },
          { additionalProperties: false, default: {}, description: 'Form of the joined keys' },
        ),
      ),
    },
    { additionalProperties: false },
  ),
  errors: ['E_NOT_FOUND', 'E_FLATTEN_BAD_TYPE', 'E_EXPRESSION_COST'],

  compile({ fields = [], options: { delimiter = DELIMITER } = {} }, report, meter) {
    const places = (fields.length === 0 ? ['.'] : fields).map(placedFieldAt)
    const flattener = new Flattener(delimiter, meter, places.length > UNCOUNTED_PASSES)
    return event => {
      let flattened = event
      for (const place of places) {
        const { field } = place
        const value = field.read(flattened)
        if (value === undefined) report('E_NOT_FOUND', { field: field.text })
        else if (Array.isArray(value)) flattened = flattener.spliced(flattened, field, value)
        else if (isJsonObject(value)) flattened = flattener.flattened(flattened, place, value)
        else report('E_FLATTEN_BAD_TYPE', { field: field.text, found: foundType(value) })
      }
      return pass(flattened)
    }
  },

  configs: [
    { sent: {}, defaults: { fields: [], options: { delimiter: '_' } } },
    {
      sent: { fields: ['.geo'], options: { delimiter: '-' } },
    },
  ],

  examples: [
    {
      title: 'the leaves of an object take its place; arrays are leaves, and empty objects vanish',
      config: { fields: ['.geo'], options: { delimiter: '-' } },
      steps: [
        {
          event: { id: 1, geo: { at: { lat: 59.9, lon: 10.7 }, names: ['a', ['b']], x: {} } },
          outcome: pass({ id: 1, 'geo-at-lat': 59.9, 'geo-at-lon': 10.7, 'geo-names': ['a', ['b']] }),
        },
        { event: { id: 1, geo: { x: {} }, z: 2 }, outcome: pass({ id: 1, z: 2 }) },
      ],
    },
    {
      title: 'without fields the whole message is flattened, and top-level keys keep their names',
      config: {},
      steps: [
        {
          event: { a: { b: { c: 1 } }, d: null, e: [{ f: 1 }] },
          outcome: pass({ a_b_c: 1, d: null, e: [{ f: 1 }] }),
        },
        { event: [1, [2, [3, { a: [4] }]], []], outcome: pass([1, 2, 3, { a: [4] }]) },
        {
          event: 'a text',
          outcome: pass('a text'),
          errors: [['E_FLATTEN_BAD_TYPE', '.']],
        },
      ],
    },
    {
      title: 'a flattened value wins over a sibling of the same name',
      config: { fields: ['.a'] },
      steps: [{ event: { a_b: 1, x: 2, a: { b: 3 } }, outcome: pass({ x: 2, a_b: 3 }) }],
    },
    {
      title: 'an array keeps its key, and its nested arrays become one level',
      config: { fields: ['.list', 'metadata.query'] },
      steps: [
        {
          event: { list: [[1, [2]], { a: [[3]] }, []], n: 1 },
          envelope: { metadata: { query: { site: { name: 'oslo' } } } },
          outcome: pass({ list: [1, 2, { a: [[3]] }], n: 1 }),
          metadataAfter: { query_site_name: 'oslo' },
        },
      ],
    },
    {
      title: 'an element of an array is replaced by one flat object',
      config: { fields: ['.rows[0]', '.rows[1].at'] },
      steps: [
        {
          event: {
            rows: [
              { a: { b: 1 }, c: {} },
              { at: { x: 1 }, y: 2 },
            ],
          },
          outcome: pass({ rows: [{ a_b: 1 }, { at_x: 1, y: 2 }] }),
        },
      ],
    },
    {
      title:
        'a missing field, or one that is not a container, is recorded, and the other fields are flattened',
      config: { fields: ['.a', '.b', '.c', '.d'] },
      steps: [
        {
          event: { b: 5, c: null, d: { e: 1 } },
          outcome: pass({ b: 5, c: null, d_e: 1 }),
          errors: [
            ['E_NOT_FOUND', '.a'],
            ['E_FLATTEN_BAD_TYPE', '.b'],
            ['E_FLATTEN_BAD_TYPE', '.c'],
          ],
        },
      ],
    },
  ],
})

/** Flattens values without recursion, and counts the work. */
class Flattener {
  readonly #delimiter: string
  readonly #meter: CostMeter
  readonly #isCounted: boolean
  /** Characters of joined names that are not counted yet. */
  #characters = 0

  /** @param isCounted whether walks and copies count as well: those of a few fields are as little work as the event itself */
  constructor(delimiter: string, meter: CostMeter, isCounted: boolean) {
    this.#delimiter = delimiter
    this.#meter = meter
    this.#isCounted = isCounted
  }

  /** The event with nested arrays as one level; the same event when there are none. */
  spliced(event: Event, field: Field, array: JsonValue[]): Event {
    this.#countParts(array.length)
    if (!array.some(Array.isArray)) return event
    const elements: JsonValue[] = []
    const waiting: { readonly array: JsonValue[]; at: number }[] = [{ array, at: 0 }]
    for (let level = waiting.at(-1); level !== undefined; level = waiting.at(-1)) {
      const element = level.array[level.at++]
      if (element === undefined) {
        waiting.pop()
      } else if (Array.isArray(element)) {
        this.#countParts(1 + element.length)
        waiting.push({ array: element, at: 0 })
      } else {
        elements.push(element)
      }
    }
    return this.#written(event, field, elements)
  }

  /** The event with the leaves of an object in its place; the same event when that is flat and has no siblings. */
  flattened(event: Event, { field, parent, key }: PlacedField, object: JsonObject): Event {
    if (parent !== undefined) {
      const siblings = parent.read(event) as JsonObject
      return this.#written(event, parent, withMembersAt(siblings, key, this.#leavesOf([key, object])))
    }
    const flat = this.#flatObject(object)
    return flat === object ? event : this.#written(event, field, flat)
  }

  #written(event: Event, field: Field, value: JsonValue): Event {
    if (this.#isCounted) this.#meter.work(field.copyUnits(event))
    return field.write(event, value)
  }

  /** The object with one level; the same one when it has no other. */
  #flatObject(object: JsonObject): JsonObject {
    const entries = entriesOf(object)
    this.#countParts(entries.length)
    if (!entries.some(([, member]) => isJsonObject(member))) return object
    const parts = entries.map(entry =>
      isJsonObject(entry[1]) ? { leaves: this.#leavesOf(entry) } : { kept: entry },
    )
    const made = new Set(parts.flatMap(({ leaves = [] }) => leaves.map(([name]) => name)))
    return orderedObject(
      parts.flatMap(({ leaves, kept }) => leaves ?? (kept === undefined || made.has(kept[0]) ? [] : [kept])),
    )
  }

  /** The leaves below a member, in order, with joined names. */
  #leavesOf(root: Entry): Entry[] {
    const leaves: Entry[] = []
    const waiting = [root]
    for (let entry = waiting.pop(); entry !== undefined; entry = waiting.pop()) {
      const [name, value] = entry
      if (!isJsonObject(value)) {
        leaves.push(entry)
        continue
      }
      const members = entriesOf(value)
      this.#countParts(members.length)
      for (const [key, member] of members.reverse()) {
        this.#countName(name.length + this.#delimiter.length + key.length)
        waiting.push([`${name}${this.#delimiter}${key}`, member])
      }
    }
    this.#countNames()
    return leaves
  }

  #countParts(parts: number): void {
    if (this.#isCounted) this.#meter.work(ENTRY_UNITS * (1 + parts))
  }

  /**
   * Counts a joined name before it is made: a value with a few long keys around many leaves becomes far larger than it is.
   *
   * @throws BEYOND_BUDGET when the names cost more than the event may
   */
  #countName(characters: number): void {
    this.#characters += characters
    if (this.#characters >= COUNTED_AT_ONCE) this.#countNames()
  }

  #countNames(): void {
    const characters = this.#characters
    this.#characters = 0
    if (characters > 0) this.#meter.work(characters >> COPIED_AT_ONCE_BITS)
  }
}
