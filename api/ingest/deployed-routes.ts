import type { Clock } from '../../engine/clock/clock.ts'
import type { ConfigurationLog } from '../../engine/configuration/configuration-log.ts'
import type { CutsInEffect } from '../../engine/configuration/deployed.ts'
import { type Deployment, deployments, revisions } from '../../engine/configuration/entities.ts'
import type { Entity } from '../../engine/configuration/fold.ts'
import type { NodeDocument } from '../../schemas/pipeline.ts'

/** A partition that has not taken a deployment by then has lost its worker; what is sent is kept for when it is back. */
const PATIENCE_MS = 10_000

/** What becomes of what is sent to a gateway route now. */
export type RouteState =
  | {
      readonly kind: 'runs'
      /** The source that was published last: its options say how data is read. */
      readonly source: NodeDocument
      /** Whether any source of the route wants what is known of requests; those that do not leave it out. */
      readonly capturesMetadata: boolean
      /** Ids of the pipelines that read it. */
      readonly readers: readonly string[]
    }
  /** Every pipeline that would read it is paused. */
  | { readonly kind: 'paused' }
  /** A pipeline that reads it has just been deployed, and its partition does not know yet. */
  | { readonly kind: 'coming' }
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
  /** When this process learned of it. */
  readonly sinceMs: number
  /** Routes that are read until it is in effect. */
  readonly before: readonly string[]
}

export interface DeployedRoutesOptions {
  readonly configuration: ConfigurationLog
  readonly clock: Clock
  /** Absent where nobody can tell: then what is deployed holds. */
  readonly inEffect?: CutsInEffect | undefined
}

/**
 * Which gateway routes are read, as this process knows it from the configuration. A deployment that is new counts when the
 * next record of its partition meets it: what is taken before that, nobody would read.
 */
export class DeployedRoutes {
  readonly #options: DeployedRoutesOptions
  readonly #readers = new Map<string, readonly Reader[]>()
  /** By pipeline. */
  readonly #known = new Map<string, KnownDeployment>()

  constructor(options: DeployedRoutesOptions) {
    this.#options = options
    this.#learn()
    options.configuration.subscribe(() => {
      this.#readers.clear()
      for (const deployment of this.#learn()) void this.#await(deployment)
    })
  }

  stateOf(account: string, route: string): RouteState {
    const readers = this.#readersOf(account, route)
    if (readers.length === 0) return { kind: 'not deployed' }
    const running = readers.filter(({ deployment }) => deployment.value.paused !== true)
    if (running.length === 0) return { kind: 'paused' }
    const inEffect = running.filter(reader => this.#isRead(route, reader))
    if (inEffect.length === 0) return { kind: 'coming' }
    const { source } = inEffect.reduce((last, each) => (each.published > last.published ? each : last))
    return {
      kind: 'runs',
      source,
      capturesMetadata: inEffect.some(reader => reader.capturesMetadata),
      readers: inEffect.map(({ deployment }) => deployment.id),
    }
  }

  /** Where no engine runs, a cut is seen only by those who look for it in time. */
  async #await({ id, value }: Entity<Deployment>): Promise<void> {
    if (value.paused === true || this.#sourcesOf(value).length === 0) return
    try {
      await this.#options.inEffect?.whenInEffect(value.account, 'pipeline', id, value.number)
    } catch {
      // Whoever cannot look takes the deployment for one that holds, after a while.
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
    return known === undefined || this.#isInEffect(known) || known.before.includes(route)
  }

  #isInEffect({ deployment: { id, value }, sinceMs }: KnownDeployment): boolean {
    const { inEffect, clock } = this.#options
    if (inEffect === undefined) return true
    const version = inEffect.cutVersion(value.account, 'pipeline', id) ?? 0
    return version >= value.number || clock.monotonicMs() - sinceMs >= PATIENCE_MS
  }

  /** @returns deployments that this process did not know */
  #learn(): Entity<Deployment>[] {
    const { configuration, clock } = this.#options
    const fresh = configuration
      .list(deployments)
      .filter(({ id, value }) => this.#known.get(id)?.deployment.value.number !== value.number)
    for (const deployment of fresh) {
      const before = this.#routesUntil(this.#known.get(deployment.id))
      this.#known.set(deployment.id, { deployment, sinceMs: clock.monotonicMs(), before })
    }
    return fresh
  }

  /** Routes that are read whichever of the deployments up to that one is in effect. */
  #routesUntil(known: KnownDeployment | undefined): readonly string[] {
    if (known === undefined || known.deployment.value.paused === true) return []
    const routes = this.#sourcesOf(known.deployment.value).map(source => source.gateway_route_id as string)
    return this.#isInEffect(known) ? routes : routes.filter(route => known.before.includes(route))
  }
}
