import type { Catalogue } from '../../../engine/nodes/contract/catalogue.ts'
import type { Steps } from '../../../engine/steps.ts'
import type { FileDifference } from '../../../schemas/http/pipeline/revision-api.ts'
import type { AlertDocument, NodeDocument } from '../../../schemas/pipeline.ts'
import {
  comparingAlerts,
  comparingNodes,
  memberLine,
  printingDifferences,
} from '../revisions/revision-diff.ts'
import type { FileContent } from './file-content.ts'
import { nodeContent } from './node-content.ts'
import { fileNameOf, OutputReferences } from './output-references.ts'
import type { DraftContent } from './sent-file.ts'

/** The part of a pipeline that a file contains. */
export interface TitledDraft extends DraftContent {
  readonly title: string
}

export type Differences = Pick<FileDifference, 'nodes' | 'alerts' | 'text'>

/** Finds the changes that a file would make to a pipeline; `before` is undefined for a pipeline that it would create. */
export function* comparingFile(
  catalogue: Catalogue,
  before: TitledDraft | undefined,
  after: FileContent,
): Steps<Differences> {
  const old: DraftContent = before ?? { nodes: [] }
  return {
    nodes: yield* comparingNodes(catalogue, old.nodes.map(nodeContent), after.nodes.map(nodeContent)),
    alerts: yield* comparingAlerts(old.alerts, after.alerts),
    text: [...headingLines(before, after), ...(yield* printingContent(catalogue, old, after))],
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

/** Prints changed nodes and alerts; nodes and outputs have the names that files use. */
function* printingContent(catalogue: Catalogue, before: DraftContent, after: DraftContent): Steps<string[]> {
  if (isSameContent(before, after)) return []
  const names = new Map([...before.nodes, ...after.nodes].map(node => [node.id, fileNameOf(node)]))
  const [old, present] = [yield* inWords(catalogue, before), yield* inWords(catalogue, after)]
  const nodes = yield* comparingNodes(catalogue, old.nodes, present.nodes)
  const alerts = yield* comparingAlerts(old.alerts, present.alerts)
  const placeOf = new Map(
    [...(before.alerts ?? []), ...(after.alerts ?? [])].map(alert => [alert.id, alert.component_id]),
  )
  const nameOf = (id: string | undefined) => names.get(id ?? '') ?? String(id)
  const lines = yield* printingDifferences(
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

/** Puts the names of outputs in the place of their ids. */
function* inWords(
  catalogue: Catalogue,
  { nodes, alerts = [] }: DraftContent,
): Steps<{ readonly nodes: NodeDocument[]; readonly alerts: AlertDocument[] }> {
  const references = yield* OutputReferences.reading(catalogue, nodes)
  const nameOf = (input: string) => references.nameOf(input)
  return {
    nodes: nodes.map(node => {
      const { inputs, ...content } = nodeContent(node)
      return { ...content, inputs: inputs.map(nameOf) }
    }),
    alerts: alerts.map(alert => ({ ...alert, inputs: alert.inputs.map(nameOf) })),
  }
}
