import { Ajv, type ErrorObject, type SchemaValidateFunction, type ValidateFunction } from 'ajv'
import Type, { type TSchema } from 'typebox'
import type { JsonObject, JsonValue } from '../schemas/json.ts'
import { type Condition, checkCondition } from './condition.ts'
import { FIELD_PATH_MESSAGE, isFieldPath } from './field-path.ts'
import type { Problem } from './problem.ts'

interface Described {
  readonly description: string
}

/** An option that names a place in the event. `blank` also accepts "", which means the same as leaving it out. */
export function FieldPath({ blank = false, ...options }: Described & { readonly blank?: boolean }) {
  return Type.String({ ...options, fieldPath: blank ? 'blank' : 'required' })
}

/** An option that holds a conditional; its defaults are written into what is stored. */
export function Conditional(options: Described) {
  return Type.Unsafe<Condition>({ type: 'object', conditional: true, ...options })
}

export type ConfigCheck = { readonly stored: JsonObject } | { readonly problems: readonly Problem[] }

/** Neither turns `5` into `"5"` nor drops unknown members: what is wrong is said, not repaired. */
const ajv = new Ajv({ allErrors: true, useDefaults: true, coerceTypes: false })

const validateFieldPath: SchemaValidateFunction = (mode: string, text: string) => {
  if (isFieldPath(text) || (mode === 'blank' && text === '')) return true
  validateFieldPath.errors = [{ keyword: 'fieldPath', message: FIELD_PATH_MESSAGE, params: {} }]
  return false
}

const validateConditional: SchemaValidateFunction = (_on: boolean, value: JsonObject, _schema, context) => {
  const { stored, problems } = checkCondition(value)
  Object.assign(value, stored)
  const parentPath = context?.instancePath ?? ''
  validateConditional.errors = problems.map(({ instancePath, message }) => ({
    keyword: 'conditional',
    instancePath: `${parentPath}${instancePath}`,
    message,
    params: {},
  }))
  return problems.length === 0
}

ajv.addKeyword({ keyword: 'fieldPath', type: 'string', errors: true, validate: validateFieldPath })
ajv.addKeyword({
  keyword: 'conditional',
  type: 'object',
  modifying: true,
  errors: 'full', // The problems lie deeper in the value and bring their own places.
  validate: validateConditional,
})

/** A full tree of conditions takes some 16 levels. */
const MAX_NESTING = 64

const validators = new WeakMap<TSchema, ValidateFunction>()

/**
 * Checks the options of a node as they came in a request.
 *
 * @returns what was sent with the schema's defaults written in, or all findings at once, with pointers into the
 *   options
 */
export function checkConfig(schema: TSchema, sent: JsonValue): ConfigCheck {
  let validate = validators.get(schema)
  if (validate === undefined) {
    validate = ajv.compile(schema)
    validators.set(schema, validate)
  }
  if (isNestedDeeper(sent, MAX_NESTING))
    return {
      problems: [{ instancePath: '', message: `must NOT be nested more than ${MAX_NESTING} levels deep` }],
    }
  const stored = structuredClone(sent)
  if (validate(stored)) return { stored: stored as JsonObject }
  return { problems: (validate.errors ?? []).map(problemOf) }
}

function problemOf({ instancePath, message = 'must be valid', keyword, params }: ErrorObject): Problem {
  if (keyword === 'additionalProperties')
    return { instancePath, message: `${message}: '${String(params.additionalProperty)}'` }
  if (keyword === 'enum')
    return { instancePath, message: `${message}: ${(params.allowedValues as string[]).join(', ')}` }
  return { instancePath, message }
}

/** Code that follows the nesting of a value would run out of stack on what somebody made for the purpose. */
function isNestedDeeper(value: JsonValue, levels: number): boolean {
  if (value === null || typeof value !== 'object') return false
  return levels === 0 || Object.values(value).some(member => isNestedDeeper(member, levels - 1))
}
