import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import type { FastifyError, FastifySchemaCompiler } from 'fastify'
import { withBoundedLoops } from '../../engine/event/bounded-loops.ts'
import { MAX_PROBLEMS, type Problem, unknownWordMessage } from '../../engine/event/problem.ts'
import { unnamed } from '../../schemas/named.ts'
import type { ValidationDetail } from './errors.ts'
import { isPointInTime, POINT_IN_TIME } from './iso-time.ts'
import { addKeywords } from './validation-keywords.ts'

const EMAIL = addFormats.default.get('email') as RegExp
/** An IPv6 address is in brackets. */
const HOST_AND_PORT =
  /^(\[[0-9a-f:.]+\]|[^\s,:/[\]]+):(?!0+$)([0-9]{1,4}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])$/i
/** RFC 9110, section 5.6.2: a token. */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/i
/** Valid header values: RFC 9110, section 5.5. */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

/**
 * The validator of every request body. It changes nothing unless a schema requires it (`reads`): it does not turn texts
 * into numbers, and does not silently drop members. All findings are reported at once.
 */
export const validatorCompiler: FastifySchemaCompiler<object> = ({ schema }) => {
  const validate: SchemaValidator = value => {
    const compiled = compiledOf(schema)
    if (compiled.validate(value)) return true
    const holds = (rule: object, part: unknown) => ajv().validate(rule, part)
    validate.errors = inSchemaOrder(
      { schema: compiled.schema, value, holds },
      (compiled.validate.errors ?? []).slice(0, MAX_PROBLEMS),
    )
    return false
  }
  return validate
}

interface CompiledSchema {
  readonly schema: SchemaNode
  readonly validate: ValidateFunction
}

/** Most schemas are constants, so that all servers of a process share the compiled validators. */
const COMPILED = new WeakMap<object, CompiledSchema>()

/** Compiles a schema at its first request: compiling all schemas took a quarter of a start. */
function compiledOf(given: object): CompiledSchema {
  const known = COMPILED.get(given)
  if (known !== undefined) return known
  const schema = unnamed(given)
  const compiled = { schema, validate: ajv().compile(schema) }
  COMPILED.set(given, compiled)
  return compiled
}

let shared: Ajv | undefined

function ajv(): Ajv {
  shared ??= newAjv()
  return shared
}

function newAjv(): Ajv {
  const ajv = new Ajv({
    allErrors: true,
    // Findings know the schema and the value that they are about.
    verbose: true,
    coerceTypes: false,
    strict: false,
    code: { process: withBoundedLoops },
  })
  addFormats.default(ajv)
  ajv.addFormat('host:port', HOST_AND_PORT)
  ajv.addFormat('HTTP header name', HEADER_NAME)
  ajv.addFormat('HTTP header value', HEADER_VALUE)
  ajv.addFormat('ISO 8601 date', isPointInTime)
  ajv.addFormat(POINT_IN_TIME, isPointInTime)
  addKeywords(ajv)
  return ajv
}

export function isEmail(text: string): boolean {
  return EMAIL.test(text)
}

interface SchemaValidator {
  (value: unknown): boolean
  errors?: ErrorObject[]
}

/** The checked value with its schema. */
interface Validated {
  readonly schema: SchemaNode
  readonly value: unknown
  /** Whether a part of the value satisfies the `if` of a schema. */
  readonly holds: (rule: object, part: unknown) => boolean
}

/** Findings in the order of the members of the schema; findings about a whole object follow those of its members. */
function inSchemaOrder(validated: Validated, errors: readonly ErrorObject[]): ErrorObject[] {
  const ranked = errors.map(error => ({ error, ranks: ranksOf(validated, stepsTo(error)) }))
  return ranked.sort((a, b) => compareRanks(a.ranks, b.ranks)).map(({ error }) => error)
}

/** The part of a schema that determines the order of its members. */
interface SchemaNode {
  readonly properties?: Readonly<Record<string, SchemaNode>>
  readonly items?: SchemaNode
  readonly allOf?: readonly SchemaNode[]
  readonly if?: object
  readonly then?: SchemaNode
  readonly else?: SchemaNode
}

function ranksOf({ schema, value, holds }: Validated, steps: readonly string[]): number[] {
  let node: SchemaNode | undefined = schema
  let part = value
  return steps.map(step => {
    const members = node === undefined ? [] : membersOf({ schema: node, value: part, holds })
    const rank = members.findIndex(([name]) => name === step)
    node = rank === -1 ? node?.items : members[rank]?.[1]
    part = (part as Readonly<Record<string, unknown>> | undefined)?.[step]
    return rank === -1 ? rankOutsideSchema(step) : rank
  })
}

/** Elements of a list are ordered by index; members without a schema are last. */
function rankOutsideSchema(step: string): number {
  return /^\d+$/.test(step) ? Number(step) : Number.MAX_SAFE_INTEGER
}

