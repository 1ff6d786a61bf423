import type { Steps } from '../../engine/steps.ts'

type Json = { [name: string]: unknown }

/** Operations of a path, by method. */
type Operations = Readonly<Record<string, Operation>>

interface Operation {
  readonly operationId?: string
  readonly responses?: Readonly<Record<string, unknown>>
}

/** The part of an OpenAPI document that is read here. */
interface Document {
  readonly components?: { readonly schemas?: Json }
  readonly paths?: Json
}

/** Temporary name of `$id` in the document, because `@fastify/swagger` treats `$id` itself differently. */
const NAME = 'x-name'

/** @param schema of a route, or a part of it */
export function withMarkedNames(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withMarkedNames)
  if (typeof schema !== 'object' || schema === null) return schema
  const members = Object.entries(schema).map(([name, part]) =>
    name === '$id' && typeof part === 'string' ? [NAME, part] : [name, withMarkedNames(part)],
  )
  return Object.fromEntries(members)
}

/**
 * Moves every schema with a name to `components.schemas` and leaves a reference in its place, in steps.
 *
 * @throws Error when two different schemas have one name
 */
export function* namingSchemas<Given extends Document>(document: Given): Steps<Given & Document> {
  const named = new Map<string, unknown>()
  const moved = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(moved)
    if (typeof value !== 'object' || value === null) return value
    const { [NAME]: name, ...rest } = value as Json
    const shape = Object.fromEntries(Object.entries(rest).map(([member, part]) => [member, moved(part)]))
    if (typeof name !== 'string') return shape
    const known = named.get(name)
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(shape))
      throw new Error(`two schemas are named ${name}`)
    named.set(name, shape)
    return { $ref: `#/components/schemas/${name}` }
  }
  const responses: Json = {}
  const paths: Json = {}
  for (const [path, operations] of Object.entries(document.paths ?? {})) {
    paths[path] = withOperations(path, moved(operations) as Operations, responses)
    yield
  }
  const schemas = moved(document.components?.schemas ?? {}) as Json
  const byName = [...named].sort(([one], [other]) => (one < other ? -1 : 1))
  return {
    ...document,
    components: { ...document.components, schemas: { ...schemas, ...Object.fromEntries(byName) }, responses },
    paths,
  }
}

/**
 * Gives every operation of a path a name, and moves errors to one place. @param responses receives the answers that
 * operations share
 */
function withOperations(path: string, operations: Operations, responses: Json): Operations {
  const shared = ([status, response]: readonly [string, unknown]) => {
    const error =
      status >= '400' ? /"#\/components\/schemas\/(\w+Error)"/.exec(JSON.stringify(response)) : null
    const name = error?.[1]
    if (name === undefined) return [status, response]
    responses[name] = { ...(response as Json), description: 'An error; its status says which.' }
    return [status, { $ref: `#/components/responses/${name}` }]
  }
  const named = (method: string, operation: Operation) => ({
    operationId: operationIdOf(method, path),
    ...operation,
    responses: Object.fromEntries(Object.entries(operation.responses ?? {}).map(shared)),
  })
  const members = Object.entries(operations).map(([method, operation]) => [method, named(method, operation)])
  return Object.fromEntries(members)
}

/** `put` and `/v3/pipeline/{pipelineId}` give `putV3PipelineByPipelineId`. */
function operationIdOf(method: string, path: string): string {
  const words = path
    .replaceAll(/\{(\w+)\}/g, (_, name: string) => `by-${name}`)
    .split(/\W+/)
    .filter(word => word !== '')
  return method + words.map(word => word[0]?.toUpperCase() + word.slice(1)).join('')
}
