import type { FastifyRequest } from 'fastify'
import { deployedDocument } from '../../../engine/configuration/deployed-document.ts'
import type { PipelineInEffect } from '../../../engine/fold/run-watch.ts'
import { DEFAULT_OUTPUT } from '../../../engine/graph/compiled-node.ts'
import type { Catalogue } from '../../../engine/nodes/contract/catalogue.ts'
import type { Tap, TapBounds } from '../../../engine/replay/taps/tap.ts'
import type { TapPlace, Taps } from '../../../engine/replay/taps/taps.ts'
import type { Asker } from '../../../engine/turns/asker.ts'
import type { CutsInEffect } from '../../../schemas/log/deployed-configuration.ts'
import type { NodeDocument } from '../../../schemas/pipeline.ts'
import { LastingRights, type LastingRightsPorts } from '../../auth/lasting-rights.ts'
import { askerOf } from '../../auth/permission.ts'
import { ConnectionPlaces } from '../../http/connection-places.ts'
import { ApiError, unavailable } from '../../http/errors.ts'
import { ProblemsError } from '../../http/problems-error.ts'
import { type NodePath, nodeIn } from '../nodes.ts'
import type { PipelineState, Pipelines } from '../pipelines.ts'
import { revisionDeployedBy, revisionsOf } from '../revisions/revision.ts'
import { readTapQuery } from './tap-query.ts'
import type { TapReader } from './tap-reader.ts'

/** Maximum size of the messages that wait for a client. */
const MAX_UNSENT_BYTES = 1024 * 1024
const HEARTBEAT_MS = 15_000
/** Maximum number of open taps of a process, whatever an account may have. */
const MAX_TAPS = 100

export interface TapPorts extends LastingRightsPorts {
  readonly catalogue: Catalogue
  /** Events of pipelines; absent where they cannot be seen. */
  readonly taps?: Taps | undefined
  readonly inEffect?: CutsInEffect | undefined
  readonly settings: { readonly maxTapsPerAccount: number }
}

/** A tap that may be opened. */
export interface AdmittedTap {
  readonly asker: Asker
  readonly rights: LastingRights
  readonly place: TapPlace
  readonly bounds: TapBounds
  readonly state: PipelineState
}

/** The taps that are open in this process: components, section 8.3. */
export class OpenTaps {
  readonly #pipelines: Pipelines
  readonly #ports: TapPorts
  readonly #places: ConnectionPlaces
  readonly #open = new Set<Tap>()

  constructor(pipelines: Pipelines, ports: TapPorts) {
    this.#pipelines = pipelines
    this.#ports = ports
    const perAccount = ports.settings.maxTapsPerAccount
    this.#places = new ConnectionPlaces('tap', { perProcess: MAX_TAPS, perAccount })
  }

  /**
   * Makes every check that can refuse a tap.
   *
   * @throws ProblemsError; ApiError 404, 409 when nothing of the pipeline runs or its node does not, 429, 503
   */
  admit(request: FastifyRequest, path: NodePath): AdmittedTap {
    const state = this.#pipelines.get(request.caller, path.pipeline)
    const node = this.#runningNode(state, path)
    const { wishes, problems } = readTapQuery(request.query as Record<string, unknown>)
    const { output, filter, meter, limit, seconds } = wishes
    const wanted = this.#ports.catalogue.outputsOf(node).find(({ id }) => id === output)
    if (output !== undefined && wanted === undefined)
      throw new ProblemsError([
        ...problems,
        { instancePath: '/output', message: 'must be the id of an output of the node' },
      ])
    if (problems.length > 0) throw new ProblemsError(problems)
    const { account } = state.pipeline.value
    const asker = askerOf(request.caller)
    this.#assertRoom(asker)
    const place = {
      account,
      pipeline: path.pipeline,
      node: node.id,
      output: wanted && (wanted.name ?? DEFAULT_OUTPUT),
    }
    const rights = new LastingRights(request, this.#ports)
    return { asker, rights, place, bounds: { filter, meter, limit, lastsMs: seconds * 1_000 }, state }
  }

  /** Shows the events of an admitted tap until it ends or its client leaves. @throws ApiError 429, 503 */
  open({ asker, rights, place, bounds, state }: AdmittedTap, reader: TapReader): void {
    const taps = this.#assertRoom(asker)
    const tap = taps.open(place, bounds, this.#inEffect(state), message => {
      reader.send(message)
      if (message.type === 'end') reader.close(message.reason)
      else if (reader.unsentBytes > MAX_UNSENT_BYTES) tap.end('slow')
    })
    this.#open.add(tap)
    const giveBack = this.#places.take(asker)
    // A tap shows every line. It therefore ends even for a client that may still see some of them.
    const review = () => {
      const present = rights.now()
      if (present === undefined || present.scope !== undefined) tap.end('rights')
    }
    const leave = () => {
      this.#open.delete(tap)
      giveBack()
    }
    tap.signal.addEventListener('abort', leave, { once: true })
    reader.whenGone(() => tap.end('closed'))
    void this.#beat(tap, reader)
    void rights.keepReviewing(review, tap.signal)
    review() // something may have changed since the tap was admitted
  }

  /** Ends all taps, because the process stops. */
  stop(): void {
    for (const tap of [...this.#open]) tap.end('stopped')
  }

  async #beat({ signal }: Tap, reader: TapReader): Promise<void> {
    while (!signal.aborted) {
      await this.#ports.clock.sleep(HEARTBEAT_MS, signal)
      if (!signal.aborted) reader.beat()
    }
  }

  #assertRoom(asker: Asker): Taps {
    const { taps } = this.#ports
    if (taps === undefined)
      throw unavailable('This process runs no engine: it does not see the events of pipelines')
    this.#places.assertFree(asker)
    return taps
  }

  /** The node as last published. */
  #runningNode(state: PipelineState, path: NodePath): NodeDocument {
    const deployed = deployedDocument(this.#ports.configuration, state.deployedRevisionId)
    const running = deployed?.nodes.find(({ id, kind }) => id === path.node && kind === path.kind)
    if (running !== undefined) return running
    nodeIn(state, path)
    const what = deployed === undefined ? 'Nothing of the pipeline runs' : `The ${path.kind} does not run yet`
    throw new ApiError(409, 'ENOTPUBLISHED', `${what}: publish it first`)
  }

  /** The pipeline that the account's lines meet now, as far as this process knows. */
  #inEffect({ pipeline, deployment }: PipelineState): PipelineInEffect {
    const { configuration, inEffect, clock } = this.#ports
    const version = inEffect?.cutVersion(pipeline.value.account, 'pipeline', pipeline.id) ?? 0
    const revision = revisionDeployedBy(revisionsOf(configuration, pipeline), version)
    return {
      version,
      document: revision?.value.document,
      isPaused: deployment?.value.number === version && (deployment.value.paused ?? false),
      atMs: clock.wallMs(),
    }
  }
}
