import { once } from 'node:events'
import { Agent, type ClientRequest, type IncomingMessage, request as openRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { Clock } from '../../../engine/clock/clock.ts'
import { manualClock } from '../../../engine/clock/manual-clock.ts'
import { LineBatchView } from '../../../engine/lines/columns/line-batch-view.ts'
import type { HttpDecoding } from '../../../engine/nodes/sources/http/http-decoding.ts'
import { DEFAULT_RETENTION_DAYS } from '../../../schemas/log/cuts.ts'
import { lineBatchType } from '../../../schemas/log/line-batch.ts'
import { schemaIdOf } from '../../../schemas/log/wire-format.ts'
import { DRAWN_NOW_MS } from '../drawn-bodies.ts'
import { type TestInstallation, testInstallation } from '../test-installation.ts'
import { auditCrowd, type GivenAnswer, type StoredRequest } from './crowd-audit.ts'
import { type DrawnRequest, drawnCrowd } from './drawn-crowd.ts'
import { dueResult, type FrontRules, rowOf } from './due-result.ts'
import { gatedIngestion, HELD } from './gated-ingestion.ts'

/** Forms of the push sources, one for each account. */
const DECODINGS = ['auto', 'ndjson', 'json'] as const
/** Turns of the event loop after which a request whose sender has gone is decided. */
const LATE_TURNS = 200
/** Connections that several requests use, one after the other. */
const KEPT_CONNECTIONS = 6

/** One of the accounts that send. */
interface Sender {
  readonly account: string
  readonly key: string
  /** Address and key of its push source. */
  readonly path: string
  readonly accessKey: string
}

interface Head {
  readonly method: 'POST'
  readonly url: string
  readonly headers: Record<string, string>
}

/** The ingest fronts of an installation, with several accounts that send to it at the same time. */
export class CrowdedFront {
  readonly #installation: TestInstallation
  readonly #app: FastifyInstance
  readonly #senders: readonly Sender[]
  readonly #agent = new Agent({ keepAlive: true, maxSockets: KEPT_CONNECTIONS })
  readonly #port: number

  private constructor(installation: TestInstallation, app: FastifyInstance, senders: readonly Sender[]) {
    this.#installation = installation
    this.#app = app
    this.#senders = senders
    this.#port = (app.server.address() as AddressInfo).port
  }

  static async open(): Promise<CrowdedFront> {
    const installation = await testInstallation({ clock: steppingClock() })
    const { accountId, accessToken } = installation.credentials
    const [ofFirst, ...ofOthers] = DECODINGS
    const senders = [await senderOf(installation, accountId, accessToken, ofFirst)]
    for (const [index, decoding] of ofOthers.entries()) {
      const account = `507f1f77b${index}`
      await installation.account(account)
      senders.push(await senderOf(installation, account, await installation.token({ account }), decoding))
    }
    return new CrowdedFront(installation, await gatedIngestion(installation), senders)
  }

  async close(): Promise<void> {
    this.#agent.destroy()
    await this.#app.close()
    await this.#installation.app.close()
  }

  /** Sends many requests at once, and compares the answers and the log with the results that each must have alone. */
  async try(seed: number, size: number): Promise<void> {
    const crowd = drawnCrowd(
      seed,
      size,
      this.#senders.map(({ key }) => key),
    )
    const before = await this.#ends()
    const answers = await Promise.all(crowd.map(request => this.#send(request)))
    for (let turn = 0; turn < LATE_TURNS; turn++) await setImmediate()
    await this.#installation.ports.ingest?.writer.idle()
    const rules = this.#rules()
    auditCrowd({
      answers: crowd.map((request, index) => ({
        request,
        account: (this.#senders[request.sender] as Sender).account,
        due: dueResult(request, rules),
        answer: answers[index] as GivenAnswer,
      })),
      stored: await this.#stored(before),
    })
  }

  #rules(): FrontRules {
    const { ports } = this.#installation
    return {
      nowMs: DRAWN_NOW_MS,
      retentionDays: DEFAULT_RETENTION_DAYS,
      limitBytes: ports.settings.bodyLimitBytes,
      keys: this.#senders.map(({ key }) => key),
      decodings: DECODINGS,
    }
  }

  async #send(request: DrawnRequest): Promise<GivenAnswer> {
    const { delivery, pauses, sent } = request
    for (let turn = 0; turn < pauses; turn++) await setImmediate()
    const head = this.#headOf(request)
    if (delivery !== 'in one step') return this.#sendByConnection(request, head)
    const { statusCode: status, body } = await this.#app.inject({ ...head, payload: sent })
    return { status, body }
  }

  #headOf(request: DrawnRequest): Head {
    const { name, sender, entrance, isKeyInBody, idempotencyKey, coding, query, delivery } = request
    const { key, path, accessKey } = this.#senders[sender] as Sender
    const isPush = entrance === 'push'
    return {
      method: 'POST',
      url: isPush ? `${path}?request=${name}` : `/logs/ingest?hostname=${name}${query}`,
      headers: {
        ...(isPush ? { authorization: accessKey } : !isKeyInBody && { apikey: key }),
        ...(delivery === 'in one step' && { [HELD]: 'yes' }),
        ...(coding !== undefined && { 'content-encoding': coding }),
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      },
    }
  }

  async #sendByConnection(request: DrawnRequest, { method, url: path, headers }: Head): Promise<GivenAnswer> {
    const { delivery, sent, pieces } = request
    const isKept = delivery === 'in pieces'
    const open = openRequest({
      ...{ host: '127.0.0.1', port: this.#port, method, path },
      headers: { ...headers, ...(pieces.length % 2 === 0 && { 'content-length': sent.length }) },
      agent: isKept ? this.#agent : false,
    })
    const answered = once(open, 'response') as Promise<[IncomingMessage]>
    answered.catch(() => {})
    open.on('error', () => {})
    const end = delivery === 'cut off' ? Math.max(0, sent.length - 1) : sent.length
    await writePieces(open, sent.subarray(0, end), request)
    if (delivery === 'in pieces') {
      open.end()
      const [response] = await answered
      return { status: response.statusCode as number, body: await textOf(response) }
    }
    if (delivery === 'unheard') open.end()
    for (let turn = 0; turn < pieces.length; turn++) await setImmediate()
    open.destroy()
    return 'none'
  }

  async #ends(): Promise<bigint[]> {
    const { ingest } = this.#installation.ports.replay
    const partitions = Array.from({ length: ingest.partitions }, (_, partition) => partition)
    return Promise.all(partitions.map(async partition => (await ingest.bounds(partition)).next))
  }

  async #stored(from: readonly bigint[]): Promise<StoredRequest[]> {
    const { ingest } = this.#installation.ports.replay
    const found: StoredRequest[] = []
    const log = ingest.logId.slice(0, 8)
    for (const [partition, first] of from.entries())
      for (const { value, offset } of await ingest.read(partition, first, Number.MAX_SAFE_INTEGER))
        if (schemaIdOf(value) === lineBatchType.id)
          found.push(...storedIn(LineBatchView.decode(value), `${log}:${partition}:${offset}`))
    return found
  }
}

