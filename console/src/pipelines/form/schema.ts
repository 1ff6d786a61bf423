import type { JsonObject, JsonValue } from '../document/file.ts'

/** The parts of JSON Schema that declarations of nodes use. A test compares them with the declarations. */
export interface OptionSchema {
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly default?: JsonValue
  readonly enum?: readonly JsonValue[]
  readonly properties?: Readonly<Record<string, OptionSchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean
  readonly items?: OptionSchema
  readonly anyOf?: readonly OptionSchema[]
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly pattern?: string
  readonly format?: string
  readonly contentMediaType?: string
  readonly writeOnly?: boolean
  readonly $ref?: string
  readonly $defs?: Readonly<Record<string, OptionSchema>>
}

/** Keywords that the form understands. */
export const KNOWN_KEYWORDS: ReadonlySet<string> = new Set<keyof OptionSchema>([
  'type',
  'description',
  'default',
  'enum',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'anyOf',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'pattern',
  'format',
  'contentMediaType',
  'writeOnly',
  '$ref',
  '$defs',
])

const CONDITION = '#/$defs/Condition'
const COMPARISON = '#/$defs/Comparison'

/** The field that the form shows for a schema. */
export type Widget =
  | 'choice'
  | 'boolean'
  | 'number'
  | 'text'
  | 'script'
  | 'secret'
  | 'list'
  | 'group'
  | 'condition'
  | 'comparison'
  | 'json'
  | 'scalar'

export function widgetOf(schema: OptionSchema): Widget {
  const { type, enum: values, writeOnly, contentMediaType, properties, $ref } = schema
  if ($ref === CONDITION) return 'condition'
  if ($ref === COMPARISON) return 'comparison'
  if (values !== undefined) return 'choice'
  if (type === 'boolean') return 'boolean'
  if (type === 'integer' || type === 'number') return 'number'
  if (type === 'string') {
    if (writeOnly) return 'secret'
    return contentMediaType === 'text/javascript' ? 'script' : 'text'
  }
  if (type === 'array') return 'list'
  if (type === 'object') return properties === undefined ? 'json' : 'group'
  return 'scalar'
}

/** Value of a new element, or of an option that is switched on: its required members, as far as they have a first value. */
export function firstValueOf(schema: OptionSchema): JsonValue {
  switch (widgetOf(schema)) {
    case 'choice':
      return schema.enum?.[0] ?? ''
    case 'boolean':
      return schema.default ?? false
    case 'number':
      return schema.default ?? schema.minimum ?? 0
    case 'list':
      return schema.minItems && schema.items ? [firstValueOf(schema.items)] : []
    case 'condition':
      return FIRST_CONDITION
    case 'comparison':
      return { ...FIRST_COMPARISON }
    case 'group':
    case 'json':
      return firstOptions(schema)
    default:
      return ''
  }
}

export const FIRST_COMPARISON = { field: '', str_operator: 'equal', value: '' } as const satisfies JsonObject
export const FIRST_CONDITION: JsonObject = { expressions: [{ ...FIRST_COMPARISON }] }

/** Options of a new node: those that are required. */
export function firstOptions({ properties = {}, required = [] }: OptionSchema): JsonObject {
  return Object.fromEntries(
    required.flatMap(name => {
      const member = properties[name]
      return member === undefined ? [] : [[name, firstValueOf(member)]]
    }),
  )
}

/** Places of secrets in options, as JSON pointers. */
export function secretsIn(schema: OptionSchema, value: unknown, pointer = ''): readonly string[] {
  if (schema.writeOnly) return typeof value === 'string' ? [pointer] : []
  if (Array.isArray(value))
    return value.flatMap((each, index) => secretsIn(schema.items ?? {}, each, `${pointer}/${index}`))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) =>
    secretsIn(schema.properties?.[name] ?? {}, member, `${pointer}/${name}`),
  )
}

/** Stands in the place of a secret that the browser does not keep. It blocks saving. */
export const ENTER_AGAIN = '\u2022enter this secret again\u2022'

/** Form of the masks that stand in the places of secrets. */
export function isMask(value: unknown): boolean {
  return typeof value === 'string' && /^\*{3}[0-9a-f]{8}$/.test(value)
}
