import type { ConfigExample } from '../../engine/nodes/contract/node-declaration.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../schemas/json.ts'

/** Options of an example in their stored form. */
export function storedOptions({ sent, defaults = {} }: ConfigExample): JsonObject {
  return withDefaults(sent, defaults) as JsonObject
}

function withDefaults(sent: JsonValue | undefined, defaults: JsonValue): JsonValue {
  if (Array.isArray(sent) && Array.isArray(defaults) && sent.length === defaults.length)
    return sent.map((element, index) => withDefaults(element, defaults[index] as JsonValue))
  if (!isJsonObject(sent) || !isJsonObject(defaults)) return defaults
  const added = Object.entries(defaults).map(
    ([name, value]) => [name, withDefaults(sent[name], value)] as const,
  )
  return { ...sent, ...Object.fromEntries(added) }
}
