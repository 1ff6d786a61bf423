import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import Type from 'typebox'
import type { NodeSettings } from '../../engine/nodes/contract/node-declaration.ts'
import type { DeadLetterQueue } from '../../engine/replay/dead-letters/dead-letter-queue.ts'
import type { PresentMemory } from '../../engine/replay/present-memory.ts'
import type { Taps } from '../../engine/replay/taps/taps.ts'
import type { Store } from '../../engine/store/store.ts'
import { PipelineRecord, PipelineWrite } from '../../schemas/http/pipeline-api.ts'
import type { ConfigurationAuthenticator } from '../auth/authenticator.ts'
import { withPresentConfiguration } from '../auth/present-configuration.ts'
import { EnvelopeOf, envelope, NO_FURTHER_PAGES, V3_ERROR_REPLIES } from '../http/envelope.ts'
import { notFound } from '../http/errors.ts'
import { alertRoutes } from './alerts/alert-routes.ts'
import { Alerts } from './alerts/alerts.ts'
import { deadLetterRoutes } from './dead-letters/dead-letter-routes.ts'
import { explanationRoutes } from './explain/explanation-routes.ts'
import { fileRoutes } from './file/file-routes.ts'
import { PipelineFiles } from './file/pipeline-files.ts'
import { gatewayRouteRoutes } from './gateway-route-routes.ts'
import { GatewayRouteService } from './gateway-route-service.ts'
import { CREATED_PIPELINE, ONE_PIPELINE, PUBLISHED_PIPELINE } from './links.ts'
import { nodeRoutes } from './node-routes.ts'
import { Nodes } from './nodes.ts'
import { pipelineErrorRoutes } from './pipeline-error-routes.ts'
import type { PipelinePorts } from './pipeline-ports.ts'
import { Pipelines } from './pipelines.ts'
import { previewRoutes } from './previews/preview-routes.ts'
import { simulationRoutes } from './previews/simulation-routes.ts'
import { publish } from './publish.ts'
import { pipelineRecord } from './records.ts'
import type { ReplayPorts } from './replay-ports.ts'
import { revisionRoutes } from './revisions/revision-routes.ts'
import { OpenTaps } from './taps/open-taps.ts'
import { tapRoutes } from './taps/tap-routes.ts'
import { throttleRoutes } from './throttle/throttle-routes.ts'

export interface PipelineRouteOptions extends PipelinePorts {
  readonly authenticator: ConfigurationAuthenticator
  readonly destinations: NodeSettings
  /** Whether a host that a log-analysis destination names, with its port as written, is this installation's own. */
  readonly isOwnHost: (host: string) => boolean
  readonly deadLetters: DeadLetterQueue
  readonly replay: ReplayPorts
  readonly memory: PresentMemory
  /** Absent where nothing is read that was stored. */
  readonly store?: Store | undefined
  /** Absent where events of pipelines cannot be seen. */
  readonly taps?: Taps | undefined
  readonly maxTapsPerAccount: number
}

const PipelinePath = Type.Object({ pipelineId: Type.String() })
const OnePipeline = { 200: EnvelopeOf(PipelineRecord), ...V3_ERROR_REPLIES }
const Deleted = {
  200: EnvelopeOf(Type.Object({ id: Type.String(), deleted: Type.Literal(true) })),
  ...V3_ERROR_REPLIES,
}

/** With the read-only members of nodes too: clients send those with everything (pipeline API, section 1.5). */
const PipelineBody = Type.Object(
  {
    ...PipelineWrite.properties,
    pipeline_id: PipelineWrite.properties.id,
    generation_id: PipelineWrite.properties.id,
    component_id: PipelineWrite.properties.id,
    consumer_id: PipelineWrite.properties.id,
  },
  { additionalProperties: false },
)

/** Segments that stand where a pipeline's id does and belong to parts of the contract that are not built yet. */
const RESERVED_SEGMENTS = ['state-variable']

