import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import { AlertWrite } from '../../../engine/alerts/check-alert.ts'
import { EnvelopeOf } from '../../../schemas/http/envelope.ts'
import { V3_ERROR_REPLIES } from '../../../schemas/http/error-replies.ts'
import { Deleted } from '../../../schemas/http/pipeline/deleted.ts'
import { AlertRecord } from '../../../schemas/http/pipeline/pipeline-api.ts'
import { envelope, NO_FURTHER_PAGES } from '../../http/envelope.ts'
import type { TypedApp } from '../../http/typed-app.ts'
import { ONE_ALERT } from '../links.ts'
import { PipelinePath } from '../pipeline-path.ts'
import type { PipelineRouteOptions } from '../pipelines.ts'
import { alertRecord } from '../records.ts'
import { Alerts } from './alerts.ts'

const ReadPath = Type.Object({ pipelineId: Type.String(), alertId: Type.String() })
const NodePath = Type.Object({ pipelineId: Type.String(), nodeId: Type.String() })
const AlertPath = Type.Object({ ...NodePath.properties, alertId: Type.String() })
const OneAlert = { 200: EnvelopeOf(AlertRecord), ...V3_ERROR_REPLIES }
const ManyAlerts = { 200: EnvelopeOf(Type.Array(AlertRecord)), ...V3_ERROR_REPLIES }
const config = { needs: 'write' as const }
/** Documents the body only: the check of an alert reports every finding of this schema, and more. */
const unvalidated = { config, attachValidation: true }
const CALLED = { source: 'source', transform: 'processor' } as const
const tags = ['alerts']

/**
 * Alerts of sources and processors (pipeline API, sections 2 and 7). Reading one needs the same right as changing it,
 * because it contains secrets of a service in clear, like nodes (our choice).
 */
export const alertRoutes: FastifyPluginAsyncTypebox<PipelineRouteOptions> = async (app, { pipelines }) => {
  const alerts = new Alerts(pipelines, app.ports)

  // The route is not part of the hosted service's contract (our choice), like the lists of nodes.
  app.get(
    '/v3/pipeline/:pipelineId/alert',
    {
      config,
      schema: { summary: 'List the alerts of a pipeline', tags, params: PipelinePath, response: ManyAlerts },
    },
    async ({ caller, params }) =>
      envelope(
        { ...ONE_ALERT, page: NO_FURTHER_PAGES },
        alerts.list(caller, params.pipelineId).map(({ alert, state }) => alertRecord(alert, state)),
      ),
  )

  app.get(
    '/v3/pipeline/:pipelineId/alert/:alertId',
    { config, schema: { summary: 'Read an alert', tags, params: ReadPath, response: OneAlert } },
    async ({ caller, params }) => {
      const { alert, state } = alerts.get(caller, params.pipelineId, params.alertId)
      return envelope(ONE_ALERT, alertRecord(alert, state))
    },
  )

  for (const kind of ['source', 'transform'] as const) serveChanges(app, alerts, kind)
}

/** Requests that change the alerts of nodes of one kind. */
function serveChanges(app: TypedApp, alerts: Alerts, kind: keyof typeof CALLED): void {
  const path = `/v3/pipeline/:pipelineId/${kind}/:nodeId/alert`

  app.post(
    path,
    {
      ...unvalidated,
      schema: {
        summary: `Add an alert to a ${CALLED[kind]}`,
        tags,
        params: NodePath,
        body: AlertWrite,
        response: OneAlert,
      },
    },
    async ({ caller, params: { pipelineId, nodeId }, body }) => {
      const place = { pipeline: pipelineId, kind, node: nodeId }
      const { alert, state } = await alerts.create(caller, place, body)
      return envelope(ONE_ALERT, alertRecord(alert, state))
    },
  )

  app.put(
    `${path}/:alertId`,
    {
      ...unvalidated,
      schema: {
        summary: `Replace an alert, or move one to this ${CALLED[kind]}`,
        tags,
        params: AlertPath,
        body: AlertWrite,
        response: OneAlert,
      },
    },
    async ({ caller, params: { pipelineId, nodeId, alertId }, body }) => {
      const place = { pipeline: pipelineId, kind, node: nodeId, alert: alertId }
      const { alert, state } = await alerts.replace(caller, place, body)
      return envelope(ONE_ALERT, alertRecord(alert, state))
    },
  )

  app.delete(
    `${path}/:alertId`,
    {
      config,
      schema: {
        summary: `Delete an alert of a ${CALLED[kind]}`,
        tags,
        params: AlertPath,
        response: Deleted,
      },
    },
    async ({ caller, params: { pipelineId, nodeId, alertId } }) => {
      await alerts.delete(caller, { pipeline: pipelineId, kind, node: nodeId, alert: alertId })
      return envelope(ONE_ALERT, { id: alertId, deleted: true as const })
    },
  )
}
