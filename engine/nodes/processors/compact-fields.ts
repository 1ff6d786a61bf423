import Type from 'typebox'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../schemas/json.ts'
import { TWELFTH_BEHAVIOUR } from '../../../schemas/log/behaviour-numbers.ts'
import { foundType } from '../../event/errors.ts'
import { fieldAt } from '../../event/field-path.ts'
import { pass } from '../../event/outcome.ts'
import { keysOf, orderedObject } from '../../json/ordered-object.ts'
import { FieldPath } from '../contract/config-schema.ts'
import { defineProcessor } from '../contract/define-processor.ts'
import { ENTRY_UNITS, UNCOUNTED_PASSES } from '../contract/option-work.ts'

type Container = JsonValue[] | JsonObject

/** Kinds of empty containers that are removed. */
interface Emptiness {
  readonly arrays: boolean
  readonly objects: boolean
}

/**
 * Compact fields: removes empty values below fields, at every depth, children before their parents. Nulls and empty strings
 * always go, and the field itself always stays. Rules: components, section 5.2.
 */
export const compactFields = defineProcessor({
  type: 'compact-fields',
  since: TWELFTH_BEHAVIOUR,
  summary: 'Remove empty values below the given fields.',
  config: Type.Object(
    {
      fields: Type.Array(FieldPath({ description: 'Field to compact, such as .order' }), {
        minItems: 1,
        description: 'Fields to compact',
      }),
      options: Type.Optional(
        Type.Object(
          {
            compact_array: Type.Optional(
              Type.Boolean({ default: true, description: 'Remove arrays without elements' }),
            ),
            compact_object: Type.Optional(
              Type.Boolean({ default: true, description: 'Remove objects without members' }),
            ),
          },
          {
            additionalProperties: false,
            default: {},
            description: 'Further values that count as empty, in addition to nulls and ""',
          },
        ),
      ),
    },
    { additionalProperties: false },
  ),
  errors: ['E_NOT_FOUND', 'E_COMPACT_BAD_TYPE', 'E_EXPRESSION_COST'],

  compile(
    { fields, options: { compact_array: arrays = true, compact_object: objects = true } = {} },
    report,
    meter,
  ) {
    const places = fields.map(fieldAt)
    // Few fields are as little work as the event itself.
    const work = places.length > UNCOUNTED_PASSES ? (units: number) => meter.work(units) : () => {}
    return event => {
      let compacted = event
      for (const field of places) {
        work(ENTRY_UNITS)
        const value = field.read(compacted)
        if (value === undefined) {
          report('E_NOT_FOUND', { field: field.text })
        } else if (!isContainer(value)) {
          report('E_COMPACT_BAD_TYPE', { field: field.text, found: foundType(value) })
        } else {
          const rest = compactedValue(value, { arrays, objects }, work)
          if (rest === value) continue
          work(field.copyUnits(compacted))
          compacted = field.write(compacted, rest)
        }
      }
      return pass(compacted)
    }
  },

  configs: [
    {
      sent: { fields: ['.lot', 'metadata.headers'] },
      defaults: { options: { compact_array: true, compact_object: true } },
    },
    {
      sent: { fields: ['.'], options: { compact_object: false } },
      defaults: { options: { compact_array: true } },
    },
  ],

  examples: [
    {
      title: 'empty arrays go, and empty objects stay where their option is off',
      config: { fields: ['.lot'], options: { compact_array: true, compact_object: false } },
      steps: [
        {
          event: { lot: { ids: [], note: {}, parts: [[], 3, { x: [] }] }, z: [] },
          outcome: pass({ lot: { note: {}, parts: [3, {}] }, z: [] }),
        },
      ],
    },
    {
      title: 'a container that becomes empty goes, too; the field itself stays',
      config: { fields: ['.lot', 'metadata.headers'] },
      steps: [
        {
          event: { lot: { a: { b: { c: [[], {}, null] } }, d: '' } },
          envelope: { metadata: { headers: { accept: '', via: ['x', ''] } } },
          outcome: pass({ lot: {} }),
          metadataAfter: { headers: { via: ['x'] } },
        },
        {
          event: { lot: [null] },
          envelope: { metadata: { headers: {} } },
          outcome: pass({ lot: [] }),
        },
      ],
    },
    {
      title: 'nulls and empty texts go whatever the options; false, 0 and blanks are not empty',
      config: { fields: ['.'], options: { compact_array: false, compact_object: false } },
      steps: [
        {
          event: { a: null, b: '', c: ' ', d: false, e: 0, f: [], g: { h: [null, [''], {}] } },
          outcome: pass({ c: ' ', d: false, e: 0, f: [], g: { h: [[], {}] } }),
        },
      ],
    },
    {
      title:
        'a missing field, or one that is not a container, is recorded, and the other fields are compacted',
      config: { fields: ['.a', '.b', '.c', '.d'] },
      steps: [
        {
          event: { b: 'text', c: null, d: [null, 1] },
          outcome: pass({ b: 'text', c: null, d: [1] }),
          errors: [
            ['E_NOT_FOUND', '.a'],
            ['E_COMPACT_BAD_TYPE', '.b'],
            ['E_COMPACT_BAD_TYPE', '.c'],
          ],
        },
      ],
    },
  ],
})

