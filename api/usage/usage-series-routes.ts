import type { FastifyPluginAsync } from 'fastify'
import type { Store } from '../../engine/store/store.ts'
import type { Usage } from '../../engine/store/usage/usage.ts'
import type { UsageSeriesQuery } from '../../engine/store/usage/usage-series.ts'
import { DAY_MS } from '../../engine/times/duration.ts'
import {
  MAX_INTERVALS,
  SERIES_NAMES,
  USAGE_SERIES,
  type UsageOverTime,
} from '../../schemas/http/lines/usage-series-api.ts'
import { accountOf } from '../auth/permission.ts'
import { envelope, type Meta } from '../http/envelope.ts'
import { QueryParameters } from '../http/query-parameters.ts'
import { isTimeZone, startsOfAll } from '../search/time-buckets.ts'

type SeriesStore = Pick<Store, 'usageByKind' | 'usageSeries' | 'usageTotals'>

const KINDS = ['apps', 'hosts', 'tags', 'pools'] as const
const INTERVALS = ['hour', 'day'] as const
const SHORT_MS = 3 * DAY_MS
const PARAMETERS = ['kind', 'from', 'to', 'interval', 'zone', 'limit', 'names']
const META: Meta = { pk: 'usage', type: 'usage-series', links: {} }
/** Name of the plan's pool in answers, and among the pools of the store. */
const PLAN = { shown: 'plan', stored: '0' }

/** `/v3/usage/series`: usage over time. Like all usage it is not limited by access scopes. */
export const usageSeriesRoutes: FastifyPluginAsync<{ readonly store: SeriesStore }> = async (
  app,
  { store },
) => {
  const { clock } = app.ports
  app.get(
    '/v3/usage/series',
    {
      config: { needs: 'read' },
      schema: USAGE_SERIES,
      // Validation is done by hand: times keep all their digits.
      validatorCompiler: () => () => true,
    },
    async ({ caller, query }, reply) => {
      const asked = readSeries(new QueryParameters(query), accountOf(caller).shortId, clock.wallMs())
      const gone = new AbortController()
      reply.raw.once('close', () => gone.abort())
      try {
        return envelope(META, await usageOverTime(store, asked, gone.signal))
      } catch (error) {
        if (!gone.signal.aborted) throw error
        return reply.hijack()
      }
    },
  )
}

interface SeriesRequest extends Omit<UsageSeriesQuery, 'names'> {
  readonly interval: 'hour' | 'day'
  readonly limit: number
  /** Names in the order sent; empty: the largest names are shown. */
  readonly asked: readonly string[]
}

/** @throws ApiError 400 with all findings about the parameters */
function readSeries(parameters: QueryParameters, account: string, nowMs: number): SeriesRequest {
  parameters.only(PARAMETERS)
  if (!parameters.has('kind')) parameters.refuse('kind', 'is required')
  const kind = parameters.oneOf('kind', KINDS, 'apps')
  const fromMs = parameters.timeMs('from', 'first', nowMs) ?? 0
  const toMs = parameters.timeMs('to', 'last', nowMs) ?? 0
  parameters.inOrder(fromMs, toMs)
  const interval = parameters.oneOf('interval', INTERVALS, toMs - fromMs <= SHORT_MS ? 'hour' : 'day')
  const zone = parameters.text('zone') ?? 'UTC'
  if (!isTimeZone(zone)) parameters.refuse('zone', 'must be a time zone such as Europe/Berlin or +02:00')
  const limit = parameters.integer('limit', SERIES_NAMES) ?? SERIES_NAMES.usual
  const asked = [...new Set(parameters.list('names'))]
  if (asked.length > SERIES_NAMES.max)
    parameters.refuse('names', `must have at most ${SERIES_NAMES.max} names`)
  const lengthMs = interval === 'hour' ? DAY_MS / 24 : DAY_MS
  if ((toMs - fromMs) / lengthMs > MAX_INTERVALS)
    parameters.refuse('interval', `must not give more than ${MAX_INTERVALS} intervals`)
  parameters.check()
  const starts = startsOfAll(interval, fromMs, toMs, zone)
  const isUtcDays = interval === 'day' && starts.every(startMs => startMs % DAY_MS === 0)
  return { account, kind, fromMs, toMs, starts, isUtcDays, interval, limit, asked }
}

async function usageOverTime(
  store: SeriesStore,
  request: SeriesRequest,
  signal: AbortSignal,
): Promise<UsageOverTime> {
  const { kind, fromMs, toMs, starts, isUtcDays, interval } = request
  // Totals come first: lines that arrive in the meantime must not look like missing ones.
  const pools = await store.usageTotals(request, signal)
  const total = pools.reduce((sum, { lines }) => sum + lines, 0)
  const names = await namesOf(
    store,
    request,
    pools.map(({ poolDays }) => String(poolDays)),
    signal,
  )
  const found = await store.usageSeries({ ...request, names }, signal)
  const none = () => starts.map(() => 0)
  const other = { lines: none(), bytes: none() }
  const series = names.map(name => ({ name: shownName(kind, name), lines: none(), bytes: none() }))
  for (const { bucket, name, lines, bytes } of found) {
    const counts = name === null ? other : (series[names.indexOf(name)] ?? other)
    counts.lines[bucket] = lines
    counts.bytes[bucket] = bytes
  }
  const exact = isUtcDays || (await linesIn(store, request, found, signal)) >= total
  return { kind, from: fromMs, to: toMs, interval, starts: [...starts], series, other, exact }
}

/** Stored names of the series. */
async function namesOf(
  store: SeriesStore,
  { asked, limit, kind, account, fromMs, toMs }: SeriesRequest,
  pools: readonly string[],
  signal: AbortSignal,
): Promise<string[]> {
  if (kind === 'pools') return asked.length === 0 ? pools.slice(0, limit) : asked.map(storedPool)
  if (asked.length > 0) return [...asked]
  const largest = await store.usageByKind({ account, fromMs, toMs, kind, limit }, signal)
  return largest.map(({ name }) => name)
}

/** Lines of the period that are in the intervals; a line with several tags is in several series, one without in none. */
async function linesIn(
  store: SeriesStore,
  request: SeriesRequest,
  found: readonly Usage[],
  signal: AbortSignal,
): Promise<number> {
  const once =
    request.kind === 'tags'
      ? await store.usageSeries({ ...request, kind: 'pools', names: [] }, signal)
      : found
  return once.reduce((sum, { lines }) => sum + lines, 0)
}

function shownName(kind: SeriesRequest['kind'], name: string): string {
  if (kind !== 'pools') return name
  return name === PLAN.stored ? PLAN.shown : `${name}d`
}

function storedPool(shown: string): string {
  return shown === PLAN.shown ? PLAN.stored : shown.replace(/d$/, '')
}
