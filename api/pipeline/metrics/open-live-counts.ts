import type { FastifyRequest } from 'fastify'
import { deployedDocument } from '../../../engine/configuration/deployed-document.ts'
import { deployments, pipelines as pipelineKind } from '../../../engine/configuration/entities.ts'
import type { NodeTotals } from '../../../engine/fold/node-activity.ts'
import type { Catalogue } from '../../../engine/nodes/contract/catalogue.ts'
import { SECOND_MS } from '../../../engine/times/duration.ts'
import type { Asker } from '../../../engine/turns/asker.ts'
import { LoopTurns } from '../../../engine/turns/loop-turns.ts'
import type { NodeDocument } from '../../../schemas/pipeline.ts'
import { LastingRights, type LastingRightsPorts } from '../../auth/lasting-rights.ts'
import { askerOf } from '../../auth/permission.ts'
import { ConnectionPlaces } from '../../http/connection-places.ts'
import { unavailable } from '../../http/errors.ts'
import { isoTime } from '../../http/iso-time.ts'
import type { Pipelines } from '../pipelines.ts'
import { OutputsOfRevisions } from './edges.ts'
import type { LiveCountEnd, LiveCountReader } from './live-count-reader.ts'
import { countsBetween, LiveReadings, type LiveTotals } from './live-counts.ts'

/** Maximum size of the messages that wait for a client. */
const MAX_UNSENT_BYTES = 1024 * 1024

/** Readers of one process: each counts up to a thousand nodes a second. (Our choice.) */
const MAX_READERS = 100

export interface LiveCountPorts extends LastingRightsPorts {
  readonly catalogue: Catalogue
  readonly settings: { readonly maxTapsPerAccount: number }
  /** The engine of this process, if it runs one that counts. */
  readonly system: { readonly engine?: { nodeTotals?(): Iterable<NodeTotals> } | undefined }
}

/** A request that may read the live counts of a pipeline. */
interface AdmittedReader {
  readonly account: string
  readonly asker: Asker
  readonly pipeline: string
  readonly rights: LastingRights
  totals(): LiveTotals
}

/** Clients that read live counts in this process. */
export class OpenLiveCounts {
  readonly #pipelines: Pipelines
  readonly #ports: LiveCountPorts
  readonly #readings: LiveReadings
  readonly #outputs: OutputsOfRevisions
  readonly #places: ConnectionPlaces
  readonly #turns: LoopTurns
  readonly #stopped = new AbortController()

  constructor(pipelines: Pipelines, ports: LiveCountPorts) {
    const { catalogue, clock, settings, system } = ports
    this.#pipelines = pipelines
    this.#ports = ports
    this.#readings = new LiveReadings(() => system.engine?.nodeTotals?.() ?? [], clock)
    this.#outputs = new OutputsOfRevisions(catalogue)
    this.#places = new ConnectionPlaces('live count', {
      perProcess: MAX_READERS,
      perAccount: settings.maxTapsPerAccount,
    })
    this.#turns = new LoopTurns(clock)
  }

  /** @throws ApiError 404, 429, or 503 without an engine */
  admit(request: FastifyRequest): AdmittedReader {
    const { pipelineId } = request.params as { pipelineId: string }
    const { pipeline } = this.#pipelines.get(request.caller, pipelineId)
    const { engine } = this.#ports.system
    if (engine?.nodeTotals === undefined)
      throw unavailable('This process runs no engine: …/metrics has the counts, a minute late')
    const { account } = pipeline.value
    const asker = askerOf(request.caller)
    this.#places.assertFree(asker)
    const rights = new LastingRights(request, this.#ports)
    const totals = () => this.#readings.of(account, pipeline.id)
    return { account, asker, pipeline: pipeline.id, rights, totals }
  }

  /** Sends counts each second until the client or its rights are gone. */
  async follow(admitted: AdmittedReader, reader: LiveCountReader): Promise<void> {
    const { account, asker, pipeline } = admitted
    const unfollow = this.#readings.follow(account, pipeline)
    const leave = this.#places.take(asker)
    const gone = new AbortController()
    reader.whenGone(() => gone.abort())
    const end = await this.#send(admitted, reader, AbortSignal.any([gone.signal, this.#stopped.signal]))
    unfollow()
    leave()
    if (!gone.signal.aborted) reader.end(end)
  }

  /** Ends all of them, because the server stops. */
  stop(): void {
    this.#stopped.abort()
  }

  async #send(
    { pipeline, rights, totals }: AdmittedReader,
    reader: LiveCountReader,
    signal: AbortSignal,
  ): Promise<LiveCountEnd> {
    const { clock, configuration } = this.#ports
    let before = totals()
    for (;;) {
      await clock.sleep(SECOND_MS, signal)
      // Many readers may wake at once, and counts of long pipelines take a while.
      await this.#turns.begin().rest()
      if (signal.aborted) return 'stopped'
      const present = rights.now()
      // Counts are of all lines. They therefore end even for a client that may still see some of them.
      if (present === undefined || present.scope !== undefined) return 'rights'
      if (reader.unsentBytes > MAX_UNSENT_BYTES) return 'slow'
      if (configuration.get(pipelineKind, pipeline) === undefined) return 'deleted'
      const now = totals()
      const counts = countsBetween(pipeline, this.#outputs.of(this.#runningNodes(pipeline)), before, now)
      const overMs = Math.round(now.atMs - before.atMs)
      reader.send({ type: 'counts', at: isoTime(clock.wallMs()), over_ms: overMs, ...counts })
      before = now
    }
  }

  #runningNodes(pipeline: string): readonly NodeDocument[] {
    const { configuration } = this.#ports
    const { revisionId } = configuration.get(deployments, pipeline)?.value ?? {}
    return deployedDocument(configuration, revisionId)?.nodes ?? []
  }
}