/** Members of branches whose condition does not hold are left out. */
function membersOf({ schema, value, holds }: Validated): [name: string, member: SchemaNode][] {
  const branch = schema.if !== undefined && (holds(schema.if, value) ? schema.then : schema.else)
  const parts = [...(schema.allOf ?? []), ...(branch ? [branch] : [])]
  const further = parts.flatMap(part => membersOf({ schema: part, value, holds }))
  return [...Object.entries(schema.properties ?? {}), ...further]
}

function compareRanks(a: readonly number[], b: readonly number[]): number {
  for (const [index, rank] of a.entries()) {
    const difference = rank - (b[index] ?? Number.POSITIVE_INFINITY)
    if (difference !== 0) return difference
  }
  return b.length - a.length
}

/** Findings of the validator; undefined for a request that it did not check, or that is valid. */
export function findingsOf(
  error: Pick<FastifyError, 'validation'> | undefined,
): readonly ErrorObject[] | undefined {
  // Fastify's own type allows other validators.
  return error?.validation as unknown as readonly ErrorObject[] | undefined
}

/** Findings in the words of `/v3` (pipeline API, section 1.3). */
export function problemsOf(errors: readonly ErrorObject[]): Problem[] {
  return errors.map(error => {
    const { instancePath, message = 'must be valid' } = error
    return { instancePath, message: unknownWordMessage(error, 'the request') ?? message }
  })
}

/** Findings in the words of `/v1` and `/v2` (configuration and account API, section 3.3). */
export function detailsOf(errors: readonly ErrorObject[]): ValidationDetail[] {
  // A finding about a branch of a schema, or about the name of a member, repeats a finding within it.
  const details = errors
    .filter(({ keyword }) => keyword !== 'if' && keyword !== 'propertyNames')
    .map(error => {
      const key = keyOf(error)
      return { message: messageOf(key, error), key, isEmpty: isEmptyText(error) }
    })
  // Other findings about an empty text are not useful.
  const empty = new Set(details.filter(({ isEmpty }) => isEmpty).map(({ key }) => key))
  return details
    .filter(({ key, isEmpty }) => isEmpty || !empty.has(key))
    .map(({ message, key }) => ({ message, key }))
}

function isEmptyText({ keyword, params }: ErrorObject): boolean {
  return keyword === 'minLength' && params.limit === 1
}

function keyOf(error: ErrorObject): string {
  const steps = stepsTo(error)
  return steps.length === 0 ? 'value' : steps.reduce(withStep, '')
}

function stepsTo({ instancePath, keyword, params, propertyName }: ErrorObject): string[] {
  const steps = instancePath.split('/').slice(1).map(unescaped)
  if (propertyName !== undefined) return [...steps, propertyName]
  return keyword === 'required' ? [...steps, String(params.missingProperty)] : steps
}

function withStep(path: string, step: string): string {
  if (/^\d+$/.test(step)) return `${path}[${step}]`
  return path === '' ? step : `${path}.${step}`
}

function unescaped(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~')
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  integer: 'a number',
  boolean: 'a boolean',
  array: 'an array',
  object: 'of type object',
}

/** @param type one or several; the possible absence of a body is not mentioned */
function typeWords(type: string | readonly string[]): string {
  const types = [type].flat().filter(each => each !== 'null')
  return types.map(each => TYPE_WORDS[each] ?? each).join(' or ')
}

function messageOf(key: string, error: ErrorObject): string {
  if (error.keyword === 'token') return `Invalid bodyTemplate: {{${error.params.token}}} is not a valid token`
  return `"${key}" ${wordingOf(error)}`
}

function wordingOf({ keyword, params, message }: ErrorObject): string {
  switch (keyword) {
    case 'required':
      return 'is required'
    case 'type':
      return `must be ${typeWords(params.type)}`
    case 'enum':
      return `must be one of [${(params.allowedValues as unknown[]).join(', ')}]`
    case 'minLength':
      return params.limit === 1
        ? 'is not allowed to be empty'
        : `must be at least ${params.limit} characters long`
    case 'maxLength':
      return `must be at most ${params.limit} characters long`
    case 'maxItems':
      return `must contain less than or equal to ${params.limit} items`
    case 'minimum':
      return `must be greater than or equal to ${params.limit}`
    case 'maximum':
      return `must be less than or equal to ${params.limit}`
    case 'format':
      return `must be a valid ${params.format}`
    case 'json':
      return 'must be a valid JSON string'
    case 'minItems':
      return `must contain at least ${params.limit} items`
    case 'needsOneOf':
      return `must contain at least one of [${params.members.join(', ')}]`
    case 'exclusivePeers':
      return `contains a conflict between exclusive peers [${params.members.join(', ')}]`
    case 'distinctBy':
      return 'contains a duplicate value'
    case 'searchQuery':
      return params.problem
    default:
      return message ?? 'is not valid'
  }
}
