import type { FastifyRequest } from 'fastify'
import { revisions } from '../../../engine/configuration/entities.ts'
import type { PipelineInEffect } from '../../../engine/fold/run-watch.ts'
import { DEFAULT_OUTPUT } from '../../../engine/graph/compiled-node.ts'
import { nodeOutputs } from '../../../engine/nodes/node-outputs.ts'
import type { Tap, TapBounds } from '../../../engine/replay/taps/tap.ts'
import type { TapPlace, Taps } from '../../../engine/replay/taps/taps.ts'
import type { CutsInEffect } from '../../../schemas/log/cuts.ts'
import type { NodeDocument } from '../../../schemas/pipeline.ts'
import { LastingRights, type LastingRightsPorts } from '../../auth/lasting-rights.ts'
import { ApiError, unavailable } from '../../http/errors.ts'
import { ProblemsError } from '../../http/problems-error.ts'
import { type NodePath, nodeIn } from '../nodes.ts'
import type { PipelineState, Pipelines } from '../pipelines.ts'
import { revisionDeployedBy, revisionsOf } from '../revisions/revision.ts'
import { readTapQuery } from './tap-query.ts'
import type { TapReader } from './tap-reader.ts'

/** What may wait for a reader. */
const MAX_UNSENT_BYTES = 1024 * 1024
const HEARTBEAT_MS = 15_000

export interface TapPorts extends LastingRightsPorts {
  /** Absent where events of pipelines cannot be seen. */
  readonly taps?: Taps | undefined
  readonly inEffect?: CutsInEffect | undefined
  readonly maxTapsPerAccount: number
}

/** A tap that may be opened. */
export interface AdmittedTap {
  readonly rights: LastingRights
  readonly place: TapPlace
  readonly bounds: TapBounds
  readonly state: PipelineState
}

/** The taps that are read here: components, section 8.3. */
export class OpenTaps {
  readonly #pipelines: Pipelines
  readonly #ports: TapPorts
  readonly #open = new Map<string, Set<Tap>>()

  constructor(pipelines: Pipelines, ports: TapPorts) {
    this.#pipelines = pipelines
    this.#ports = ports
  }

  /**
   * Checks everything that can be refused.
   *
   * @throws ProblemsError; ApiError 404, 409 when nothing of the pipeline runs or its node does not, 429, 503
   */
  admit(request: FastifyRequest, path: NodePath): AdmittedTap {
    const state = this.#pipelines.get(request.caller, path.pipeline)
    const node = this.#runningNode(state, path)
    const { wishes, problems } = readTapQuery(request.query as Record<string, unknown>)
    const { output, filter, meter, limit, seconds } = wishes
    const wanted = nodeOutputs(node).find(({ id }) => id === output)
    if (output !== undefined && wanted === undefined)
      throw new ProblemsError([
        ...problems,
        { instancePath: '/output', message: 'must be the id of an output of the node' },
      ])
    if (problems.length > 0) throw new ProblemsError(problems)
    const { account } = state.pipeline.value
    this.#assertRoom(account)
    const place = {
      account,
      pipeline: path.pipeline,
      node: node.id,
      output: wanted && (wanted.name ?? DEFAULT_OUTPUT),
    }
    const rights = new LastingRights(request, this.#ports)
    return { rights, place, bounds: { filter, meter, limit, lastsMs: seconds * 1_000 }, state }
  }

  /** Shows a reader what an admitted tap sees, until it ends or the reader goes. @throws ApiError 429, 503 */
  open({ rights, place, bounds, state }: AdmittedTap, reader: TapReader): void {
    const { account } = place
    const taps = this.#assertRoom(account)
    const tap = taps.open(place, bounds, this.#inEffect(state), message => {
      reader.send(message)
      if (message.type === 'end') reader.close(message.reason)
      else if (reader.unsentBytes > MAX_UNSENT_BYTES) tap.end('slow')
    })
    const open = this.#open.get(account) ?? new Set()
    this.#open.set(account, open.add(tap))
    // A tap shows every line: also whoever may still see some of them is done.
    const review = () => {
      const present = rights.now()
      if (present === undefined || present.scope !== undefined) tap.end('rights')
    }
    const leave = () => {
      open.delete(tap)
      if (open.size === 0) this.#open.delete(account)
    }
    tap.signal.addEventListener('abort', leave, { once: true })
    reader.whenGone(() => tap.end('closed'))
    void this.#beat(tap, reader)
    void rights.keepReviewing(review, tap.signal)
    review() // What changed since it was admitted.
  }

  /** Ends all of them: the process stops. */
  stop(): void {
    for (const tap of [...this.#open.values()].flatMap(open => [...open])) tap.end('stopped')
  }

  async #beat({ signal }: Tap, reader: TapReader): Promise<void> {
    while (!signal.aborted) {
      await this.#ports.clock.sleep(HEARTBEAT_MS, signal)
      if (!signal.aborted) reader.beat()
    }
  }

  #assertRoom(account: string): Taps {
    const { taps, maxTapsPerAccount: most } = this.#ports
    if (taps === undefined)
      throw unavailable('This process runs no engine: it does not see the events of pipelines')
    if ((this.#open.get(account)?.size ?? 0) < most) return taps
    const message = `The account has ${most} ${most === 1 ? 'tap' : 'taps'} open: close one of them first`
    throw new ApiError(429, 'TooManyRequests', message)
  }

  /** The node as it was published last. */
  #runningNode(state: PipelineState, path: NodePath): NodeDocument {
    const { deployedRevisionId } = state
    const revision =
      deployedRevisionId === null
        ? undefined
        : this.#ports.configuration.get(revisions, deployedRevisionId)?.value
    const running = revision?.document.nodes.find(({ id, kind }) => id === path.node && kind === path.kind)
    if (running !== undefined) return running
    nodeIn(state, path)
    const what = revision === undefined ? 'Nothing of the pipeline runs' : `The ${path.kind} does not run yet`
    throw new ApiError(409, 'ENOTPUBLISHED', `${what}: publish it first`)
  }

  /** What lines of the account meet now, as far as it is known here. */
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
