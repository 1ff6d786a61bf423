import type { Problem } from '../../../engine/event/problem.ts'
import type { Catalogue } from '../../../engine/nodes/contract/catalogue.ts'
import { replaceSecrets } from '../../../engine/nodes/contract/secret.ts'
import type { Steps } from '../../../engine/steps.ts'
import { FILE_LISTS, type FileList, type PipelineFile } from '../../../schemas/http/pipeline/pipeline-file.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../schemas/json.ts'
import type { NodeKind } from '../links.ts'

/** Returns the mask of a secret. */
export type Mask = (secret: string) => string

const LISTS = Object.entries(FILE_LISTS) as [FileList, NodeKind][]
/** Form of masks: see `Seal.mark`. */
const MASK = /^\*{3}[0-9a-f]{8}$/

/** Copies a file with masked secrets, in steps. Alerts contain passwords of services, so all their texts are masked. */
export function maskingFile(catalogue: Catalogue, file: PipelineFile, mask: Mask): Steps<PipelineFile> {
  return replacingSecrets(catalogue, file, secret => (typeof secret === 'string' ? mask(secret) : secret))
}

/** Collects all secrets of a file, in steps. */
export function* readingSecrets(catalogue: Catalogue, file: PipelineFile): Steps<string[]> {
  const secrets: string[] = []
  yield* replacingSecrets(catalogue, file, secret => {
    if (typeof secret === 'string') secrets.push(secret)
    return secret
  })
  return secrets
}

/** Puts the secrets back in the places of their masks, in steps. A mask elsewhere is an ordinary text. */
export function* unmaskingFile(
  catalogue: Catalogue,
  sent: JsonObject,
  secrets: ReadonlyMap<string, string>,
): Steps<{ readonly file: JsonObject; readonly problems: readonly Problem[] }> {
  const problems: Problem[] = []
  const file = yield* replacingSecrets(catalogue, sent, (value, pointer) => {
    if (typeof value !== 'string') return value
    const secret = secrets.get(value)
    if (secret !== undefined) return secret
    if (MASK.test(value))
      problems.push({
        instancePath: pointer,
        message: 'contains a mask of a secret that this pipeline does not have: send the secret itself',
      })
    return value
  })
  return { file, problems }
}

/** @param pointer to the options in the file */
type Replace = (secret: JsonValue, pointer: string) => JsonValue

/** Members of a file that may contain secrets. Nothing is known about those of a file that was sent. */
type ListsOfFile = { readonly [list in FileList | 'alerts']?: unknown }

/** Copies a file with other values in the places of its secrets. Members of a wrong type stay as they are. */
function* replacingSecrets<File extends ListsOfFile>(
  catalogue: Catalogue,
  file: File,
  replace: Replace,
): Steps<File> {
  const copy: File = { ...file }
  for (const [list, kind] of LISTS)
    yield* replacingEach(copy, list, (node, index) => {
      const { type, config } = node
      if (!isJsonObject(config)) return node
      const at = (value: JsonValue) => replace(value, `/${list}/${index}/config`)
      const declaration = typeof type === 'string' ? catalogue.declarationOf(kind, type) : undefined
      const options =
        declaration === undefined ? everyText(config, at) : replaceSecrets(declaration.config, config, at)
      return { ...node, config: options ?? {} }
    })
  yield* replacingEach(copy, 'alerts', (alert, index) =>
    isJsonObject(alert.config)
      ? { ...alert, config: everyText(alert.config, value => replace(value, `/alerts/${index}/config`)) }
      : alert,
  )
  return copy
}

/** Replaces the elements of a list that are objects. */
function* replacingEach(
  file: ListsOfFile,
  list: FileList | 'alerts',
  change: (element: JsonObject, index: number) => JsonObject,
): Steps {
  const elements: unknown = file[list]
  if (!Array.isArray(elements)) return
  const changed: unknown[] = []
  for (const [index, element] of elements.entries()) {
    changed.push(isJsonObject(element) ? change(element, index) : element)
    yield
  }
  Object.assign(file, { [list]: changed })
}

function everyText(value: JsonValue, change: (text: JsonValue) => JsonValue): JsonValue {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map(element => everyText(element, change))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, everyText(member, change)]))
}
