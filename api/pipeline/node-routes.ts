import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import { NodeCreate, NodeRecord, NodeReplace } from '../../schemas/http/pipeline-api.ts'
import { EnvelopeOf, envelope, NO_FURTHER_PAGES, V3_ERROR_REPLIES } from '../http/envelope.ts'
import { NODE_KINDS, type NodeKind, nodeMeta } from './links.ts'
import type { Nodes } from './nodes.ts'
import { nodeRecord } from './records.ts'
import { sentBody } from './sent-body.ts'

const PipelinePath = Type.Object({ pipelineId: Type.String() })
const NodePath = Type.Object({ pipelineId: Type.String(), nodeId: Type.String() })
const OneNode = { 200: EnvelopeOf(NodeRecord), ...V3_ERROR_REPLIES }
const ManyNodes = { 200: EnvelopeOf(Type.Array(NodeRecord)), ...V3_ERROR_REPLIES }
const Deleted = {
  200: EnvelopeOf(Type.Object({ id: Type.String(), deleted: Type.Literal(true) })),
  ...V3_ERROR_REPLIES,
}

const CALLED: Readonly<Record<NodeKind, string>> = {
  source: 'source',
  transform: 'processor',
  sink: 'destination',
}

/**
 * Nodes of all three kinds (pipeline API, section 2.2). Reading one asks for as much as changing it: its options
 * hold secrets in clear, as those of other parts of the configuration that need a higher role (our choice).
 */
export const nodeRoutes: FastifyPluginAsyncTypebox<{ nodes: Nodes }> = async (app, { nodes }) => {
  const config = { needs: 'write' as const }

  for (const kind of NODE_KINDS) {
    const meta = nodeMeta(kind)
    const path = `/v3/pipeline/:pipelineId/${kind}`
    const tags = [`${CALLED[kind]}s`]

    app.post(
      path,
      {
        config,
        attachValidation: true,
        schema: {
          summary: `Add a ${CALLED[kind]}`,
          tags,
          params: PipelinePath,
          body: NodeCreate,
          response: OneNode,
        },
      },
      async request => {
        const { caller, params } = request
        const { node, state } = await nodes.create(caller, params.pipelineId, kind, sentBody(request))
        return envelope(meta, nodeRecord(node, state))
      },
    )

    // Not part of the hosted service's contract (our choice): without it nobody could find out a node's id.
    app.get(
      path,
      {
        config,
        schema: { summary: `List the ${CALLED[kind]}s`, tags, params: PipelinePath, response: ManyNodes },
      },
      async ({ caller, params }) => {
        const found = nodes.list(caller, params.pipelineId, kind)
        return envelope(
          { ...meta, page: NO_FURTHER_PAGES },
          found.map(({ node, state }) => nodeRecord(node, state)),
        )
      },
    )

    app.get(
      `${path}/:nodeId`,
      { config, schema: { summary: `Read a ${CALLED[kind]}`, tags, params: NodePath, response: OneNode } },
      async ({ caller, params }) => {
        const { node, state } = nodes.get(caller, { pipeline: params.pipelineId, kind, node: params.nodeId })
        return envelope(meta, nodeRecord(node, state))
      },
    )

    app.put(
      `${path}/:nodeId`,
      {
        config,
        attachValidation: true,
        schema: {
          summary: `Replace a ${CALLED[kind]}`,
          tags,
          params: NodePath,
          body: NodeReplace,
          response: OneNode,
        },
      },
      async request => {
        const { caller, params } = request
        const place = { pipeline: params.pipelineId, kind, node: params.nodeId }
        const { node, state } = await nodes.replace(caller, place, sentBody(request))
        return envelope(meta, nodeRecord(node, state))
      },
    )

    app.delete(
      `${path}/:nodeId`,
      { config, schema: { summary: `Delete a ${CALLED[kind]}`, tags, params: NodePath, response: Deleted } },
      async ({ caller, params }) => {
        await nodes.delete(caller, { pipeline: params.pipelineId, kind, node: params.nodeId })
        return envelope(meta, { id: params.nodeId, deleted: true as const })
      },
    )
  }
}