/** `/v3/pipeline` (pipeline API, section 2). */
export const pipelineRoutes: FastifyPluginAsyncTypebox<PipelineRouteOptions> = async (app, options) => {
  const pipelines = new Pipelines(options)
  app.addHook('preHandler', withPresentConfiguration(options.configuration, options.clock))

  app.get(
    '/v3/pipeline',
    {
      config: { needs: 'read' },
      schema: {
        summary: 'List pipelines',
        tags: ['pipelines'],
        response: { 200: EnvelopeOf(Type.Array(PipelineRecord)), ...V3_ERROR_REPLIES },
      },
    },
    async ({ caller }) =>
      envelope({ ...ONE_PIPELINE, page: NO_FURTHER_PAGES }, pipelines.list(caller).map(pipelineRecord)),
  )

  app.post(
    '/v3/pipeline',
    {
      config: { needs: 'write' },
      schema: {
        summary: 'Create a pipeline',
        tags: ['pipelines'],
        body: PipelineBody,
        response: OnePipeline,
      },
    },
    async ({ caller, body }) =>
      envelope(CREATED_PIPELINE, pipelineRecord(await pipelines.create(caller, body))),
  )

  app.get(
    '/v3/pipeline/:pipelineId',
    {
      config: { needs: 'read' },
      schema: {
        summary: 'Read a pipeline',
        tags: ['pipelines'],
        params: PipelinePath,
        response: OnePipeline,
      },
    },
    async ({ caller, params }) =>
      envelope(ONE_PIPELINE, pipelineRecord(pipelines.get(caller, params.pipelineId))),
  )

  app.put(
    '/v3/pipeline/:pipelineId',
    {
      config: { needs: 'write' },
      schema: {
        summary: 'Replace the settings of a pipeline',
        tags: ['pipelines'],
        params: PipelinePath,
        body: PipelineBody,
        response: OnePipeline,
      },
    },
    async ({ caller, params, body }) =>
      envelope(ONE_PIPELINE, pipelineRecord(await pipelines.update(caller, params.pipelineId, body))),
  )

  app.delete(
    '/v3/pipeline/:pipelineId',
    {
      config: { needs: 'write' },
      schema: {
        summary: 'Delete a pipeline with its nodes and alerts; what runs of it stops',
        tags: ['pipelines'],
        params: PipelinePath,
        response: Deleted,
      },
    },
    async ({ caller, params: { pipelineId } }) => {
      await pipelines.delete(caller, pipelineId)
      return envelope(ONE_PIPELINE, { id: pipelineId, deleted: true as const })
    },
  )

  app.post(
    '/v3/pipeline/:pipelineId/publish',
    {
      // What is published may send every line to wherever its author likes.
      config: { needs: 'write', reveals: 'any line' },
      schema: {
        summary: 'Make the present nodes the revision that runs',
        tags: ['pipelines'],
        params: PipelinePath,
        querystring: Type.Object({
          allow_unconnected_edges: Type.Optional(Type.Enum(['true', 'false'], { default: 'false' })),
        }),
        response: OnePipeline,
      },
    },
    async ({ caller, params, query }) => {
      const { isOwnHost } = options
      const allowUnconnected = query.allow_unconnected_edges === 'true'
      const published = await publish(pipelines, options, caller, params.pipelineId, {
        allowUnconnected,
        isOwnHost,
      })
      return envelope(PUBLISHED_PIPELINE, pipelineRecord(published))
    },
  )

  for (const segment of RESERVED_SEGMENTS) {
    const refuse = async (_request: FastifyRequest) => {
      throw notFound(`${segment} is not available in this version`)
    }
    const hidden = { config: { needs: 'read' as const }, schema: { hide: true } }
    app.all(`/v3/pipeline/${segment}`, hidden, refuse)
    app.all(`/v3/pipeline/${segment}/*`, hidden, refuse)
  }

  await app.register(gatewayRouteRoutes, { gatewayRoutes: new GatewayRouteService(pipelines, options) })
  await app.register(throttleRoutes, { ...options, pipelines })
  await app.register(deadLetterRoutes, { ...options, pipelines, queue: options.deadLetters })
  const { store, clock } = options
  if (store !== undefined) await app.register(pipelineErrorRoutes, { pipelines, store, clock })
  await app.register(revisionRoutes, { ...options, pipelines })
  const files = new PipelineFiles(pipelines, options, options.destinations)
  await app.register(simulationRoutes, { ...options, pipelines, files })
  await app.register(explanationRoutes, { ...options, pipelines })
  await app.register(previewRoutes, { ...options, pipelines })
  await app.register(fileRoutes, { files })
  await app.register(alertRoutes, { alerts: new Alerts(pipelines, options) })
  await app.register(tapRoutes, { openTaps: new OpenTaps(pipelines, options), clock: options.clock })
  await app.register(nodeRoutes, { nodes: new Nodes(pipelines, options, options.destinations) })
}
