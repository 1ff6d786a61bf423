import type { FileDifference } from '../../../schemas/http/revision-api.ts'
import type { AlertDocument, NodeDocument } from '../../../schemas/pipeline.ts'
import { alertDifferences, differenceLines, memberLine, nodeDifferences } from '../revisions/revision-diff.ts'
import type { FileContent } from './file-content.ts'
import { nodeContent } from './node-content.ts'
import { fileNameOf, OutputReferences } from './output-references.ts'
import type { DraftContent } from './sent-file.ts'

/** A pipeline as a file sees it. */
export interface TitledDraft extends DraftContent {
  readonly title: string
}

type Differences = Pick<FileDifference, 'nodes' | 'alerts' | 'text'>

/** What a file would change of a pipeline; `before` is undefined for one that it would make. */
export function fileDifference(before: TitledDraft | undefined, after: FileContent): Differences {
  const old: DraftContent = before ?? { nodes: [] }
  return {
    nodes: nodeDifferences(old.nodes.map(nodeContent), after.nodes.map(nodeContent)),
    alerts: alertDifferences(old.alerts, after.alerts),
    text: [...headingLines(before, after), ...contentLines(old, after)],
  }
}

/** Whether a file changes anything: nodes and alerts that stay as they are are the same objects. */
export function changesAnything(before: TitledDraft | undefined, after: FileContent): boolean {
  return before === undefined || before.title !== after.title || !isSameContent(before, after)
}

function headingLines(before: TitledDraft | undefined, { title }: FileContent): string[] {
  if (before === undefined) return [`+ pipeline "${title}"`]
  if (before.title === title) return []
  return [memberLine({ path: 'title of the pipeline', before: before.title, after: title })]
}

/** Nodes and outputs are called as in files. */
function contentLines(before: DraftContent, after: DraftContent): string[] {
  if (isSameContent(before, after)) return []
  const names = new Map([...before.nodes, ...after.nodes].map(node => [node.id, fileNameOf(node)]))
  const nodes = nodeDifferences(nodesInWords(before), nodesInWords(after))
  const alerts = alertDifferences(alertsInWords(before), alertsInWords(after))
  const placeOf = new Map(
    [...(before.alerts ?? []), ...(after.alerts ?? [])].map(alert => [alert.id, alert.component_id]),
  )
  const nameOf = (id: string | undefined) => names.get(id ?? '') ?? String(id)
  const lines = differenceLines(
    nodes.map(node => ({ ...node, id: nameOf(node.id) })),
    alerts.map(alert => ({ ...alert, id: `on ${nameOf(placeOf.get(alert.id))}` })),
  )
  return lines.length > 0 ? lines : ['~ the order of nodes or alerts, or what nodes are called']
}

function isSameContent({ nodes, alerts = [] }: DraftContent, after: DraftContent): boolean {
  return isSameList(nodes, after.nodes) && isSameList(alerts, after.alerts ?? [])
}

function isSameList(before: readonly unknown[], after: readonly unknown[]): boolean {
  return before.length === after.length && before.every((each, index) => each === after[index])
}

function nodesInWords({ nodes }: DraftContent): NodeDocument[] {
  const references = new OutputReferences(nodes)
  return nodes.map(node => {
    const { inputs, ...content } = nodeContent(node)
    return { ...content, inputs: inputs.map(input => references.nameOf(input)) }
  })
}

function alertsInWords({ nodes, alerts = [] }: DraftContent): AlertDocument[] {
  const references = new OutputReferences(nodes)
  return alerts.map(alert => ({
    ...alert,
    inputs: alert.inputs.map(input => references.nameOf(input)),
  }))
}
