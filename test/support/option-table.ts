import type { JsonValue } from '../../schemas/json.ts'

/** The parts of an option's schema that the reference page shows. */
export interface OptionSchema {
  readonly type?: string
  readonly description?: string
  readonly default?: JsonValue
  readonly enum?: readonly string[]
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly uniqueItems?: boolean
  readonly pattern?: string
  readonly items?: OptionSchema
  readonly properties?: Readonly<Record<string, OptionSchema>>
  readonly required?: readonly string[]
  readonly fieldPath?: string
  readonly conditional?: { readonly change?: string }
  readonly comparison?: object
  readonly regularExpression?: boolean
  readonly grokPattern?: boolean
  readonly script?: boolean
  readonly secret?: boolean
}

export interface OptionRow {
  /** Name with dots for members and brackets for elements. */
  readonly name: string
  readonly type: string
  readonly isRequired: boolean
  readonly fallback: JsonValue | undefined
  readonly bounds: string
  readonly description: string
}

/** One row for each option, those of an object right behind it. */
export function optionRows({ properties = {}, required = [] }: OptionSchema, parent = ''): OptionRow[] {
  return Object.entries(properties).flatMap(([member, schema]) => {
    const { items } = schema
    const name = `${parent}${member}`
    const row = {
      name,
      type: typeOf(schema),
      isRequired: required.includes(member),
      fallback: schema.default,
      bounds: boundsOf(schema),
      description: schema.description ?? items?.description ?? '',
    }
    const members =
      items?.properties === undefined ? optionRows(schema, `${name}.`) : optionRows(items, `${name}[].`)
    return [row, ...members]
  })
}

/** Type of a value in the words of the page; empty when the description states it. */
function typeOf(schema: OptionSchema): string {
  if (schema.enum !== undefined) return schema.enum.map(value => `\`${value}\``).join(', ')
  if (schema.fieldPath === 'root') return 'root-level field path'
  if (schema.fieldPath === 'blank') return 'field path, or empty'
  if (schema.fieldPath !== undefined) return 'field path'
  if (schema.conditional !== undefined)
    return schema.conditional.change === undefined ? 'condition' : 'condition, with change operators too'
  if (schema.comparison !== undefined) return 'comparison'
  if (schema.regularExpression) return 'regular expression'
  if (schema.grokPattern) return 'grok pattern'
  if (schema.script) return 'JavaScript function'
  if (schema.secret) return 'string, secret'
  if (schema.items !== undefined) return listOf(schema.items)
  return schema.type ?? 'string or number'
}

function listOf(items: OptionSchema): string {
  return items.properties === undefined ? `list of: ${typeOf(items)}` : 'list of objects'
}

function boundsOf(schema: OptionSchema): string {
  const { items, pattern, uniqueItems } = schema
  const bounds = [
    range(schema.minimum, schema.maximum, ''),
    range(schema.minLength, schema.maxLength, 'character'),
    range(schema.minItems, schema.maxItems, 'item'),
    ...(uniqueItems ? ['distinct'] : []),
    ...(pattern === undefined ? [] : [`matches \`${pattern}\``]),
    ...(items === undefined || items.properties !== undefined ? [] : [eachOf(boundsOf(items))]),
  ]
  return bounds.filter(bound => bound !== '').join('; ')
}

function eachOf(bounds: string): string {
  return bounds === '' ? '' : `each ${bounds}`
}

function range(least: number | undefined, most: number | undefined, unit: string): string {
  const units = (count: number) => (unit === '' ? '' : ` ${unit}${count === 1 ? '' : 's'}`)
  if (least === undefined) return most === undefined ? '' : `at most ${most}${units(most)}`
  if (most === undefined) return least === 0 && unit !== '' ? '' : `at least ${least}${units(least)}`
  return least === most ? `exactly ${least}${units(least)}` : `${least} to ${most}${units(most)}`
}
