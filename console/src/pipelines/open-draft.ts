import type { Draft } from './draft/use-draft.ts'
import type { NodeType, PipelineRecord } from './requests.ts'

/** The pipeline that all tabs of a page are about, and its draft. */
export interface OpenDraft {
  readonly pipeline: PipelineRecord
  readonly draft: Draft
  readonly types: readonly NodeType[]
  readonly canWrite: boolean
  /** Whether this process shows events of the running document. */
  readonly canTap: boolean
  /** Whether the caller may read lines as they were accepted. */
  readonly canExplain: boolean
  /** Whether the caller may see counts, which are of all lines. */
  readonly canCount: boolean
  /** Whether this process counts the events of the running document, so that live counts exist. */
  readonly hasLiveCounts: boolean
}
