import { Ajv, type ErrorObject, type SchemaValidateFunction, type ValidateFunction } from 'ajv'
import Type, { type TSchema } from 'typebox'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../schemas/json.ts'
import { type Condition, checkCondition, checkLeaf, type Leaf } from '../../conditions/condition.ts'
import type { ConditionRules } from '../../conditions/condition-check.ts'
import { withBoundedLoops } from '../../event/bounded-loops.ts'
import { FIELD_PATH_MESSAGE, isFieldPath, parseFieldPath } from '../../event/field-path.ts'
import { MAX_PROBLEMS, type Problem, unknownWordMessage } from '../../event/problem.ts'
import { grokPatternProblem } from '../../expressions/grok/grok-pattern.ts'
import { regularExpressionProblem } from '../../expressions/regular-expression.ts'
import { scriptProblem } from '../../scripts/script-check.ts'

interface Described {
  readonly description: string
}

interface FieldPathOptions extends Described {
  /** Whether it also accepts "", with the same meaning as an omitted option. */
  readonly blank?: boolean
  /** Accepts only members of the message itself: `.a`, and neither `.a.b` nor the whole message. */
  readonly rootLevel?: boolean
  readonly maxLength?: number
  readonly default?: string
}

/** Option that names a place in the event. */
export function FieldPath({ blank = false, rootLevel = false, ...options }: FieldPathOptions) {
  return Type.String({ ...options, fieldPath: rootLevel ? 'root' : blank ? 'blank' : 'required' })
}

/** Option that contains a conditional; its defaults are stored. */
export function Conditional({ change, ...options }: Described & Pick<ConditionRules, 'change'>) {
  const rules: ConditionRules = change === undefined ? {} : { change }
  return Type.Unsafe<Condition>({ type: 'object', conditional: rules, ...options })
}

/** Option that contains one comparison, where a tree of them is not allowed. */
export function Comparison({
  caseSensitiveDefault,
  ...options
}: Described & Pick<ConditionRules, 'caseSensitiveDefault'>) {
  const rules: ConditionRules = caseSensitiveDefault === undefined ? {} : { caseSensitiveDefault }
  return Type.Unsafe<Leaf>({ type: 'object', comparison: rules, ...options })
}

/** Option that contains a regular expression: components, section 9.5. */
export function RegularExpressionText(options: Described) {
  return Type.String({ ...options, minLength: 1, regularExpression: true })
}

/** Option that contains a grok pattern: components, section 9.4. */
export function GrokPattern(options: Described) {
  return Type.String({ ...options, minLength: 1, grokPattern: true })
}

/** Option that contains a script of one function: components, section 5.11. */
export function ScriptText(options: Described & { readonly maxLength?: number }) {
  return Type.String({ ...options, minLength: 1, script: true })
}

export type ConfigCheck = { readonly stored: JsonObject } | { readonly problems: readonly Problem[] }

/** Validator that neither turns `5` into `"5"` nor drops unknown members: mistakes are reported, not repaired. */
const ajv = new Ajv({
  allErrors: true,
  // Findings know the schema and the value that they are about.
  verbose: true,
  useDefaults: true,
  coerceTypes: false,
  code: { process: withBoundedLoops },
})

const validateFieldPath: SchemaValidateFunction = (mode: string, text: string) => {
  const message = fieldPathProblem(mode, text)
  if (message === undefined) return true
  validateFieldPath.errors = [{ keyword: 'fieldPath', message, params: {} }]
  return false
}

function fieldPathProblem(mode: string, text: string): string | undefined {
  if (mode === 'blank' && text === '') return undefined
  if (!isFieldPath(text)) return FIELD_PATH_MESSAGE
  return mode === 'root' && !isRootLevel(text) ? 'must be a root-level field, such as .a' : undefined
}

function isRootLevel(text: string): boolean {
  const { root, segments } = parseFieldPath(text) ?? {}
  return root === 'message' && segments?.length === 1 && typeof segments[0] === 'string'
}

ajv.addKeyword({ keyword: 'fieldPath', type: 'string', errors: true, validate: validateFieldPath })

