import type { TObject } from 'typebox'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../schemas/json.ts'
import { MAX_PROBLEMS, type Problem, unknownChoice, unknownMember } from '../../event/problem.ts'
import type { Catalogue, NodeKind } from './catalogue.ts'
import type { ConfigCheck } from './config-schema.ts'
import { checkOptions, type NodeSettings } from './node-declaration.ts'

export interface NodeCheckOptions {
  /** Stored options of the replaced node: names that the server gave stay. */
  readonly previous?: JsonObject
  readonly settings?: NodeSettings
}

/**
 * Checks type and options of a node as they came in a request; returns all findings, with pointers into the request body.
 *
 * @param userConfig `user_config` as sent; undefined means `{}`
 * @returns options to store and to return on every read, without others (pipeline API, section 1.5): the sent ones and
 *   the listed defaults
 */
export function checkNode(
  catalogue: Catalogue,
  kind: NodeKind,
  type: string,
  userConfig: JsonValue | undefined,
  { previous, settings = {} }: NodeCheckOptions = {},
): ConfigCheck {
  const declaration = catalogue.declarationOf(kind, type)
  if (declaration === undefined) return refused('/type', unknownType(catalogue, kind, type))
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
 * Finds undeclared options before a closer check, because there may be hundreds of thousands.
 *
 * @returns the first thousand findings, in the words of `checkNode`, if there are as many; otherwise none
 */
export function tooManyUnknownOptions(
  catalogue: Catalogue,
  kind: NodeKind,
  type: string,
  userConfig: JsonValue | undefined,
): readonly Problem[] {
  const schema: (TObject & { readonly additionalProperties?: unknown }) | undefined = catalogue.declarationOf(
    kind,
    type,
  )?.config
  if (schema?.additionalProperties !== false || !isJsonObject(userConfig)) return []
  const problems: Problem[] = []
  for (const name in userConfig) {
    if (Object.hasOwn(schema.properties, name)) continue
    const message = unknownMember(name, Object.keys(schema.properties), type)
    problems.push({ instancePath: '/user_config', message })
    if (problems.length === MAX_PROBLEMS) return problems
  }
  return []
}

function unknownType(catalogue: Catalogue, kind: NodeKind, type: string): string {
  const types = catalogue.declarations[kind].map(declaration => declaration.type)
  return unknownChoice(type, types, false)
}

function refused(instancePath: string, message: string): ConfigCheck {
  return { problems: [{ instancePath, message }] }
}
