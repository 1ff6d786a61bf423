import type { TSchema } from 'typebox'
import type { JsonObject } from '../../schemas/json.ts'
import { type ConfigCheck, checkConfig } from '../config-schema.ts'
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
  /** Adds the defaults that the schema cannot tell to what was sent, nothing else (pipeline API, section 1.5). */
  withDefaults(stored: JsonObject, typeAsSent: string, settings: DestinationSettings): JsonObject
}

export function defineDestination<Schema extends TSchema>(
  definition: DestinationDefinition<Schema>,
): DestinationDefinition<Schema> {
  return definition
}

/** All findings at once; what is stored when there are none. */
export function checkDestination(
  definition: DestinationDefinition,
  typeAsSent: string,
  sent: JsonObject,
  settings: DestinationSettings,
): ConfigCheck {
  const checked = checkConfig(definition.config, sent)
  const problems = 'problems' in checked ? [...checked.problems] : []
  problems.push(...definition.check(sent, settings))
  if (problems.length > 0 || 'problems' in checked) return { problems }
  return { stored: definition.withDefaults(checked.stored, typeAsSent, settings) }
}
