import type { JsonObject } from '../../schemas/json.ts'
import type { Problem } from '../problem.ts'
import { blackhole } from './blackhole.ts'
import {
  checkDestination,
  type DestinationDefinition,
  type DestinationSettings,
} from './define-destination.ts'
import { logAnalysis } from './log-analysis.ts'

/** Every kind of destination that this version delivers to. */
export const DESTINATIONS: readonly DestinationDefinition[] = [logAnalysis, blackhole]

const BY_TYPE = new Map<string, DestinationDefinition>(
  DESTINATIONS.flatMap(definition =>
    [definition.type, ...definition.aliases].map(type => [type, definition] as const),
  ),
)

/** The canonical id of a type as it was sent; undefined when this version does not have it. */
export function canonicalDestinationType(type: string): string | undefined {
  return BY_TYPE.get(type)?.type
}

/**
 * Checks the `user_config` of a destination.
 *
 * @param type as it was sent, canonical or an alias
 * @returns what is to be stored (exactly what was sent plus the listed defaults), or every finding, its
 *          `instancePath` relative to the configuration
 */
export function checkDestinationConfig(
  type: string,
  userConfig: JsonObject,
  settings: DestinationSettings = {},
): { readonly stored: JsonObject } | { readonly problems: readonly Problem[] } | { readonly unknown: true } {
  const definition = BY_TYPE.get(type)
  return definition === undefined
    ? { unknown: true }
    : checkDestination(definition, type, userConfig, settings)
}
