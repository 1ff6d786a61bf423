import type { Clock } from '../../engine/clock/clock.ts'
import type { ConfigurationLog } from '../../engine/configuration/configuration-log.ts'
import { deployedDocument } from '../../engine/configuration/deployed-document.ts'
import { type Deployment, deployments, revisions } from '../../engine/configuration/entities.ts'
import type { Entity } from '../../engine/configuration/kind.ts'
import { pauseModeOf, takesEvents } from '../../engine/configuration/pause-mode.ts'
import type { Catalogue } from '../../engine/nodes/contract/catalogue.ts'
import type { ReportDeployment } from '../../engine/worker/reported-deployments.ts'
import type { CutsInEffect } from '../../schemas/log/deployed-configuration.ts'
import type { NodeDocument } from '../../schemas/pipeline.ts'

/**
 * Time after which a partition that has not read a deployment counts as without a worker. This process then writes the
 * deployment to its log.
 */
const PATIENCE_MS = 10_000

/** State of a gateway route, which decides how requests to it are answered. */
export type GatewayRouteState =
  | {
      readonly kind: 'runs'
      /** The most recently published source: its options determine how data is read. */
      readonly source: NodeDocument
      /** Whether any source of the gateway route captures metadata of requests; the other sources omit it. */
      readonly capturesMetadata: boolean
      /** Names of the pipelines that read it, each with the time since which it has done so without a break. */
      readonly readers: readonly string[]
    }
  /** Every pipeline that would read it is paused. */
  | { readonly kind: 'paused' }
  /** A pipeline that reads it is paused, and its senders keep their events. */
  | { readonly kind: 'held' }
  /** A pipeline that reads it has just been deployed, and its partition has not read the cut yet. */
  | { readonly kind: 'coming' }
  /** It is unknown whether the partition has read the cut of a reading pipeline; `report` resolves this. */
  | { readonly kind: 'unreported' }
  | { readonly kind: 'not deployed' }

/** A deployed pipeline with a source of the gateway route. */
interface Reader {
  readonly deployment: Entity<Deployment>
  readonly source: NodeDocument
  readonly capturesMetadata: boolean
  /** Order of publication. */
  readonly published: number
}

interface KnownDeployment {
  readonly deployment: Entity<Deployment>
  /** Time at which this process learned of it; before everything else if it existed from the beginning. */
  readonly sinceMs: number
  /** Routes that are read until it is in effect, each with the number since which they are read without a break. */
  readonly before: ReadonlyMap<string, number>
  /** The report of the deployment to its partition, from its start on. */
  reporting: Promise<void> | undefined
  isReported: boolean
}

export interface GatewayRouteStatesOptions {
  readonly catalogue: Catalogue
  readonly configuration: ConfigurationLog
  readonly clock: Clock
  /** Cuts in effect; absent if this process cannot know them: a published deployment then counts as in effect. */
  readonly inEffect?: CutsInEffect | undefined
  readonly reportDeployment: ReportDeployment
}

/**
 * State of the gateway routes, by the configuration of this process. A new deployment counts once the next record of its
 * partition meets it: events accepted earlier would not be read. If the partition's worker is unavailable, or was not
 * asked yet, this process writes the deployment to the log.
 */
export class GatewayRouteStates {
  readonly #options: GatewayRouteStatesOptions
  readonly #readers = new Map<string, readonly Reader[]>()
  /** Deployments that this process has seen, by pipeline. */
  readonly #known = new Map<string, KnownDeployment>()

