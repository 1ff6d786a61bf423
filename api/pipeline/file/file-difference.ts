import type { Catalogue } from '../../../engine/nodes/contract/catalogue.ts'
import type { FileDifference } from '../../../schemas/http/pipeline/revision-api.ts'
import type { AlertDocument, NodeDocument } from '../../../schemas/pipeline.ts'
import { alertDifferences, differenceLines, memberLine, nodeDifferences } from '../revisions/revision-diff.ts'
import type { FileContent } from './file-content.ts'
import { nodeContent } from './node-content.ts'
import { fileNameOf, OutputReferences } from './output-references.ts'
import type { DraftContent } from './sent-file.ts'

/** The part of a pipeline that a file contains. */
export interface TitledDraft extends DraftContent {
  readonly title: string
}

type Differences = Pick<FileDifference, 'nodes' | 'alerts' | 'text'>

/** Changes that a file would make to a pipeline; `before` is undefined for a pipeline that it would create. */
export function fileDifference(
  catalogue: Catalogue,
  before: TitledDraft | undefined,
  after: FileContent,
): Differences {
  const old: DraftContent = before ?? { nodes: [] }
  return {
    nodes: nodeDifferences(catalogue, old.nodes.map(nodeContent), after.nodes.map(nodeContent)),
    alerts: alertDifferences(old.alerts, after.alerts),
    text: [...headingLines(before, after), ...contentLines(catalogue, old, after)],
  }
}

/** Whether a file changes anything: unchanged nodes and alerts are the same objects. */
export function changesAnything(before: TitledDraft | undefined, after: FileContent): boolean {
  return before === undefined || before.title !== after.title || !isSameContent(before, after)
}

function headingLines(before: TitledDraft | undefined, { title }: FileContent): string[] {
  if (before === undefined) return [`+ pipeline "${title}"`]
  if (before.title === title) return []
  return [memberLine({ path: 'title of the pipeline', before: before.title, after: title })]
}

/** Lists changed nodes and alerts; nodes and outputs have the names that files use. */
function contentLines(catalogue: Catalogue, before: DraftContent, after: DraftContent): string[] {
  if (isSameContent(before, after)) return []
  const names = new Map([...before.nodes, ...after.nodes].map(node => [node.id, fileNameOf(node)]))
  const nodes = nodeDifferences(catalogue, nodesInWords(catalogue, before), nodesInWords(catalogue, after))
  const alerts = alertDifferences(alertsInWords(catalogue, before), alertsInWords(catalogue, after))
  const placeOf = new Map(
    [...(before.alerts ?? []), ...(after.alerts ?? [])].map(alert => [alert.id, alert.component_id]),
  )
  const nameOf = (id: string | undefined) => names.get(id ?? '') ?? String(id)
  const lines = differenceLines(
    nodes.map(node => ({ ...node, id: nameOf(node.id) })),
    alerts.map(alert => ({ ...alert, id: `on ${nameOf(placeOf.get(alert.id))}` })),
  )
  return lines.length > 0 ? lines : ['~ the order of nodes or alerts, or the names of nodes']
}

function isSameContent({ nodes, alerts = [] }: DraftContent, after: DraftContent): boolean {
  return isSameList(nodes, after.nodes) && isSameList(alerts, after.alerts ?? [])
}

function isSameList(before: readonly unknown[], after: readonly unknown[]): boolean {
  return before.length === after.length && before.every((each, index) => each === after[index])
}

function nodesInWords(catalogue: Catalogue, { nodes }: DraftContent): NodeDocument[] {
  const references = new OutputReferences(catalogue, nodes)
  return nodes.map(node => {
    const { inputs, ...content } = nodeContent(node)
    return { ...content, inputs: inputs.map(input => references.nameOf(input)) }
  })
}

function alertsInWords(catalogue: Catalogue, { nodes, alerts = [] }: DraftContent): AlertDocument[] {
  const references = new OutputReferences(catalogue, nodes)
  return alerts.map(alert => ({
    ...alert,
    inputs: alert.inputs.map(input => references.nameOf(input)),
  }))
}
