import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import { checkNode } from '../../engine/nodes/contract/check-node.ts'
import type { JsonObject, JsonValue } from '../../schemas/json.ts'

export interface TransformOptions {
  /** Findings as "pointer text", with pointers into the options; none when they are accepted. */
  problems(sent: JsonValue): string[]
  /** @throws Error when they are refused */
  stored(sent: JsonObject, previous?: JsonObject): JsonObject
}

/** Schema of the options of one type of processor, from the API. */
export function transformOptions(type: string): TransformOptions {
  return {
    problems: sent => {
      const checked = checkNode(CATALOGUE, 'transform', type, sent)
      if ('stored' in checked) return []
      return checked.problems.map(
        ({ instancePath, message }) => `${instancePath.replace(/^\/user_config/, '')} ${message}`,
      )
    },
    stored: (sent, previous) => {
      const checked = checkNode(
        CATALOGUE,
        'transform',
        type,
        sent,
        previous === undefined ? {} : { previous },
      )
      if ('problems' in checked) throw new Error(JSON.stringify(checked.problems))
      return checked.stored
    },
  }
}