  constructor(options: GatewayRouteStatesOptions) {
    this.#options = options
    this.#learn(Number.NEGATIVE_INFINITY)
    options.configuration.subscribe(() => {
      this.#readers.clear()
      for (const deployment of this.#learn(options.clock.monotonicMs())) void this.#await(deployment)
    })
  }

  stateOf(account: string, gatewayRoute: string): GatewayRouteState {
    const readers = this.#readersOf(account, gatewayRoute)
    const isHeld = readers.some(({ deployment }) => pauseModeOf(deployment.value) === 'hold')
    return isHeld ? { kind: 'held' } : this.#readingState(gatewayRoute, readers)
  }

  /**
   * Whether one of some readers of a gateway route has read it since: events that were accepted meanwhile meet that one. A
   * pipeline that holds new events still handles these.
   *
   * @param readers of an earlier state
   */
  isStillReadBy(account: string, gatewayRoute: string, readers: readonly string[]): boolean {
    const now = this.#readingState(gatewayRoute, this.#readersOf(account, gatewayRoute))
    return now.kind === 'runs' && readers.some(reader => now.readers.includes(reader))
  }

  #readingState(gatewayRoute: string, readers: readonly Reader[]): GatewayRouteState {
    if (readers.length === 0) return { kind: 'not deployed' }
    const running = readers.filter(isTaking)
    if (running.length === 0) return { kind: 'paused' }
    const inEffect = running.filter(reader => this.#isRead(gatewayRoute, reader))
    if (inEffect.length === 0)
      return { kind: running.some(reader => this.#isLate(reader)) ? 'unreported' : 'coming' }
    const { source } = inEffect.reduce((last, each) => (each.published > last.published ? each : last))
    return {
      kind: 'runs',
      source,
      capturesMetadata: inEffect.some(reader => reader.capturesMetadata),
      readers: inEffect.map(reader => `${reader.deployment.id} ${this.#sinceNumber(gatewayRoute, reader)}`),
    }
  }

  /**
   * Writes the deployments of a gateway route to the logs of their partitions; the route is in state `runs` afterwards.
   *
   * @throws LogError
   */
  async report(account: string, gatewayRoute: string): Promise<void> {
    const running = this.#readersOf(account, gatewayRoute).filter(isTaking)
    const late = running.filter(reader => this.#isLate(reader))
    await Promise.all(late.map(({ deployment }) => this.#tellOf(deployment)))
  }

  async #tellOf({ id }: Entity<Deployment>): Promise<void> {
    const known = this.#known.get(id)
    if (known === undefined || known.isReported) return
    known.reporting ??= this.#options.reportDeployment(id)
    try {
      await known.reporting
      known.isReported = true
    } finally {
      known.reporting = undefined
    }
  }

  /** Waits for a cut. Without an engine, only processes that look for it in time see it. */
  async #await({ id, value }: Entity<Deployment>): Promise<void> {
    if (!takesEvents(value) || this.#sourcesOf(value).length === 0) return
    try {
      await this.#options.inEffect?.whenInEffect(value.account, 'pipeline', id, value.number)
    } catch {
      // A process without an engine writes the deployment to the partition itself, after a while.
    }
  }

  #readersOf(account: string, gatewayRoute: string): readonly Reader[] {
    let readers = this.#readers.get(gatewayRoute)
    if (readers === undefined) {
      const { catalogue, configuration } = this.#options
      readers = configuration.list(deployments, account).flatMap(deployment => {
        const sources = this.#sourcesOf(deployment.value).filter(
          each => each.gateway_route_id === gatewayRoute,
        )
        const [source] = sources
        const capturesMetadata = sources.some(each => catalogue.keepsMetadata(each))
        const revision = configuration.get(revisions, deployment.value.revisionId ?? '')
        return source === undefined || revision === undefined
          ? []
          : [{ deployment, source, capturesMetadata, published: revision.createdVersion }]
      })
      this.#readers.set(gatewayRoute, readers)
    }
    return readers
  }

  #sourcesOf({ revisionId }: Deployment): readonly NodeDocument[] {
    const document = deployedDocument(this.#options.configuration, revisionId)
    return document?.nodes.filter(({ kind, gateway_route_id: id }) => kind === 'source' && id) ?? []
  }

  /** Whether the next record of the partition meets a deployment of the pipeline that reads the gateway route. */
  #isRead(gatewayRoute: string, { deployment }: Reader): boolean {
    const known = this.#known.get(deployment.id)
    return known === undefined || this.#isInEffect(known) || known.before.has(gatewayRoute)
  }

  #sinceNumber(gatewayRoute: string, { deployment }: Reader): number {
    return this.#known.get(deployment.id)?.before.get(gatewayRoute) ?? deployment.value.number
  }

  #isInEffect({ deployment: { id, value }, isReported }: KnownDeployment): boolean {
    const { inEffect } = this.#options
    if (inEffect === undefined || isReported) return true
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
      this.#known.set(deployment.id, { deployment, sinceMs, before, reporting: undefined, isReported: false })
    }
    return fresh
  }

  /** Routes that are read whichever earlier deployment is in effect: an unknown one may be a pause. */
  #routesBefore({ id, value: { number } }: Entity<Deployment>): ReadonlyMap<string, number> {
    const last = this.#known.get(id)
    const { value } = last?.deployment ?? {}
    if (last === undefined || value?.number !== number - 1 || !takesEvents(value)) return new Map()
    const isInEffect = this.#isInEffect(last)
    const ids = this.#sourcesOf(value).map(source => source.gateway_route_id as string)
    return new Map(
      ids
        .filter(gatewayRoute => isInEffect || last.before.has(gatewayRoute))
        .map(gatewayRoute => [gatewayRoute, last.before.get(gatewayRoute) ?? value.number]),
    )
  }
}

/** Whether events of a route that the pipeline reads are taken: it handles them, or its pause drops them. */
function isTaking({ deployment }: Reader): boolean {
  return takesEvents(deployment.value)
}
