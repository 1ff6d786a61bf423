import type { Clock } from '../../engine/clock/clock.ts'
import type { ConfigurationLog } from '../../engine/configuration/configuration-log.ts'
import { type Deployment, deployments, revisions } from '../../engine/configuration/entities.ts'
import type { Entity } from '../../engine/configuration/kind.ts'
import type { TellDeployment } from '../../engine/worker/told-deployments.ts'
import type { CutsInEffect } from '../../schemas/log/cuts.ts'
import type { NodeDocument } from '../../schemas/pipeline.ts'

/** A partition that has not taken a deployment by then has lost its worker: it is told from here, for when that is back. */
const PATIENCE_MS = 10_000

/** What becomes of what is sent to a gateway route now. */
export type GatewayRouteState =
  | {
      readonly kind: 'runs'
      /** The source that was published last: its options say how data is read. */
      readonly source: NodeDocument
      /** Whether any source of the route wants what is known of requests; those that do not leave it out. */
      readonly capturesMetadata: boolean
      /** Names each pipeline that reads it, and since when it has done so without a break. */
      readonly readers: readonly string[]
    }
  /** Every pipeline that would read it is paused. */
  | { readonly kind: 'paused' }
  /** A pipeline that reads it has just been deployed, and its partition does not know yet. */
  | { readonly kind: 'coming' }
  /** Whether the partition of a pipeline that reads it knows is unknown: `tell` makes it known. */
  | { readonly kind: 'untold' }
  | { readonly kind: 'not deployed' }

/** A deployed pipeline with a source of the route. */
interface Reader {
  readonly deployment: Entity<Deployment>
  readonly source: NodeDocument
  readonly capturesMetadata: boolean
  /** Order of publication. */
  readonly published: number
}

interface KnownDeployment {
  readonly deployment: Entity<Deployment>
  /** When this process learned of it; before everything when it was there from the beginning. */
  readonly sinceMs: number
  /** Routes that are read until it is in effect, each with the number since which it has been without a break. */
  readonly before: ReadonlyMap<string, number>
  /** Set while it is being told to its partition, and afterwards. */
  telling: Promise<void> | undefined
  isTold: boolean
}

export interface GatewayRouteStatesOptions {
  readonly configuration: ConfigurationLog
  readonly clock: Clock
  /** Absent where nobody can tell: then what is deployed holds. */
  readonly inEffect?: CutsInEffect | undefined
  readonly tell: TellDeployment
}

/**
 * Which gateway routes are read, as this process knows it from the configuration. A deployment that is new counts when the
 * next record of its partition meets it: what is taken before that, nobody would read. So where the partition's worker is
 * away, or was not asked yet, the deployment is put on the log from here.
 */
export class GatewayRouteStates {
  readonly #options: GatewayRouteStatesOptions
  readonly #readers = new Map<string, readonly Reader[]>()
  /** By pipeline. */
  readonly #known = new Map<string, KnownDeployment>()

