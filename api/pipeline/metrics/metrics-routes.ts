import type { FastifyPluginAsync } from 'fastify'
import { deployedDocument } from '../../../engine/configuration/deployed-document.ts'
import type { Store } from '../../../engine/store/store.ts'
import {
  METRICS_OF_PIPELINES,
  type MetricsOfPipelines,
  PIPELINE_METRICS,
  type PipelineMetrics,
} from '../../../schemas/http/pipeline/pipeline-metrics-api.ts'
import type { NodeDocument } from '../../../schemas/pipeline.ts'
import { accountOf } from '../../auth/permission.ts'
import { envelope } from '../../http/envelope.ts'
import { QueryParameters } from '../../http/query-parameters.ts'
import { METRICS } from '../links.ts'
import type { PipelineRouteOptions } from '../pipelines.ts'
import { mostIntervals, mostPoints } from './answer-size.ts'
import { CountsReading } from './counts-reading.ts'
import { OutputsOfRevisions } from './edges.ts'
import { type MetricsPeriod, readMetricsPeriod, readOverviewPeriod, startsOf } from './metrics-period.ts'
import { seriesOfEdges, seriesOfNodes, totalsOfPipeline } from './pipeline-metrics.ts'

export interface MetricsRouteOptions extends PipelineRouteOptions {
  readonly store: Pick<Store, 'nodeMetrics'>
}

const config = { needs: 'read', reveals: 'any line' } as const
/** Validation is done by hand: times keep all their digits. */
const validatorCompiler = () => () => true

/** Counts of nodes and edges over time. They cannot be narrowed to the groups of a member. */
export const metricsRoutes: FastifyPluginAsync<MetricsRouteOptions> = async (app, { pipelines, store }) => {
  const { catalogue, clock, configuration } = app.ports
  const outputs = new OutputsOfRevisions(catalogue)
  const counts = new CountsReading(store)

  app.get<{ Params: { pipelineId: string } }>(
    '/v3/pipeline/:pipelineId/metrics',
    { config, schema: PIPELINE_METRICS, validatorCompiler },
    async (request, reply) => {
      const { pipeline, deployedRevisionId } = pipelines.get(request.caller, request.params.pipelineId)
      const nodes = nodesOf(deployedRevisionId)
      const read = outputs.of(nodes)
      const most = mostIntervals(nodes, read)
      const period = readMetricsPeriod(new QueryParameters(request.query), clock.wallMs(), most)
      const starts = startsOf(period)
      const query = { account: pipeline.value.account, pipelines: [pipeline.id], ...period }
      return counts.answer(request, reply, query, found => {
        const metrics: PipelineMetrics = {
          pipeline_id: pipeline.id,
          revision_id: deployedRevisionId,
          ...periodRecord(period, starts),
          nodes: seriesOfNodes(found, starts.length),
          edges: seriesOfEdges(read, found, starts.length),
        }
        return envelope(METRICS, metrics)
      })
    },
  )

  app.get(
    '/v3/pipeline/metrics',
    { config, schema: METRICS_OF_PIPELINES, validatorCompiler },
    async (request, reply) => {
      const listed = pipelines.list(request.caller)
      const running = listed.map(({ deployedRevisionId }) => nodesOf(deployedRevisionId))
      const most = mostPoints(running.reduce((sum, { length }) => sum + length, 0))
      const period = readOverviewPeriod(new QueryParameters(request.query), clock.wallMs(), most)
      const starts = startsOf(period)
      const { shortId: account } = accountOf(request.caller)
      const ids = listed.map(({ pipeline }) => pipeline.id)
      const query = { account, pipelines: ids, ofNodes: true, ...period }
      return counts.answer(request, reply, query, found => {
        const byPipeline = Map.groupBy(found, ({ pipeline }) => pipeline)
        const metrics: MetricsOfPipelines = {
          ...periodRecord(period, starts),
          pipelines: listed.map(({ pipeline, draft }, index) => {
            const known = [...draft.value.nodes, ...(running[index] ?? [])]
            const kinds = new Map(known.map(({ id, kind }) => [id, kind]))
            return totalsOfPipeline(pipeline.id, kinds, byPipeline.get(pipeline.id) ?? [], starts.length)
          }),
        }
        return envelope(METRICS, metrics)
      })
    },
  )

  function nodesOf(revisionId: string | null): readonly NodeDocument[] {
    return deployedDocument(configuration, revisionId)?.nodes ?? []
  }
}

function periodRecord({ fromMs, toMs, intervalMs }: MetricsPeriod, starts: number[]) {
  return { from: fromMs, to: toMs, interval_ms: intervalMs, starts }
}
