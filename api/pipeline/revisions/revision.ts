import type { ConfigurationLog } from '../../../engine/configuration/configuration-log.ts'
import {
  type DraftNode,
  type Pipeline,
  type Revision,
  revisions,
} from '../../../engine/configuration/entities.ts'
import type { Entity } from '../../../engine/configuration/kind.ts'
import { jsonText } from '../../../engine/json/json-text.ts'
import type { Steps } from '../../../engine/steps.ts'
import type { JsonValue } from '../../../schemas/json.ts'
import type { AlertDocument, NodeDocument } from '../../../schemas/pipeline.ts'
import { notFound } from '../../http/errors.ts'

/** Every kept revision of a pipeline, oldest first. They are never changed; see `outdatedRevisions`. */
export function revisionsOf(
  configuration: ConfigurationLog,
  { id, value: { account } }: Entity<Pipeline>,
): Entity<Revision>[] {
  return configuration
    .list(revisions, account)
    .filter(({ value }) => value.pipeline === id)
    .sort((a, b) => a.value.document.revision - b.value.document.revision)
}

/** @throws ApiError 404 */
export function revisionNumbered(
  configuration: ConfigurationLog,
  pipeline: Entity<Pipeline>,
  number: string,
): Entity<Revision> {
  const isIt = ({ value }: Entity<Revision>) => String(value.document.revision) === number
  const revision = revisionsOf(configuration, pipeline).find(isIt)
  if (revision === undefined) throw notFound(`The pipeline has no revision ${number}`)
  return revision
}

/** The revision that lines meet once this deployment is in effect; undefined without one. */
export function revisionDeployedBy(
  ofPipeline: readonly Entity<Revision>[],
  deployment: number,
): Entity<Revision> | undefined {
  return ofPipeline.findLast(({ value }) => (value.deployment ?? value.document.revision) <= deployment)
}

/** The part of a draft's nodes that is executed, which revisions keep. */
export function documentNodes(nodes: readonly DraftNode[]): NodeDocument[] {
  return nodes.map(({ description: _, generation: __, name: ___, ...document }) => document)
}

/** Descriptions of the nodes by their authors, by id. */
export function descriptionsOf(nodes: readonly DraftNode[]): Record<string, string> {
  return Object.fromEntries(
    nodes.flatMap(({ id, description }) => (description === null ? [] : [[id, description]])),
  )
}

/** Names of nodes in the pipeline's file, by id. */
export function namesOf(nodes: readonly DraftNode[]): Record<string, string> {
  return Object.fromEntries(nodes.flatMap(({ id, name }) => (name === undefined ? [] : [[id, name]])))
}

/**
 * The nodes of a draft that would publish the revision again, found in steps. A node that is the same in the draft stays
 * untouched; one that differs counts as written.
 */
export function* restoringNodes(
  { document, descriptions = {}, names = {} }: Revision,
  draft: readonly DraftNode[],
): Steps<DraftNode[]> {
  const present = new Map(draft.map(node => [node.id, node]))
  const restored: DraftNode[] = []
  for (const node of document.nodes) {
    restored.push(restoredNode(node, present.get(node.id), descriptions[node.id] ?? null, names[node.id]))
    yield
  }
  return restored
}

function restoredNode(
  node: NodeDocument,
  now: DraftNode | undefined,
  description: string | null,
  name: string | undefined,
): DraftNode {
  const isSame =
    now !== undefined && now.description === description && sameNodes(documentNodes([now]), [node])
  if (isSame) return now
  const generation = now === undefined ? 0 : now.generation + 1
  return { ...node, description, generation, ...named(now?.name ?? name) }
}

/** The name of a node, if it has one. */
export function named(name: string | undefined): Pick<DraftNode, 'name'> {
  return name === undefined ? {} : { name }
}

/** Whether two revisions behave in the same way. Titles count, because they are part of the deployment. */
export function sameNodes(a: readonly NodeDocument[], b: readonly NodeDocument[]): boolean {
  return textOf(a) === textOf(b)
}

export function sameAlerts(a: readonly AlertDocument[] = [], b: readonly AlertDocument[] = []): boolean {
  return jsonText(a) === jsonText(b)
}

function textOf(nodes: readonly NodeDocument[]): string {
  return jsonText(
    nodes.map(({ id, kind, type, title, user_config, inputs }) => [
      id,
      kind,
      type,
      title,
      user_config,
      [...inputs],
    ]) as JsonValue,
  )
}