/** A container whose members are judged one after the other. */
interface Level {
  readonly source: Container
  /** Names of the members; undefined for an array. */
  readonly keys: readonly string[] | undefined
  readonly count: number
  at: number
  /** Kept members. */
  readonly elements: JsonValue[]
  readonly members: [key: string, value: JsonValue][]
  isChanged: boolean
}

/**
 * Removes empty values within a container. It needs no stack, however deep the value is.
 *
 * @param work receives units before the work that they stand for
 * @returns the same value when nothing was removed
 */
function compactedValue(value: Container, emptiness: Emptiness, work: (units: number) => void): Container {
  const levels: Level[] = []
  const enter = (container: Container) => {
    const level = levelOf(container)
    work(ENTRY_UNITS * level.count)
    levels.push(level)
  }
  enter(value)
  for (;;) {
    const level = levels.at(-1) as Level
    if (level.at < level.count) {
      const child = childOf(level)
      if (child === null || child === '') {
        leaveOut(level)
      } else if (isContainer(child)) {
        enter(child)
      } else {
        keep(level, child)
      }
      continue
    }
    levels.pop()
    const result = resultOf(level)
    const parent = levels.at(-1)
    if (parent === undefined) return result
    parent.isChanged ||= level.isChanged
    if (isEmpty(level) && (level.keys === undefined ? emptiness.arrays : emptiness.objects)) leaveOut(parent)
    else keep(parent, result)
  }
}

function levelOf(source: Container): Level {
  const keys = Array.isArray(source) ? undefined : [...keysOf(source)]
  const count = keys?.length ?? (source as JsonValue[]).length
  return { source, keys, count, at: 0, elements: [], members: [], isChanged: false }
}

function childOf({ source, keys, at }: Level): JsonValue {
  return keys === undefined
    ? ((source as JsonValue[])[at] as JsonValue)
    : ((source as JsonObject)[keys[at] as string] as JsonValue)
}

function keep(level: Level, value: JsonValue): void {
  if (level.keys === undefined) level.elements.push(value)
  else level.members.push([level.keys[level.at] as string, value])
  level.at++
}

function leaveOut(level: Level): void {
  level.isChanged = true
  level.at++
}

function resultOf({ source, keys, elements, members, isChanged }: Level): Container {
  if (!isChanged) return source
  return keys === undefined ? elements : orderedObject(members)
}

function isEmpty({ elements, members }: Level): boolean {
  return elements.length + members.length === 0
}

function isContainer(value: JsonValue): value is Container {
  return Array.isArray(value) || isJsonObject(value)
}
