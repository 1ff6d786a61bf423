import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import type { Catalogue } from '../../engine/nodes/contract/catalogue.ts'
import { EnvelopeOf } from '../../schemas/http/envelope.ts'
import { V3_ERROR_REPLIES } from '../../schemas/http/error-replies.ts'
import { Deleted } from '../../schemas/http/pipeline/deleted.ts'
import { NodeCreate, NodeRecord, NodeReplace } from '../../schemas/http/pipeline/pipeline-api.ts'
import { envelope, NO_FURTHER_PAGES } from '../http/envelope.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { NODE_KINDS, type NodeKind, nodeMeta } from './links.ts'
import { Nodes } from './nodes.ts'
import { PipelinePath } from './pipeline-path.ts'
import type { PipelineRouteOptions } from './pipelines.ts'
import { nodeRecord } from './records.ts'
import { sentBody } from './sent-body.ts'

const NodePath = Type.Object({ pipelineId: Type.String(), nodeId: Type.String() })
const OneNode = { 200: EnvelopeOf(NodeRecord), ...V3_ERROR_REPLIES }
const ManyNodes = { 200: EnvelopeOf(Type.Array(NodeRecord)), ...V3_ERROR_REPLIES }

const CALLED: Readonly<Record<NodeKind, string>> = {
  source: 'source',
  transform: 'processor',
  sink: 'destination',
}

/** Nodes of one kind, for the functions that serve them. */
interface ServedNodes {
  readonly nodes: Nodes
  readonly catalogue: Catalogue
  readonly kind: NodeKind
  readonly path: string
  readonly tags: string[]
}

const config = { needs: 'write' as const }

/**
 * Nodes of all three kinds (pipeline API, section 2.2). Reading one needs the same right as changing it (our choice): its
 * options contain secrets in clear.
 */
export const nodeRoutes: FastifyPluginAsyncTypebox<PipelineRouteOptions> = async (app, { pipelines }) => {
  const { catalogue, nodeSettings } = app.ports
  const nodes = new Nodes(pipelines, app.ports, nodeSettings)
  for (const kind of NODE_KINDS) {
    const path = `/v3/pipeline/:pipelineId/${kind}`
    const served = { nodes, catalogue, kind, path, tags: [`${CALLED[kind]}s`] }
    serveList(app, served)
    serveOne(app, served)
  }
}

function serveList(app: TypedApp, { nodes, catalogue, kind, path, tags }: ServedNodes): void {
  const meta = nodeMeta(kind)

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
      return envelope(meta, nodeRecord(catalogue, node, state))
    },
  )

  // This route is not part of the hosted service's contract (our choice): without it a client could not find out a
  // node's id.
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
        found.map(({ node, state }) => nodeRecord(catalogue, node, state)),
      )
    },
  )
}

function serveOne(app: TypedApp, { nodes, catalogue, kind, path, tags }: ServedNodes): void {
  const meta = nodeMeta(kind)

  app.get(
    `${path}/:nodeId`,
    { config, schema: { summary: `Read a ${CALLED[kind]}`, tags, params: NodePath, response: OneNode } },
    async ({ caller, params }) => {
      const { node, state } = nodes.get(caller, { pipeline: params.pipelineId, kind, node: params.nodeId })
      return envelope(meta, nodeRecord(catalogue, node, state))
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
      return envelope(meta, nodeRecord(catalogue, node, state))
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
