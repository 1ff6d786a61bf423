import type { ServerResponse } from 'node:http'
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '../../engine/clock/clock.ts'
import type { Store } from '../../engine/store/store.ts'
import type { NamedUsage, UsageByKindQuery, UsageKind } from '../../engine/store/usage/usage.ts'
import {
  BYTES_BY_KIND,
  BYTES_BY_NAME,
  LINES_BY_KIND,
  LINES_BY_NAME,
  TOTALS,
} from '../../schemas/http/lines/usage-api.ts'
import { accountOf } from '../auth/permission.ts'
import { notFound } from '../http/errors.ts'
import { QueryParameters } from '../http/query-parameters.ts'
import { PIECE_CHARACTERS, sendRows } from '../http/streamed-rows.ts'
import { exclusiveBounds, type Period, readDays, readSeconds } from './usage-period.ts'

type UsageStore = Pick<Store, 'usageByKind' | 'usageByKindStream' | 'usageTotals'>

export interface UsageRoutesOptions {
  readonly store: UsageStore
}

interface UsagePorts extends UsageRoutesOptions {
  readonly clock: Clock
  /** Counts and limits answers that are too long to be held in memory. */
  readonly exports?: { begin(account: string, answer: ServerResponse): void } | undefined
}

const KINDS: readonly string[] = ['apps', 'hosts', 'tags'] satisfies UsageKind[]
const RETENTION = /^[1-9][0-9]*d$/
/** Largest pool that a line can name. */
const MAX_POOL_DAYS = 65_535

/** Validation is done by hand: its messages are part of the interface. */
const OWN_VALIDATION = { config: { needs: 'read' as const }, validatorCompiler: () => () => true }

/** `/v1/usage` in lines, `/v2/usage` in bytes: usage, section 8. Usage is not limited by access scopes. */
export const usageRoutes: FastifyPluginAsync<UsageRoutesOptions> = async (app, { store }) => {
  const { clock, exports } = app.ports
  const ports: UsagePorts = { store, clock, exports }
  app.get('/v1/usage/:kind', { schema: LINES_BY_KIND, ...OWN_VALIDATION }, async (request, reply) => {
    const { query, period } = readLines(request, clock.wallMs(), { limit: true })
    const total = await linesOf(store, query.account, period)
    const shareOf = (usage: NamedUsage) => lineShare(usage, total)
    return sendUsage(ports, reply, { ...query, order: 'lines' }, ['[', shareOf, ']'])
  })

  app.get('/v1/usage/:kind/:name', { schema: LINES_BY_NAME, ...OWN_VALIDATION }, async (request, reply) => {
    const { query, period } = readLines(request, clock.wallMs(), { limit: false })
    const found = await lineUsage(store, query, period)
    // An unknown name is the JSON value null; the framework would send an empty body for it.
    return found.length > 0 ? found : reply.type('application/json; charset=utf-8').send(Buffer.from('null'))
  })

  app.get('/v2/usage', { schema: TOTALS, ...OWN_VALIDATION }, async request => {
    const account = accountOf(request.caller).shortId
    const parameters = new QueryParameters(request.query)
    const period = readDays(parameters, clock.wallMs())
    parameters.check()
    const pools = await store.usageTotals({ account, ...period })
    const results: Record<string, number> = { plan_bytes: 0, restored_bytes: 0 }
    for (const { poolDays, bytes } of pools)
      results[poolDays === 0 ? 'plan_bytes' : `${poolDays}d_vr_bytes`] = bytes
    return { ...exclusiveBounds(period), results }
  })

  app.get('/v2/usage/:kind', { schema: BYTES_BY_KIND, ...OWN_VALIDATION }, (request, reply) =>
    byteUsage(ports, request, reply, { limit: true }),
  )
  app.get('/v2/usage/:kind/:name', { schema: BYTES_BY_NAME, ...OWN_VALIDATION }, (request, reply) =>
    byteUsage(ports, request, reply, { limit: false }),
  )
}

interface LineShare {
  readonly name: string
  readonly current_total: number
  readonly percentage_of_total: number
}

