import { OPERATOR_NAMES } from '../../engine/conditions/operators.ts'
import type { Catalogue, NodeKind } from '../../engine/nodes/contract/catalogue.ts'
import type { NodeDeclaration } from '../../engine/nodes/contract/node-declaration.ts'
import type { Steps } from '../../engine/steps.ts'
import { isJsonObject, type JsonObject } from '../../schemas/json.ts'

const KINDS: readonly NodeKind[] = ['source', 'transform', 'sink']
const COMPONENTS = '#/components/schemas/'
const CONDITION = 'Condition'
const COMPARISON = 'Comparison'

/** Replacements in the document for keywords that only this program's validator knows. */
const FORMATS: Readonly<Record<string, object>> = {
  fieldPath: { format: 'field-path' },
  regularExpression: { format: 'regex' },
  grokPattern: { format: 'grok-pattern' },
  secret: { 'x-secret': true },
  script: { contentMediaType: 'text/javascript' },
}

/** Form of schemas of options. */
interface Dialect {
  /** Pointer to the object that contains `Condition` and `Comparison`. */
  readonly definitions: string
  readonly formats: Readonly<Record<string, object>>
}

const DOCUMENT: Dialect = { definitions: COMPONENTS, formats: FORMATS }
/** Form of a schema that is complete in itself. The value of an option with `writeOnly` is a secret. */
const ALONE: Dialect = { definitions: '#/$defs/', formats: { ...FORMATS, secret: { writeOnly: true } } }

/** The part of the API document in which a body of a node is described. */
interface ApiDocument {
  readonly components?: { schemas?: object }
  readonly paths?: Readonly<
    Record<string, { readonly post?: Operation; readonly put?: Operation } | undefined>
  >
}
interface Operation {
  readonly requestBody?: unknown
}
interface Body {
  readonly content: { readonly 'application/json': { schema: object } }
}

/**
 * Adds the options of each node type to the API document, in steps. The schemas of the routes lack them: their validator
 * would report findings for every other type.
 */
export function* documentingNodeTypes(document: ApiDocument, { declarations }: Catalogue): Steps {
  const { components, paths = {} } = document
  const schemas = yield* nodeSchemas(declarations)
  if (components !== undefined) components.schemas = { ...components.schemas, ...schemas }
  for (const kind of KINDS) {
    const list = `/v3/pipeline/{pipelineId}/${kind}`
    narrow(paths[list]?.post, alternatives(kind, declarations[kind], 'oneOf'))
    // The type can be omitted here, so options may match several alternatives.
    narrow(paths[`${list}/{nodeId}`]?.put, alternatives(kind, declarations[kind], 'anyOf'))
  }
}

function narrow(operation: Operation | undefined, further: object): void {
  const body = operation?.requestBody as Body | undefined
  if (body === undefined) return
  const media = body.content['application/json']
  media.schema = { allOf: [media.schema, further] }
}

/** Components for every type of node and for their shared options. */
function* nodeSchemas(declarations: Catalogue['declarations']): Steps<Record<string, object>> {
  const schemas: Record<string, object> = { [CONDITION]: condition(DOCUMENT), [COMPARISON]: comparison() }
  for (const kind of KINDS)
    for (const declaration of declarations[kind]) {
      schemas[nameOf(kind, declaration)] = schemaOf(declaration)
      yield
    }
  return schemas
}

/** Schema of a body that is one of the components, chosen by its type. */
function alternatives(
  kind: NodeKind,
  declarations: readonly NodeDeclaration[],
  keyword: 'oneOf' | 'anyOf',
): object {
  const mapping: Record<string, string> = {}
  for (const declaration of declarations) {
    for (const type of wireIds(declaration)) mapping[type] = `${COMPONENTS}${nameOf(kind, declaration)}`
  }
  const references = [...new Set(Object.values(mapping))].map($ref => ({ $ref }))
  return { [keyword]: references, discriminator: { propertyName: 'type', mapping } }
}

function nameOf(kind: NodeKind, { type }: NodeDeclaration): string {
  return `${kind}.${type}`
}

function wireIds({ type, aliases = [] }: NodeDeclaration): string[] {
  return [type, ...aliases]
}

function schemaOf(declaration: NodeDeclaration): object {
  const { summary, config } = declaration
  const options = JSON.parse(JSON.stringify(config)) as JsonObject
  const needsOptions = Array.isArray(options.required) && options.required.length > 0
  return {
    type: 'object',
    description: summary,
    ...(needsOptions ? { required: ['user_config'] } : {}),
    properties: {
      type: { type: 'string', enum: wireIds(declaration) },
      user_config: documented(options, DOCUMENT),
    },
  }
}

/** Schema of the options of a node type, complete in itself: its conditions are among its `$defs`. */
export function optionSchemaOf({ config }: NodeDeclaration): JsonObject {
  const options = documented(JSON.parse(JSON.stringify(config)) as JsonObject, ALONE)
  const hasConditions = JSON.stringify(options).includes(`"$ref":"${ALONE.definitions}`)
  if (!hasConditions) return options
  const $defs = { [CONDITION]: condition(ALONE), [COMPARISON]: comparison() }
  // Schemas are JSON.
  return { ...options, $defs: $defs as unknown as JsonObject }
}

/** Options without those keywords. */
function documented(schema: JsonObject, dialect: Dialect): JsonObject {
  const { description = '' } = schema
  const { definitions, formats } = dialect
  if (schema.conditional !== undefined) return { $ref: `${definitions}${CONDITION}`, description }
  if (schema.comparison !== undefined) return { $ref: `${definitions}${COMPARISON}`, description }
  const members = Object.entries(schema).map(([keyword, value]) => {
    const format = formats[keyword]
    if (format !== undefined) return format
    if (keyword === 'items' && isJsonObject(value)) return { items: documented(value, dialect) }
    if (keyword !== 'properties' || !isJsonObject(value)) return { [keyword]: value }
    const properties = Object.entries(value).map(([name, member]) => [
      name,
      documented(member as JsonObject, dialect),
    ])
    return { properties: Object.fromEntries(properties) }
  })
  return Object.assign({}, ...members)
}

function condition({ definitions }: Dialect): object {
  return {
    type: 'object',
    description: 'Comparisons and nested conditions: all of them must hold, or one.',
    required: ['expressions'],
    properties: {
      expressions: {
        type: 'array',
        minItems: 1,
        items: { anyOf: [{ $ref: `${definitions}${COMPARISON}` }, { $ref: `${definitions}${CONDITION}` }] },
      },
      logical_operation: { type: 'string', enum: ['AND', 'OR'], default: 'AND' },
    },
    additionalProperties: false,
  }
}

function comparison(): object {
  return {
    type: 'object',
    description: 'A field, an operator and, if the operator needs one, the value to compare with.',
    required: ['field', 'str_operator'],
    properties: {
      field: { type: 'string', ...FORMATS.fieldPath },
      str_operator: { type: 'string', enum: OPERATOR_NAMES },
      value: { type: ['string', 'number'] },
      negate: { type: 'boolean', default: false, description: 'Turns the comparison round' },
      case_sensitive: { type: 'boolean', description: 'Whether the case of letters matters' },
    },
    additionalProperties: false,
  }
}
