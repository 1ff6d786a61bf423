import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import type { TSchema } from 'typebox'
import type { JsonObject } from '../../schemas/json.ts'
import type { Problem } from '../problem.ts'

/** What an installation adds to the rules of its destinations. */
export interface DestinationSettings {
  /** Hosts that a log-analysis destination may name; every host when absent. */
  readonly logHostPattern?: RegExp
  /** This installation's own ingestion host, filled in where a configuration names none. */
  readonly ingestHost?: string
}

/** A kind of destination: what the API checks and stores of it, and what the reference page says. */
export interface DestinationDefinition<Schema extends TSchema = TSchema> {
  /** The canonical id; what was sent is echoed. */
  readonly type: string
  readonly aliases: readonly string[]
  readonly summary: string
  readonly config: Schema
  /**
   * Rules that the schema cannot tell. It is asked even when the schema found something, so that all findings
   * are reported at once: what it looks at may have any type.
   */
  check(sent: JsonObject, settings: DestinationSettings): Problem[]
  /** What was sent and the defaults of the contract, nothing else (pipeline API, section 1.5). */
  withDefaults(sent: JsonObject, typeAsSent: string, settings: DestinationSettings): JsonObject
}

export function defineDestination<Schema extends TSchema>(
  definition: DestinationDefinition<Schema>,
): DestinationDefinition<Schema> {
  return definition
}

export type DestinationCheck = { readonly stored: JsonObject } | { readonly problems: readonly Problem[] }

const ajv = new Ajv({ allErrors: true, strict: false })
const validators = new WeakMap<object, ValidateFunction>()

/** All findings at once; what is stored when there are none. */
export function checkConfig(
  definition: DestinationDefinition,
  typeAsSent: string,
  sent: JsonObject,
  settings: DestinationSettings,
): DestinationCheck {
  const validate = validatorOf(definition.config)
  const problems = validate(sent) ? [] : (validate.errors ?? []).map(problemOf)
  problems.push(...definition.check(sent, settings))
  if (problems.length > 0) return { problems }
  return { stored: definition.withDefaults(sent, typeAsSent, settings) }
}

function validatorOf(schema: TSchema): ValidateFunction {
  let validate = validators.get(schema)
  if (validate === undefined) {
    validate = ajv.compile(schema)
    validators.set(schema, validate)
  }
  return validate
}

function problemOf({ instancePath, message, keyword, params }: ErrorObject): Problem {
  const text = message ?? 'must be valid'
  if (keyword === 'additionalProperties') {
    return { instancePath, message: `${text}: '${String(params.additionalProperty)}'` }
  }
  if (keyword === 'enum') {
    return { instancePath, message: `${text}: ${(params.allowedValues as string[]).join(', ')}` }
  }
  return { instancePath, message: text }
}
