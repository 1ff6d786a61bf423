import type {
  PipelineFile,
  FileAlert as SentAlert,
  FileList as SentList,
  FileNode as SentNode,
} from '../../../../schemas/http/pipeline/pipeline-file.ts'
import type { JsonObject, JsonValue } from '../../../../schemas/json.ts'

export type { JsonObject, JsonValue, PipelineFile }
export type FileAlert = SentAlert
export type FileNode = SentNode
export type FileList = SentList

/** Lists of a document, and the kind of the nodes in each. */
export const FILE_LISTS = {
  sources: 'source',
  processors: 'transform',
  destinations: 'sink',
} as const satisfies Record<FileList, string>

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