async function lineUsage(store: UsageStore, query: UsageByKindQuery, period: Period): Promise<LineShare[]> {
  const [named, total] = await Promise.all([
    store.usageByKind({ ...query, order: 'lines' }),
    linesOf(store, query.account, period),
  ])
  return named.map(usage => lineShare(usage, total))
}

async function linesOf(store: UsageStore, account: string, period: Period): Promise<number> {
  const pools = await store.usageTotals({ account, ...period })
  return pools.reduce((sum, { lines }) => sum + lines, 0)
}

function lineShare({ name, lines }: NamedUsage, total: number): LineShare {
  // Lines that arrived between the two statements must not make it more than the total.
  return { name, current_total: lines, percentage_of_total: (100 * lines) / Math.max(total, lines) }
}

async function byteUsage(
  ports: UsagePorts,
  request: FastifyRequest,
  reply: FastifyReply,
  takes: { readonly limit: boolean },
): Promise<FastifyReply> {
  const account = accountOf(request.caller).shortId
  const path = readPath(request)
  const parameters = new QueryParameters(request.query)
  const period = readDays(parameters, ports.clock.wallMs())
  const limit = takes.limit ? parameters.integer('limit', { min: 1 }) : undefined
  const poolDays = readRetention(parameters)
  parameters.check()
  const query = {
    account,
    ...path,
    ...period,
    ...optional('limit', limit),
    ...optional('poolDays', poolDays),
  }
  const bounds = JSON.stringify(exclusiveBounds(period)).slice(0, -1)
  return sendUsage(ports, reply, query, [`${bounds},"results":[`, byteResult, ']}'])
}

/** Streams usage as JSON, so that a million names are neither held in memory nor written at once. */
function sendUsage(
  { store, clock, exports }: UsagePorts,
  reply: FastifyReply,
  query: UsageByKindQuery,
  form: readonly [start: string, element: (usage: NamedUsage) => object, end: string],
): Promise<FastifyReply> {
  reply.type('application/json; charset=utf-8')
  return sendRows(reply, {
    clock,
    rows: signal => store.usageByKindStream(query, signal),
    render: rows => usagePieces(rows, ...form),
    beginLong: () => exports?.begin(query.account, reply.raw),
  })
}

async function* usagePieces(
  rows: AsyncIterable<readonly NamedUsage[]>,
  start: string,
  element: (usage: NamedUsage) => object,
  end: string,
): AsyncGenerator<string> {
  let piece = start
  let separator = ''
  for await (const some of rows) {
    for (const usage of some) {
      piece += separator + JSON.stringify(element(usage))
      separator = ','
      if (piece.length < PIECE_CHARACTERS) continue
      yield piece
      piece = ''
    }
  }
  yield piece + end
}

function byteResult({ name, bytes }: NamedUsage): object {
  return { name, total_bytes: bytes }
}

function readLines(request: FastifyRequest, nowMs: number, takes: { readonly limit: boolean }) {
  const account = accountOf(request.caller).shortId
  const path = readPath(request)
  const parameters = new QueryParameters(request.query)
  const period = readSeconds(parameters, nowMs)
  const limit = takes.limit ? parameters.integer('limit', { min: 1 }) : undefined
  parameters.check()
  return { query: { account, ...path, ...period, ...optional('limit', limit) }, period }
}

/** @throws ApiError 404 for an unknown kind */
function readPath(request: FastifyRequest): { kind: UsageKind; name?: string } {
  const { kind, name } = request.params as { kind: string; name?: string }
  if (!KINDS.includes(kind)) throw notFound()
  return { kind: kind as UsageKind, ...optional('name', name) }
}

function readRetention(parameters: QueryParameters): number | undefined {
  const text = parameters.text('retention')
  if (text === undefined) return undefined
  if (!RETENTION.test(text)) parameters.refuse('retention', 'must be a number of days, such as 7d')
  // Pools beyond the maximum are empty.
  return Math.min(Number.parseInt(text, 10), MAX_POOL_DAYS + 1)
}

function optional<Key extends string, Value>(key: Key, value: Value | undefined): { [key in Key]?: Value } {
  return value === undefined ? {} : ({ [key]: value } as { [key in Key]: Value })
}
