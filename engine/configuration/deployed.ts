import type { Cut } from '../../schemas/control.ts'
import type { PipelineDocument } from '../../schemas/pipeline.ts'

/** Payload of a cut of kind 'pipeline'; entity is the pipeline's id, version its revision. An empty payload removes it. */
export type PipelineCut = PipelineDocument

/** Payload of a cut of kind 'account'; entity is the short account id. */
export interface AccountCut {
  readonly accountId: string
  readonly retentionDays: number
}

/** A cut with the account whose partition must see it. */
export interface AddressedCut {
  readonly account: string
  readonly cut: Cut
}

/** What the configuration log says that partitions must know: the newest cut of every entity. */
export interface DeployedConfiguration {
  cuts(): Iterable<AddressedCut>
  /** Called after a change; the returned function ends it. */
  subscribe(listener: () => void): () => void
}
