import type { JsonObject } from '../../schemas/json.ts'
import type { NodeDocument, PipelineDocument } from '../../schemas/pipeline.ts'

export const SOURCE = node('in', 'source', 'log-analysis-ingestion', [])

export function transform(
  id: string,
  type: string,
  inputs: readonly string[],
  config: JsonObject,
): NodeDocument {
  return node(id, 'transform', type, inputs, config)
}

export function sink(id: string, input: string): NodeDocument {
  return node(id, 'sink', 'blackhole', [input])
}

export function pipelineOf(nodes: readonly NodeDocument[]): PipelineDocument {
  return { id: 'p', accountId: 'a', title: 'bench', revision: 1, nodes }
}

function node(
  id: string,
  kind: NodeDocument['kind'],
  type: string,
  inputs: readonly string[],
  config: JsonObject = {},
): NodeDocument {
  return { id, kind, type, title: null, user_config: config, inputs }
}
