import { ERROR_CODES, type ErrorCode } from '../../../engine/event/errors.ts'
import type { Catalogue, NodeKind } from '../../../engine/nodes/contract/catalogue.ts'
import type { NodeDeclaration } from '../../../engine/nodes/contract/node-declaration.ts'
import { finish, type Steps } from '../../../engine/steps.ts'
import type { NodeType } from '../../../schemas/http/pipeline/node-type-api.ts'
import type { JsonObject } from '../../../schemas/json.ts'
import { optionSchemaOf } from '../../operations/node-schemas.ts'
import { NODE_KINDS } from '../links.ts'

/** Members that some declarations have. */
interface Details extends NodeDeclaration {
  readonly errors?: readonly ErrorCode[]
  readonly outputs?: unknown
  readonly examples?: readonly { readonly title: string; readonly config?: JsonObject }[]
}

/** Records of all types of nodes, in the order of the reference page. */
export function nodeTypesOf(catalogue: Catalogue): NodeType[] {
  return finish(makingNodeTypes(catalogue))
}

/** Makes the same records in steps. */
export function* makingNodeTypes(catalogue: Catalogue): Steps<NodeType[]> {
  const types: NodeType[] = []
  for (const kind of NODE_KINDS)
    for (const declaration of catalogue.declarations[kind]) {
      types.push(nodeTypeOf(catalogue, kind, declaration))
      yield
    }
  return types
}

function nodeTypeOf(catalogue: Catalogue, kind: NodeKind, declaration: Details): NodeType {
  const { type, aliases = [], summary, feature = null, errors = [], configs, examples = [] } = declaration
  const named = (options: JsonObject) =>
    catalogue
      .outputsOf({ id: type, kind, type, title: type, user_config: options, inputs: [] })
      .flatMap(({ name, label }) => (name === undefined ? [] : [{ name, label }]))
  const example = (title: string | null, user_config: JsonObject) => ({
    ...{ title, user_config, outputs: named(user_config) },
  })
  return {
    ...{ kind, type, aliases: [...aliases], summary, runs: catalogue.isBuilt(kind, type), feature },
    config: optionSchemaOf(declaration),
    outputs: kind === 'sink' ? 'none' : declaration.outputs === undefined ? 'default' : 'by_options',
    errors: errors.map(code => ({ code, meaning: ERROR_CODES[code] })),
    examples: [
      ...configs.map(({ sent }) => example(null, sent)),
      ...examples.flatMap(({ title, config }) => (config === undefined ? [] : [example(title, config)])),
    ],
  }
}
