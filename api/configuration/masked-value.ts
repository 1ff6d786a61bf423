import type { AnyKind } from '../../engine/configuration/kind.ts'
import type { Catalogue, NodeKind } from '../../engine/nodes/contract/catalogue.ts'
import { isSecret, type SecretSchema } from '../../engine/nodes/contract/secret.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../schemas/json.ts'

/** Returns the replacement of a secret: see `Seal.mark`. */
export type Mark = (text: string) => string

/**
 * Shows an entity to people who may learn that a secret has changed, but not the secret. Options of a node are shown
 * unless their type declares them as secret. Other sealed members show numbers, switches and names of members. Their
 * texts are masked unless the kind declares them harmless.
 */
export function maskedValue(catalogue: Catalogue, kind: AnyKind, value: JsonObject, mark: Mark): JsonObject {
  const sealed = new Set<string>(kind.sealed)
  const mask: Mask = { catalogue, mark }
  return mapped(value, (member, name) =>
    sealed.has(name) ? sealedMember(kind, member, mask) : shown(member, name, mark),
  )
}

interface Mask {
  readonly catalogue: Catalogue
  readonly mark: Mark
}

function sealedMember({ isHarmless }: AnyKind, value: JsonValue, mask: Mask): JsonValue {
  if (isHarmless === undefined) return concealed(value, mask)
  const at = (place: string, part: JsonValue): JsonValue => {
    if (isHarmless(place, part)) return part
    if (Array.isArray(part)) return part.map(element => at(place, element))
    if (!isJsonObject(part)) return concealed(part, mask)
    return mapped(part, (member, name) => at(place === '' ? name : `${place}.${name}`, member))
  }
  return at('', value)
}

/** Hashes of secrets are not shown either. */
function shown(value: JsonValue, name: string, mark: Mark): JsonValue {
  if (typeof value === 'string') return /hash$/i.test(name) ? mark(value) : value
  if (Array.isArray(value)) return value.map(element => shown(element, name, mark))
  return isJsonObject(value) ? mapped(value, (member, each) => shown(member, each, mark)) : value
}

function concealed(value: JsonValue, mask: Mask): JsonValue {
  if (typeof value === 'string') return mask.mark(value)
  if (Array.isArray(value)) return value.map(element => concealed(element, mask))
  if (!isJsonObject(value)) return value
  if (isJsonObject(value.user_config))
    return { ...value, user_config: options(value.user_config, optionsOf(mask.catalogue, value), mask) }
  if (isJsonObject(value.alert_config)) return { ...value, alert_config: concealed(value.alert_config, mask) }
  if (Array.isArray(value.nodes))
    return mapped(value, (member, name) => (/^(nodes|alerts)$/.test(name) ? concealed(member, mask) : member))
  return mapped(value, member => concealed(member, mask))
}

function optionsOf(catalogue: Catalogue, { kind, type }: JsonObject): SecretSchema | undefined {
  return catalogue.declarationOf(kind as NodeKind, String(type))?.config
}

/** Shows options, except for secret ones and for members that the type does not declare. */
function options(value: JsonValue, schema: SecretSchema | undefined, mask: Mask): JsonValue {
  if (schema === undefined || isSecret(schema)) return concealed(value, mask)
  const { items, properties } = schema
  if (Array.isArray(value) && items !== undefined) return value.map(element => options(element, items, mask))
  if (!isJsonObject(value) || properties === undefined) return value
  return mapped(value, (member, name) => options(member, properties[name], mask))
}

function mapped(value: JsonObject, change: (member: JsonValue, name: string) => JsonValue): JsonObject {
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, change(member, name)]))
}