/** Each look at the monotonic clock is later by a step, so bodies that are read in turns need many of them. */
function steppingClock(): Clock {
  let looks = 0
  return { ...manualClock(DRAWN_NOW_MS), monotonicMs: () => looks++ }
}

/** A sender with an ingestion key, and with a push source of its own. */
async function senderOf(
  { app }: TestInstallation,
  account: string,
  token: string,
  decoding: HttpDecoding,
): Promise<Sender> {
  const created = async (url: string, payload: object) => {
    const headers = { authorization: `Token ${token}` }
    const response = await app.inject({ method: 'POST', url, payload, headers })
    if (response.statusCode !== 200) throw new Error(`${url} answers ${response.statusCode} ${response.body}`)
    return response.json()
  }
  const { key } = await created('/v1/config/keys?type=ingestion', { name: 'crowd' })
  const { id } = (await created('/v3/pipeline', { title: 'crowd' })).data
  const source = { type: 'http', user_config: { decoding } }
  const { id: sourceId, gateway_route_id: route } = (await created(`/v3/pipeline/${id}/source`, source)).data
  await created(`/v3/pipeline/${id}/sink`, { type: 'mezmo', inputs: [sourceId] })
  await created(`/v3/pipeline/${id}/publish`, {})
  const accessKey = { title: 'crowd', type: 'generated' }
  const given = (await created(`/v3/pipeline/gateway-route/${route}/access-key`, accessKey)).data
  return { account, key, path: `/v1/${route}`, accessKey: given.key }
}

async function writePieces(
  open: ClientRequest,
  bytes: Buffer,
  { pieces, pauses }: DrawnRequest,
): Promise<void> {
  let at = 0
  for (const piece of pieces) {
    if (at >= bytes.length || open.destroyed) return
    if (piece > 0) open.write(bytes.subarray(at, at + piece))
    at += piece
    for (let turn = 0; turn <= pauses; turn++) await setImmediate()
  }
  if (at < bytes.length) open.write(bytes.subarray(at))
}

async function textOf(response: IncomingMessage): Promise<string> {
  return Buffer.concat(await response.toArray()).toString()
}

/** The requests of a record. @param place of the record, as batch ids name it */
function storedIn(view: LineBatchView, place: string): StoredRequest[] {
  let first = 0
  return view.requests.map((facts, index) => {
    const rows = Array.from({ length: facts.lines }, (_, row) => first + row)
    first += facts.lines
    const { account, entrance } = view
    const common = { account, entrance, place: `${place}:${index}`, facts }
    if (!view.isPushed)
      return { ...common, name: facts.hostname, rows: rows.map(row => rowOf(view, row)), refusals: [] }
    const refusals = rows.filter(row => view.refusalText(row) !== '').map(row => view.lineText(row))
    if (refusals.length > 0) return { ...common, name: '', rows: [], refusals }
    const { query } = JSON.parse(facts.hostname) as { query: { request: string } }
    return { ...common, name: query.request, rows: rows.map(row => view.lineText(row)), refusals: [] }
  })
}
