import type { LookupAddress } from 'node:dns'
import { lookup } from 'node:dns/promises'
import type { NetworkAddress } from '../../engine/outbound/outbound.ts'
import type { ResolvedAddress } from '../../engine/outbound/outbound-rules.ts'

/** Resolver of names: all addresses of a host. */
export type Resolve = (host: string) => Promise<readonly LookupAddress[]>

/** Addresses of the servers that a process uses. A name that stops resolving keeps its last addresses. */
export class ResolvedServers {
  readonly #servers: readonly NetworkAddress[]
  readonly #resolve: Resolve
  readonly #addresses = new Map<string, readonly LookupAddress[]>()
  #resolving: Promise<void> | undefined

  constructor(servers: readonly NetworkAddress[], resolve: Resolve = host => lookup(host, { all: true })) {
    this.#servers = servers
    this.#resolve = resolve
  }

  /** The last known addresses. */
  get all(): readonly ResolvedAddress[] {
    return this.#servers.flatMap(({ host, port }) =>
      (this.#addresses.get(host) ?? []).map(({ address }) => ({ address, port })),
    )
  }

  /** Resolves the names again. Simultaneous calls share the lookups. */
  async refresh(): Promise<void> {
    this.#resolving ??= this.#lookUp().finally(() => {
      this.#resolving = undefined
    })
    await this.#resolving
  }

  /** One after the other: lookups use threads with which the log writes. */
  async #lookUp(): Promise<void> {
    for (const host of new Set(this.#servers.map(server => server.host))) {
      const found = await this.#resolve(host).catch(() => undefined)
      if (found !== undefined) this.#addresses.set(host, found)
    }
  }
}
