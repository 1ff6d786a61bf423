import type { TSchema } from 'typebox'
import type { AnyKind } from '../../engine/configuration/kind.ts'
import { declarationOf, type NodeKind } from '../../engine/nodes/known-types.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../schemas/json.ts'

/** What stands for a secret: see `Seal.mark`. */
export type Mark = (text: string) => string

/**
 * An entity for people who may see that a secret has changed, but not the secret. What is sealed at rest shows its
 * numbers, its switches and the names of its members; its texts are marks, except where its kind, or the schema of a
 * node's option, says that they cannot be one. So a new member is hidden unless somebody shows it.
 */
export function maskedValue(kind: AnyKind, value: JsonObject, mark: Mark): JsonObject {
  const sealed = new Set<string>(kind.sealed)
  return mapped(value, (member, name) =>
    sealed.has(name) ? sealedMember(kind, member, mark) : shown(member, name, mark),
  )
}

function sealedMember({ isHarmless }: AnyKind, value: JsonValue, mark: Mark): JsonValue {
  if (isHarmless === undefined) return concealed(value, mark)
  const at = (place: string, part: JsonValue): JsonValue => {
    if (isHarmless(place, part)) return part
    if (Array.isArray(part)) return part.map(element => at(place, element))
    if (!isJsonObject(part)) return concealed(part, mark)
    return mapped(part, (member, name) => at(place === '' ? name : `${place}.${name}`, member))
  }
  return at('', value)
}

/** Hashes of secrets are nobody's business either. */
function shown(value: JsonValue, name: string, mark: Mark): JsonValue {
  if (typeof value === 'string') return /hash$/i.test(name) ? mark(value) : value
  if (Array.isArray(value)) return value.map(element => shown(element, name, mark))
  return isJsonObject(value) ? mapped(value, (member, each) => shown(member, each, mark)) : value
}

function concealed(value: JsonValue, mark: Mark): JsonValue {
  if (typeof value === 'string') return mark(value)
  if (Array.isArray(value)) return value.map(element => concealed(element, mark))
  if (!isJsonObject(value)) return value
  if (isJsonObject(value.user_config))
    return { ...value, user_config: options(value.user_config, optionsOf(value), mark) }
  if (isJsonObject(value.alert_config)) return { ...value, alert_config: concealed(value.alert_config, mark) }
  if (Array.isArray(value.nodes))
    return mapped(value, (member, name) => (/^(nodes|alerts)$/.test(name) ? concealed(member, mark) : member))
  return mapped(value, member => concealed(member, mark))
}

function optionsOf({ kind, type }: JsonObject): TSchema | undefined {
  return declarationOf(kind as NodeKind, String(type))?.config
}

/** A schema as far as it tells what a text can be. */
interface OptionSchema {
  readonly properties?: Readonly<Record<string, OptionSchema>>
  readonly items?: OptionSchema
  readonly anyOf?: readonly OptionSchema[]
  readonly const?: unknown
  readonly enum?: unknown
  readonly fieldPath?: unknown
  readonly conditional?: unknown
  readonly comparison?: unknown
}

function options(value: JsonValue, schema: OptionSchema | undefined, mark: Mark): JsonValue {
  if (schema === undefined) return concealed(value, mark)
  if (isHarmless(schema)) return value
  if (Array.isArray(value)) return value.map(element => options(element, schema.items, mark))
  if (!isJsonObject(value)) return concealed(value, mark)
  return mapped(value, (member, name) => options(member, schema.properties?.[name], mark))
}

/** Words out of a list, places in an event, and rules about them. */
function isHarmless(schema: OptionSchema): boolean {
  if (schema.anyOf !== undefined) return schema.anyOf.every(isHarmless)
  return ['const', 'enum', 'fieldPath', 'conditional', 'comparison'].some(keyword => keyword in schema)
}

function mapped(value: JsonObject, change: (member: JsonValue, name: string) => JsonValue): JsonObject {
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, change(member, name)]))
}