  constructor(options: GatewayRouteStatesOptions) {
    this.#options = options
    this.#learn(Number.NEGATIVE_INFINITY)
    options.configuration.subscribe(() => {
      this.#readers.clear()
      for (const deployment of this.#learn(options.clock.monotonicMs())) void this.#await(deployment)
    })
  }

  stateOf(account: string, route: string): GatewayRouteState {
    const readers = this.#readersOf(account, route)
    if (readers.length === 0) return { kind: 'not deployed' }
    const running = readers.filter(isNotPaused)
    if (running.length === 0) return { kind: 'paused' }
    const inEffect = running.filter(reader => this.#isRead(route, reader))
    if (inEffect.length === 0)
      return { kind: running.some(reader => this.#isLate(reader)) ? 'untold' : 'coming' }
    const { source } = inEffect.reduce((last, each) => (each.published > last.published ? each : last))
    return {
      kind: 'runs',
      source,
      capturesMetadata: inEffect.some(reader => reader.capturesMetadata),
      readers: inEffect.map(reader => `${reader.deployment.id} ${this.#sinceNumber(route, reader)}`),
    }
  }

  /**
   * Tells the partition of the pipelines that read a route, which then `runs`.
   *
   * @throws LogError
   */
  async tell(account: string, route: string): Promise<void> {
    const running = this.#readersOf(account, route).filter(isNotPaused)
    const late = running.filter(reader => this.#isLate(reader))
    await Promise.all(late.map(({ deployment }) => this.#tellOf(deployment)))
  }

  async #tellOf({ id }: Entity<Deployment>): Promise<void> {
    const known = this.#known.get(id)
    if (known === undefined || known.isTold) return
    known.telling ??= this.#options.tell(id)
    try {
      await known.telling
      known.isTold = true
    } finally {
      known.telling = undefined
    }
  }

  /** Where no engine runs, a cut is seen only by those who look for it in time. */
  async #await({ id, value }: Entity<Deployment>): Promise<void> {
    if (value.paused === true || this.#sourcesOf(value).length === 0) return
    try {
      await this.#options.inEffect?.whenInEffect(value.account, 'pipeline', id, value.number)
    } catch {
      // Whoever cannot look tells the partition himself, after a while.
    }
  }

  #readersOf(account: string, route: string): readonly Reader[] {
    let readers = this.#readers.get(route)
    if (readers === undefined) {
      const { configuration } = this.#options
      readers = configuration.list(deployments, account).flatMap(deployment => {
        const sources = this.#sourcesOf(deployment.value).filter(each => each.gateway_route_id === route)
        const [source] = sources
        const capturesMetadata = sources.some(each => each.user_config.capture_metadata !== false)
        const revision = configuration.get(revisions, deployment.value.revisionId ?? '')
        return source === undefined || revision === undefined
          ? []
          : [{ deployment, source, capturesMetadata, published: revision.createdVersion }]
      })
      this.#readers.set(route, readers)
    }
    return readers
  }

  #sourcesOf({ revisionId }: Deployment): readonly NodeDocument[] {
    const document = this.#options.configuration.get(revisions, revisionId ?? '')?.value.document
    return document?.nodes.filter(({ kind, gateway_route_id: id }) => kind === 'source' && id) ?? []
  }

  /** Whether the next record of the partition meets a deployment of the pipeline that reads the route. */
  #isRead(route: string, { deployment }: Reader): boolean {
    const known = this.#known.get(deployment.id)
    return known === undefined || this.#isInEffect(known) || known.before.has(route)
  }

  #sinceNumber(route: string, { deployment }: Reader): number {
    return this.#known.get(deployment.id)?.before.get(route) ?? deployment.value.number
  }

  #isInEffect({ deployment: { id, value }, isTold }: KnownDeployment): boolean {
    const { inEffect } = this.#options
    if (inEffect === undefined || isTold) return true
    return (inEffect.versionOnLog(value.account, 'pipeline', id) ?? 0) >= value.number
  }

  #isLate({ deployment }: Reader): boolean {
    const { sinceMs = 0 } = this.#known.get(deployment.id) ?? {}
    return this.#options.clock.monotonicMs() - sinceMs >= PATIENCE_MS
  }

  /** @returns deployments that this process did not know */
  #learn(sinceMs: number): Entity<Deployment>[] {
    const { configuration } = this.#options
    const fresh = configuration
      .list(deployments)
      .filter(({ id, value }) => this.#known.get(id)?.deployment.value.number !== value.number)
    for (const deployment of fresh) {
      const before = this.#routesBefore(deployment)
      this.#known.set(deployment.id, { deployment, sinceMs, before, telling: undefined, isTold: false })
    }
    return fresh
  }

  /** Routes that are read whichever of the deployments before that one is in effect: one of those unknown may be a pause. */
  #routesBefore({ id, value: { number } }: Entity<Deployment>): ReadonlyMap<string, number> {
    const last = this.#known.get(id)
    const { value } = last?.deployment ?? {}
    if (last === undefined || value?.number !== number - 1 || value.paused === true) return new Map()
    const isInEffect = this.#isInEffect(last)
    const routes = this.#sourcesOf(value).map(source => source.gateway_route_id as string)
    return new Map(
      routes
        .filter(route => isInEffect || last.before.has(route))
        .map(route => [route, last.before.get(route) ?? value.number]),
    )
  }
}

function isNotPaused({ deployment }: Reader): boolean {
  return deployment.value.paused !== true
}
