import type { TObject } from 'typebox'
import { isJsonObject, type JsonObject, type JsonValue } from '../../schemas/json.ts'
import { MAX_PROBLEMS, type Problem } from '../event/problem.ts'
import type { ConfigCheck } from './contract/config-schema.ts'
import { checkOptions, type NodeSettings } from './contract/node-declaration.ts'
import { declarationOf, type NodeKind } from './known-types.ts'

export interface NodeCheckOptions {
  /** The stored options of the node that is being replaced: names that the server gave stay. */
  readonly previous?: JsonObject
  readonly settings?: NodeSettings
}

/**
 * Checks type and options of a node as they came in a request; all findings at once, with pointers into the
 * request body.
 *
 * @param userConfig `user_config` as sent; undefined means `{}`
 * @returns what is to be stored and returned on every read: what was sent, the listed defaults, and nothing else
 *   (pipeline API, section 1.5)
 */
export function checkNode(
  kind: NodeKind,
  type: string,
  userConfig: JsonValue | undefined,
  { previous, settings = {} }: NodeCheckOptions = {},
): ConfigCheck {
  const declaration = declarationOf(kind, type)
  if (declaration === undefined) return refused('/type', 'must be equal to one of the allowed values')
  const sent = userConfig ?? {}
  if (userConfig === null || !isJsonObject(sent)) return refused('/user_config', 'must be object')
  const checked = checkOptions(declaration, sent, { typeAsSent: type, previous, settings })
  if ('stored' in checked) return checked
  return {
    problems: checked.problems.map(({ instancePath, message }) => ({
      instancePath: `/user_config${instancePath}`,
      message,
    })),
  }
}

/**
 * Options that no node of a type has: found at once, before a closer look at what may be hundreds of thousands.
 *
 * @returns the first thousand, as `checkNode` says them, when there are so many; otherwise nothing
 */
export function tooManyUnknownOptions(
  kind: NodeKind,
  type: string,
  userConfig: JsonValue | undefined,
): readonly Problem[] {
  const schema: (TObject & { readonly additionalProperties?: unknown }) | undefined = declarationOf(
    kind,
    type,
  )?.config
  if (schema?.additionalProperties !== false || !isJsonObject(userConfig)) return []
  const problems: Problem[] = []
  for (const name in userConfig) {
    if (Object.hasOwn(schema.properties, name)) continue
    problems.push({ instancePath: '/user_config', message: `must NOT have additional properties: '${name}'` })
    if (problems.length === MAX_PROBLEMS) return problems
  }
  return []
}

function refused(instancePath: string, message: string): ConfigCheck {
  return { problems: [{ instancePath, message }] }
}
