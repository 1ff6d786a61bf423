import { useMemo } from 'react'
import type { DestinationDeliveryRecord } from '../../../../schemas/http/pipeline/delivery-api.ts'
import type { PipelineGraph } from '../../api/pipelines.ts'
import type { ErrorCount } from '../../api/trouble.ts'
import { DELIVERY_TROUBLES } from '../delivery-sign.tsx'
import type { DraftChanges } from '../document/draft-changes.ts'
import { placeOf } from '../document/edits.ts'
import type { PipelineFile } from '../document/file.ts'
import type { Draft } from '../draft/use-draft.ts'
import { type MarksByName, NO_MARKS, type NodeFigures, type NodeMarks } from '../graph/figures.ts'

/** Sources of the marks of nodes. */
export interface MarkSources {
  readonly document: PipelineFile | undefined
  readonly graph: PipelineGraph | undefined
  /** Numbers of errors of the last 24 hours. */
  readonly errors: readonly ErrorCount[] | undefined
  /** Deliveries of all destinations, also of other pipelines. */
  readonly deliveries: readonly DestinationDeliveryRecord[] | undefined
  /** The draft with its findings; absent if the running document is shown. */
  readonly draft: Draft | undefined
  /** Differences of the draft from the running document; absent if they are not marked. */
  readonly changes: DraftChanges | undefined
  /** Figures by the names of nodes; absent where none are shown. */
  readonly figures: ReadonlyMap<string, NodeFigures> | undefined
}

/** Findings, errors, figures, deliveries and changes of each node. Errors and deliveries are reported by id: the answer with the graph has the names. */
export function useMarks({
  document,
  graph,
  errors,
  deliveries,
  draft,
  changes,
  figures,
}: MarkSources): MarksByName {
  const findings = draft?.findings
  return useMemo(() => {
    const marks = new Map<string, NodeMarks>()
    const note = (name: string | undefined, change: (before: NodeMarks) => NodeMarks) => {
      if (name !== undefined) marks.set(name, change(marks.get(name) ?? NO_MARKS))
    }
    const names = new Map(graph?.nodes.map(({ id, name }) => [id, name]))
    for (const [name, ofNode] of figures ?? []) note(name, before => ({ ...before, figures: ofNode }))
    for (const [name, change] of changes?.nodes ?? []) note(name, before => ({ ...before, change }))
    for (const { node_id: id, count } of errors ?? [])
      note(names.get(id), before => ({ ...before, errors: before.errors + count }))
    for (const { node_id: id, state } of deliveries ?? [])
      note(names.get(id), before => ({ ...before, delivery: DELIVERY_TROUBLES.find(each => each === state) }))
    for (const { place } of findings ?? [])
      if (document !== undefined)
        note(placeOf(document, place).node, before => ({ ...before, findings: before.findings + 1 }))
    return marks
  }, [document, graph, errors, deliveries, findings, changes, figures])
}