for (const [keyword, check] of [
  ['conditional', checkCondition],
  ['comparison', checkLeaf],
] as const) {
  const validate: SchemaValidateFunction = (rules: ConditionRules, value: JsonObject, _schema, context) => {
    const { stored, problems } = check(value, rules)
    Object.assign(value, stored)
    const parentPath = context?.instancePath ?? ''
    validate.errors = problems.map(({ instancePath, message }) => ({
      keyword,
      instancePath: `${parentPath}${instancePath}`,
      message,
      params: {},
    }))
    return problems.length === 0
  }
  // The problems are deeper in the value and have their own places.
  ajv.addKeyword({ keyword, type: 'object', modifying: true, errors: 'full', validate })
}

for (const [keyword, problemWith] of [
  ['regularExpression', regularExpressionProblem],
  ['grokPattern', grokPatternProblem],
  ['script', scriptProblem],
] as const) {
  const validate: SchemaValidateFunction = (_on: boolean, text: string) => {
    const message = problemWith(text)
    if (message === undefined) return true
    validate.errors = [{ keyword, message, params: {} }]
    return false
  }
  ajv.addKeyword({ keyword, type: 'string', errors: true, validate })
}

ajv.addKeyword({ keyword: 'secret', schemaType: 'boolean' })

/** Maximum nesting; a full tree of conditions takes some 16 levels. */
const MAX_NESTING = 64
const TOO_DEEP: Problem = {
  instancePath: '',
  message: `must NOT be nested more than ${MAX_NESTING} levels deep`,
}
/** Larger than the number of members with defaults in any schema. */
const MAX_COPIED_MEMBERS = 1_000

const validators = new WeakMap<TSchema, ValidateFunction>()

/**
 * Checks the options of a node as they came in a request.
 *
 * @param owner the value as a sentence names it
 * @returns the sent options with the schema's defaults, or the first thousand findings, with pointers into the options
 */
export function checkConfig(schema: TSchema, sent: JsonValue, owner: string): ConfigCheck {
  let validate = validators.get(schema)
  if (validate === undefined) {
    validate = ajv.compile(schema)
    validators.set(schema, validate)
  }
  const stored = copyWithin(sent, MAX_NESTING)
  if (stored === undefined) return { problems: [TOO_DEEP] }
  if (validate(stored)) return { stored: stored as JsonObject }
  return { problems: (validate.errors ?? []).slice(0, MAX_PROBLEMS).map(error => problemOf(error, owner)) }
}

/** Returns the finding about a value that is nested too deeply to be checked. */
export function nestingProblem(value: JsonValue): Problem | undefined {
  return copyWithin(value, MAX_NESTING) === undefined ? TOO_DEEP : undefined
}

function problemOf(error: ErrorObject, owner: string): Problem {
  const { instancePath, message = 'must be valid' } = error
  return { instancePath, message: unknownWordMessage(error, owner) ?? message }
}

/**
 * Copies a value that receives defaults. An object with more members than a schema has is not copied: a copy of 200,000
 * takes a tenth of a second. It is refused, or receives no defaults.
 *
 * @returns undefined when the value is nested deeper: code that follows its nesting could run out of stack
 */
function copyWithin(value: JsonValue, levels: number): JsonValue | undefined {
  if (value === null || typeof value !== 'object') return value
  if (levels === 0) return undefined
  if (Array.isArray(value)) {
    const copies: JsonValue[] = []
    for (const element of value) {
      const copy = copyWithin(element, levels - 1)
      if (copy === undefined) return undefined
      copies.push(copy)
    }
    return copies
  }
  return isJsonObject(value) ? copyOfObject(value, levels) : value
}

function copyOfObject(value: JsonObject, levels: number): JsonObject | undefined {
  const copies: [name: string, copy: JsonValue][] = []
  let count = 0
  // A list of the names, or of the members, would take as long as all the rest.
  for (const name in value) {
    count++
    const member = value[name] as JsonValue
    if (member === null || typeof member !== 'object') continue
    const copy = copyWithin(member, levels - 1)
    if (copy === undefined) return undefined
    if (count <= MAX_COPIED_MEMBERS) copies.push([name, copy])
  }
  if (count > MAX_COPIED_MEMBERS) return value
  // A member that is called `__proto__` is an ordinary member, too.
  return copies.length === 0 ? { ...value } : { ...value, ...Object.fromEntries(copies) }
}
