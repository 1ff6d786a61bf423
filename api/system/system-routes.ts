import type { FastifyPluginAsync } from 'fastify'
import { HOUR_MS, SECOND_MS } from '../../engine/times/duration.ts'
import {
  KEPT_S,
  SAMPLE_S,
  SYSTEM_METRICS,
  SYSTEM_QUARANTINES,
  SYSTEM_STATUS,
} from '../../schemas/http/system-api.ts'
import { envelope, type Meta, NO_FURTHER_PAGES } from '../http/envelope.ts'
import { QueryParameters } from '../http/query-parameters.ts'
import { whileItRuns } from '../http/while-it-runs.ts'
import { recordsInQuarantine } from './records-in-quarantine.ts'
import { StatusReading } from './status-reading.ts'
import { RecentRates } from './system-rates.ts'

const INTERVAL_S = { min: SAMPLE_S, max: KEPT_S }
const USUAL_INTERVAL_S = 60

const STATUS: Meta = { pk: 'system', type: 'system-status', links: {} }
const QUARANTINES: Meta = { pk: 'system', type: 'quarantined-record', links: {}, page: NO_FURTHER_PAGES }
const METRICS: Meta = { pk: 'system', type: 'system-metrics', links: {} }
const config = { needs: 'administrator' as const }

/** `/v3/system`: state and rates of the process, for administrators. */
export const systemRoutes: FastifyPluginAsync = async app => {
  const { ports } = app
  const rates = new RecentRates(ports)
  whileItRuns(app, signal => rates.follow(signal))

  const reading = new StatusReading(ports)
  app.get('/v3/system/status', { config, schema: SYSTEM_STATUS }, async () =>
    envelope(STATUS, await reading.status()),
  )

  app.get('/v3/system/quarantine', { config, schema: SYSTEM_QUARANTINES }, async ({ caller }) =>
    envelope(QUARANTINES, recordsInQuarantine(ports.configuration, caller)),
  )

  app.get(
    '/v3/system/metrics',
    // Validation is done by hand: times keep all their digits.
    { config, schema: SYSTEM_METRICS, validatorCompiler: () => () => true },
    async ({ query }) => {
      const parameters = new QueryParameters(query)
      parameters.only(['from', 'interval_s'])
      const nowMs = ports.clock.wallMs()
      const fromMs = parameters.has('from') ? parameters.timeMs('from', 'first', nowMs) : undefined
      const intervalS = parameters.integer('interval_s', INTERVAL_S) ?? USUAL_INTERVAL_S
      if (intervalS % SAMPLE_S !== 0) parameters.refuse('interval_s', `must be a multiple of ${SAMPLE_S}`)
      parameters.check()
      return envelope(METRICS, rates.rates(fromMs ?? nowMs - HOUR_MS, intervalS * SECOND_MS))
    },
  )
}
