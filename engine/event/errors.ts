import { NumberText } from '../../schemas/json.ts'

/** Every code that a component can report, with its cause: components, section 9.1. */
export const ERROR_CODES = {
  E_NOT_FOUND: 'a configured field is not in the event',
  E_COMPACT_BAD_TYPE: 'the field to compact is neither object nor array',
  E_DECRYPT_BAD_TYPE: 'the field to decrypt is not a string',
  E_DECRYPT_BAD_IV: 'the initialization vector is not a string',
  E_DECRYPT_FIELD_DECODE: 'the field to decrypt is not base64',
  E_DECRYPT_IV_DECODE: 'the initialization vector is not base64',
  E_DECRYPT_FAILED: 'decryption failed',
  E_ENCRYPT_BAD_TYPE: 'the field to encrypt is null, an object or an array',
  E_ENCRYPT_FAILED: 'encryption failed, or the initialization vector cannot be stored',
  E_EVENT_TO_METRIC_FAILED: 'a value cannot be made part of a metric',
  E_COMPARE_COERCION_FAILED: 'a field value cannot be turned into the type that the comparison needs',
  E_COMPARE_BAD_CIDR: 'a field value is not an IP address',
  E_COMPARE_BAD_TYPE: 'a field value has a type that the comparison does not work on',
  E_EXPRESSION_COST:
    'the event takes more work than is free and the account has saved up, too much is made of its request, or its record is in quarantine at the node',
  E_FLATTEN_BAD_TYPE: 'the field to flatten is neither object nor array',
  E_PARSE_FAILED: 'the value is not a string, or the parser does not accept it',
  E_UNROLL_BAD_TYPE: 'the field to unroll is not an array',
  E_STREAM_BAD_TYPE: 'the expected field of the payload is not an array',
  E_STREAM_BAD_BASE64: 'the data of a record is not base64',
  E_STREAM_BAD_JSON: 'the data of a record is not JSON',
  E_EVENT_NOT_JSON: 'the payload is not JSON',
  E_EVENT_NOT_NDJSON: 'a line of the payload is not JSON',
  E_SERVICE_AGENT_BAD_TYPE: 'the payload has no array of lines',
  E_COLLECTOR_BAD_FORMAT: 'the payload does not follow the event collector format',
  E_METRIC_BAD_TYPE: 'the message is not a metric',
  E_CARDINALITY_LIMIT: 'the bound on keys or groups was reached',
  E_SCRIPT_FAILED: 'the script failed, ran into a limit, or gave a result that cannot be used',
  E_TRACE_BAD_TYPE: 'the trace id is not a non-empty string',
  E_TRACE_NO_ROOT: 'the root of a trace never came',
  E_DELIVERY_FAILED: 'events could not be delivered and were given up',
  E_DELIVERY_RETRYING: 'a delivery failed and is tried again',
} as const

export type ErrorCode = keyof typeof ERROR_CODES

/** Cause of E_EXPRESSION_COST where the expressions of a node took the work. */
export const EXPRESSIONS_TOO_DEAR =
  'the expressions took more work on one event than is free, and the account has no more saved up: write shorter ones, or send shorter texts'

export type ErrorLevel = 'error' | 'warning'

/** Codes that warn, because no event is wrong: components, sections 5.24 and 7.1. */
const WARNINGS: readonly string[] = ['E_TRACE_NO_ROOT', 'E_DELIVERY_RETRYING'] satisfies ErrorCode[]

/** Level of a code: components, section 4.1. */
export function errorLevel(code: string): ErrorLevel {
  return WARNINGS.includes(code) ? 'warning' : 'error'
}

/** A name for the type of a value. It may be shown, because it never contains the value itself. */
export type FoundType = 'missing' | 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object'

/** Details that a processor reports with a code. */
export interface ErrorDetail {
  /** The path concerned, as written in the configuration. */
  readonly field?: string
  readonly found?: FoundType
  /** Text to keep as the cause instead of the event itself. */
  readonly captured?: string
  /** Sentence in place of that of the code. */
  readonly cause?: string
}

/** Reports an error of a compiled component on the present event. The event continues all the same. */
export type Report<Code extends ErrorCode = ErrorCode> = (code: Code, detail: ErrorDetail) => void

export function foundType(value: unknown): FoundType {
  if (value === undefined) return 'missing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (value instanceof NumberText) return 'number'
  const type = typeof value
  return type === 'bigint' ? 'number' : (type as FoundType)
}

/** One English sentence from code, field and found type. It contains nothing of the event's content. */
export function errorMessage(code: ErrorCode, { field, found, cause }: ErrorDetail): string {
  const place = field === undefined ? '' : ` at ${field}`
  const type = found === undefined || found === 'missing' ? '' : ` (found: ${found})`
  const sentence = cause ?? ERROR_CODES[code]
  return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}${place}${type}.`
}
