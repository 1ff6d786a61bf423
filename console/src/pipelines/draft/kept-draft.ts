import { keep, keptValue } from '../../api/kept.ts'
import type { PipelineGraph } from '../../api/pipelines.ts'
import { isJsonObject, type JsonObject, type JsonValue, type PipelineFile } from '../document/file.ts'
import { type NodeKind, nodesOf } from '../document/nodes.ts'
import { ENTER_AGAIN, isMask, type OptionSchema, secretsIn } from '../form/schema.ts'
import type { History } from './history.ts'

/** An unsaved draft, as the browser keeps it: without secrets. */
export interface KeptDraft {
  /** The version of the server that was changed. */
  readonly base: PipelineGraph
  readonly history: History<PipelineFile>
}

export type SchemaOf = (kind: NodeKind, type: string) => OptionSchema | undefined

const nameOf = (pipelineId: string) => `draft ${pipelineId}`

export function keptDraft(pipelineId: string): Promise<KeptDraft | undefined> {
  return keptValue<KeptDraft>(nameOf(pipelineId))
}

/** Keeps a draft until it is saved; undefined removes it. */
export function keepDraft(
  pipelineId: string,
  draft: KeptDraft | undefined,
  schemaOf: SchemaOf,
): Promise<void> {
  if (draft === undefined) return keep(nameOf(pipelineId), undefined)
  const bare = (document: PipelineFile) => withoutSecrets(document, schemaOf)
  const { past, present, future } = draft.history
  const history = {
    past: past.map(bare),
    present: bare(present),
    future: future.map(bare),
    mark: undefined,
  }
  return keep(nameOf(pipelineId), { base: draft.base, history })
}

const bares = new WeakMap<PipelineFile, PipelineFile>()

/** The document without the secrets that were typed. Masks stay: they are not secrets. */
export function withoutSecrets(document: PipelineFile, schemaOf: SchemaOf): PipelineFile {
  const known = bares.get(document)
  if (known !== undefined) return known
  const bare = { ...document }
  for (const { list, index, kind, node } of nodesOf(document)) {
    const places = secretPlaces(node.config, schemaOf(kind, node.type))
    if (places.length === 0) continue
    const config = places.reduce<JsonObject>(
      (options, place) => withValueAt(options, place, ENTER_AGAIN) as JsonObject,
      node.config ?? {},
    )
    bare[list] = (bare[list] ?? []).with(index, { ...node, config })
  }
  bares.set(document, bare)
  return bare
}

/** Places of typed secrets, as JSON pointers. Where the type is unknown every text may be one. */
function secretPlaces(config: unknown, schema: OptionSchema | undefined): readonly string[] {
  const places = schema === undefined ? textsIn(config) : secretsIn(schema, config)
  return places.filter(place => {
    const value = valueAt(config, place)
    return value !== '' && !isMask(value)
  })
}

function textsIn(value: unknown, pointer = ''): string[] {
  if (typeof value === 'string') return [pointer]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) => textsIn(member, `${pointer}/${name}`))
}

/** Names of nodes with secrets that have to be entered again. */
export function withMissingSecrets(document: PipelineFile): readonly string[] {
  return nodesOf(document).flatMap(({ node }) =>
    textsIn(node.config).some(place => valueAt(node.config, place) === ENTER_AGAIN) ? [node.name] : [],
  )
}

function valueAt(value: unknown, pointer: string): unknown {
  return pointer
    .split('/')
    .slice(1)
    .reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], value)
}

function withValueAt(value: JsonValue, pointer: string, next: JsonValue): JsonValue {
  const [name, ...rest] = pointer.split('/').slice(1)
  if (name === undefined) return next
  const below = rest.map(each => `/${each}`).join('')
  if (Array.isArray(value))
    return value.with(Number(name), withValueAt(value[Number(name)] ?? '', below, next))
  if (!isJsonObject(value)) return value
  return { ...value, [name]: withValueAt(value[name] ?? '', below, next) }
}
