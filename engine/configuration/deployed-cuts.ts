import type { Cut } from '../../schemas/log/control.ts'
import type { AddressedCut, DeployedConfiguration } from '../../schemas/log/deployed-configuration.ts'
import type { Catalogue } from '../nodes/contract/catalogue.ts'
import type { ChangedEntity, ConfigurationLog } from './configuration-log.ts'
import type { CutOrigin } from './cuts/entity-cuts.ts'
import { ENTITY_CUTS } from './cuts/registry.ts'
import { spreads } from './entities.ts'
import type { AnyKind, Entity } from './kind.ts'
import { begunQuarantine } from './kinds/quarantine.ts'

/** The cuts that the configuration has for partitions. */
export function deployedConfiguration(catalogue: Catalogue, log: ConfigurationLog): DeployedConfiguration {
  return new ConfigurationCuts(catalogue, log)
}

class ConfigurationCuts implements DeployedConfiguration {
  readonly #origin: CutOrigin
  readonly #log: ConfigurationLog
  /** Known cuts by entity: an entity is replaced when it changes, so its cut can be kept with it. */
  readonly #known = new WeakMap<object, Cut>()

  constructor(catalogue: Catalogue, log: ConfigurationLog) {
    this.#origin = { catalogue, log }
    this.#log = log
  }

  accounts(): Iterable<string> {
    const all = new Set<string>()
    for (const { kind } of ENTITY_CUTS)
      for (const entity of this.#log.list(kind)) all.add(accountOf(kind, entity))
    return all
  }

  *cuts(account?: string): Iterable<AddressedCut> {
    for (const { kind, cutOf } of ENTITY_CUTS) {
      for (const entity of this.#entities(kind, account)) {
        let cut = this.#known.get(entity)
        if (cut === undefined) {
          cut = cutOf(entity, this.#origin)
          this.#known.set(entity, cut)
        }
        yield { account: accountOf(kind, entity), cut }
      }
    }
  }

  isSpread(account: string): boolean {
    return this.#log.get(spreads, account) !== undefined
  }

  get anySpread(): boolean {
    return this.#log.list(spreads).length > 0
  }

  async begunQuarantine(topic: string, partition: number): Promise<string | undefined> {
    await this.#log.catchUp()
    const begun = begunQuarantine(this.#log, topic, partition)
    return begun && `weir quarantine ${topic}/${partition}/${begun.offset} ${begun.node}`
  }

  subscribe(listener: (accounts: ReadonlySet<string>) => void): () => void {
    return this.#log.subscribe(changed => {
      const concerned = new Set(changed.flatMap(change => this.#concernedBy(change)))
      if (concerned.size > 0) listener(concerned)
    })
  }

  #entities(kind: AnyKind, account: string | undefined): readonly Entity<never>[] {
    if (account === undefined || kind.account !== undefined) return this.#log.list(kind, account)
    const own = this.#log.get(kind, account)
    return own === undefined ? [] : [own]
  }

  /** @returns the account of an entity that partitions must know of */
  #concernedBy({ kind: name, id }: ChangedEntity): string[] {
    const kind = ENTITY_CUTS.find(({ kind }) => kind.name === name)?.kind
    const entity = kind && this.#log.get(kind, id)
    return kind === undefined || entity === undefined ? [] : [accountOf(kind, entity)]
  }
}

/** An entity of a kind without accounts is one itself. */
function accountOf({ account }: AnyKind, { id, value }: Entity<never>): string {
  return account?.(value) ?? id
}
