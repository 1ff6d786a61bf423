import type { ConfigurationLog } from '../../engine/configuration/configuration-log.ts'
import { entrancesOf } from '../../engine/configuration/deployed-document.ts'
import { deployments } from '../../engine/configuration/entities.ts'
import { pauseModeOf } from '../../engine/configuration/pause-mode.ts'
import type { Catalogue } from '../../engine/nodes/contract/catalogue.ts'
import { INGEST_ENTRANCE } from '../../schemas/log/line-batch.ts'

/** Accounts whose senders keep their lines, because a pipeline that reads log ingestion is paused and holds them. */
export class IngestionHolds {
  readonly #catalogue: Catalogue
  readonly #configuration: ConfigurationLog
  /** Answers by account, until a deployment changes: every request asks. */
  readonly #known = new Map<string, boolean>()

  constructor(catalogue: Catalogue, configuration: ConfigurationLog) {
    this.#catalogue = catalogue
    this.#configuration = configuration
    configuration.subscribe(changed => {
      if (changed.some(({ kind }) => kind === deployments.name)) this.#known.clear()
    })
  }

  isHeld(account: string): boolean {
    let isHeld = this.#known.get(account)
    if (isHeld === undefined) {
      isHeld = this.#isHeldBySome(account)
      this.#known.set(account, isHeld)
    }
    return isHeld
  }

  #isHeldBySome(account: string): boolean {
    const held = this.#configuration
      .list(deployments, account)
      .filter(({ value }) => pauseModeOf(value) === 'hold')
    return held.some(({ value }) =>
      entrancesOf(this.#catalogue, this.#configuration, value).has(INGEST_ENTRANCE),
    )
  }
}
