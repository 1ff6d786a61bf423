import type { DraftNode } from '../../../engine/configuration/entities.ts'
import type { Catalogue } from '../../../engine/nodes/contract/catalogue.ts'
import type { Steps } from '../../../engine/steps.ts'
import {
  type FileAlert,
  type FileNode,
  PIPELINE_FILE_VERSION,
  type PipelineFile,
} from '../../../schemas/http/pipeline/pipeline-file.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../schemas/json.ts'
import type { AlertDocument } from '../../../schemas/pipeline.ts'
import type { NodeKind } from '../links.ts'
import { fileNameOf, OutputReferences } from './output-references.ts'
import type { DraftContent } from './sent-file.ts'

/** Makes the file that describes the present state of a pipeline, in steps. */
export function* makingFile(
  catalogue: Catalogue,
  id: string,
  title: string,
  { nodes, alerts = [] }: DraftContent,
): Steps<PipelineFile> {
  const references = yield* OutputReferences.reading(catalogue, nodes)
  const ofKind: Readonly<Record<NodeKind, FileNode[]>> = { source: [], transform: [], sink: [] }
  for (const node of nodes) {
    ofKind[node.kind].push(fileNode(catalogue, node, references))
    yield
  }
  const fileAlerts: FileAlert[] = []
  for (const alert of alerts) {
    fileAlerts.push(fileAlert(alert, nodes, references))
    yield
  }
  return {
    weir: PIPELINE_FILE_VERSION,
    id,
    title,
    sources: ofKind.source,
    processors: ofKind.transform,
    destinations: ofKind.sink,
    ...(fileAlerts.length > 0 && { alerts: fileAlerts }),
  }
}

function fileNode(catalogue: Catalogue, node: DraftNode, references: OutputReferences): FileNode {
  const { id, type, title, description, inputs, gateway_route_id: gatewayRoute } = node
  const config = configOf(catalogue, node)
  return {
    name: fileNameOf(node),
    type,
    ...(title !== null && { title }),
    ...(description !== null && { description }),
    ...(inputs.length > 0 && { inputs: inputs.map(input => references.nameOf(input)) }),
    ...(gatewayRoute !== undefined && gatewayRoute !== id && { gateway_route_id: gatewayRoute }),
    ...(Object.keys(config).length > 0 && { config }),
  }
}

/**
 * Options of a node in the file. Output names that the server created are left out, because a file names outputs by their
 * labels.
 */
function configOf(catalogue: Catalogue, node: DraftNode): JsonObject {
  const { user_config: config } = node
  if (!catalogue.outputsOf(node).some(({ name }) => name !== undefined)) return config
  const withoutName = (rule: JsonValue) => {
    if (!isJsonObject(rule)) return rule
    const { _output_name: _, ...others } = rule
    return others
  }
  return Object.fromEntries(
    Object.entries(config).map(([member, value]) => [
      member,
      Array.isArray(value) ? value.map(withoutName) : value,
    ]),
  )
}

function fileAlert(
  { component_id: on, inputs, active, alert_config: config }: AlertDocument,
  nodes: readonly DraftNode[],
  references: OutputReferences,
): FileAlert {
  const node = nodes.find(({ id }) => id === on)
  const outputs = node === undefined ? [] : references.of(node).map(({ id }) => id)
  const watchesAll = inputs.length === outputs.length && inputs.every((input, at) => input === outputs[at])
  return {
    on: node === undefined ? on : fileNameOf(node),
    ...(!watchesAll && { inputs: inputs.map(input => references.nameOf(input)) }),
    active,
    config,
  }
}
