import { Ajv, type ErrorObject, type FuncKeywordDefinition } from 'ajv'
import type { DataValidationCxt } from 'ajv/dist/types/index.js'
import addFormats from 'ajv-formats'
import type { FastifySchemaCompiler } from 'fastify'
import Type from 'typebox'
import type { Problem } from '../engine/problem.ts'
import type { ValidationDetail } from './errors.ts'

/**
 * The validator of every request body. It changes nothing that was sent: no number out of a text, no member
 * dropped without a word. All findings are reported at once.
 */
export function validatorCompiler(): FastifySchemaCompiler<object> {
  const ajv = new Ajv({ allErrors: true, coerceTypes: false, strict: false })
  addFormats.default(ajv)
  ajv.addKeyword(READS_KEYWORD)
  return ({ schema }) => ajv.compile(schema)
}

/** What a text may stand for where older clients send it instead. */
export interface Reads {
  readonly type: 'integer' | 'boolean'
  readonly minimum?: number
  readonly maximum?: number
}

/** A member that may be sent as a text, too; handlers see what the text stands for. */
export function readsInteger(bounds: { readonly minimum?: number; readonly maximum?: number } = {}) {
  return Type.Unsafe<number>({ reads: { type: 'integer', ...bounds } satisfies Reads })
}

/** The same of `true` and `false`. */
export function readsBoolean() {
  return Type.Unsafe<boolean>({ reads: { type: 'boolean' } satisfies Reads })
}

const READS_KEYWORD: FuncKeywordDefinition = {
  keyword: 'reads',
  modifying: true,
  errors: true,
  validate: readAs,
}

type KeywordErrors = { errors?: Partial<ErrorObject>[] }

function readAs(
  this: unknown,
  reads: Reads,
  sent: unknown,
  _schema?: unknown,
  place?: DataValidationCxt,
): boolean {
  const value = typeof sent === 'string' ? readText(reads.type, sent) : sent
  const failure = failureOf(reads, value)
  ;(readAs as KeywordErrors).errors = failure === undefined ? [] : [failure]
  if (failure === undefined && place !== undefined) place.parentData[place.parentDataProperty] = value
  return failure === undefined
}

function readText(type: Reads['type'], text: string): unknown {
  if (type === 'integer') return /^[+-]?\d{1,15}$/.test(text.trim()) ? Number(text) : text
  return text === 'true' ? true : text === 'false' ? false : text
}

function failureOf({ type, minimum, maximum }: Reads, value: unknown): Partial<ErrorObject> | undefined {
  const isOfType = type === 'integer' ? Number.isSafeInteger(value) : typeof value === 'boolean'
  if (!isOfType) return { keyword: 'type', params: { type } }
  if (minimum !== undefined && (value as number) < minimum)
    return { keyword: 'minimum', params: { limit: minimum } }
  if (maximum !== undefined && (value as number) > maximum)
    return { keyword: 'maximum', params: { limit: maximum } }
  return undefined
}

/** Findings as `/v3` words them (pipeline API, section 1.3). */
export function problemsOf(errors: readonly ErrorObject[]): Problem[] {
  return errors.map(({ instancePath, message }) => ({ instancePath, message: message ?? 'must be valid' }))
}

/** Findings as `/v1` and `/v2` word them (configuration and account API, section 3.3). */
export function detailsOf(errors: readonly ErrorObject[]): ValidationDetail[] {
  return errors.map(error => {
    const key = keyOf(error)
    return { message: `"${key}" ${wordingOf(error)}`, key }
  })
}

function keyOf({ instancePath, keyword, params }: ErrorObject): string {
  const steps = instancePath.split('/').slice(1).map(unescaped)
  if (keyword === 'required') steps.push(String(params.missingProperty))
  return steps.length === 0 ? 'value' : steps.reduce(withStep, '')
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

function wordingOf({ keyword, params, message }: ErrorObject): string {
  switch (keyword) {
    case 'required':
      return 'is required'
    case 'type':
      return `must be ${TYPE_WORDS[String(params.type)] ?? params.type}`
    case 'enum':
      return `must be one of [${(params.allowedValues as unknown[]).join(', ')}]`
    case 'minLength':
      return params.limit === 1
        ? 'is not allowed to be empty'
        : `must be at least ${params.limit} characters long`
    case 'maxLength':
      return `must be at most ${params.limit} characters long`
    case 'minimum':
      return `must be greater than or equal to ${params.limit}`
    case 'maximum':
      return `must be less than or equal to ${params.limit}`
    case 'format':
      return `must be a valid ${params.format}`
    default:
      return message ?? 'is not valid'
  }
}
