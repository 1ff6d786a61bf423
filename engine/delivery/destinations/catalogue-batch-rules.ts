import type { JsonObject } from '../../../schemas/json.ts'
import { FoldError } from '../../fold/fold-error.ts'
import { parseJson } from '../../json/json-text.ts'
import type { Catalogue } from '../../nodes/contract/catalogue.ts'
import type { BatchRules, BatchRulesSource } from '../fold/batch-rules.ts'

/** Rules that are kept: those of the nodes in use, and of a few earlier revisions. */
const MOST_KEPT = 1_000

/** The rules of the destinations of a catalogue. */
export class CatalogueBatchRules implements BatchRulesSource {
  readonly #catalogue: Catalogue
  /** Rules that were made, by type and options. */
  readonly #kept = new Map<string, BatchRules>()

  constructor(catalogue: Catalogue) {
    this.#catalogue = catalogue
  }

  /** @throws FoldError when this program has no destination of the type that sends requests */
  rulesOf(type: string, options: string): BatchRules {
    const key = `${type} ${options}`
    const kept = this.#kept.get(key)
    if (kept !== undefined) return kept
    const rules = this.#newRules(type, options)
    if (this.#kept.size === MOST_KEPT) this.#kept.clear()
    this.#kept.set(key, rules)
    return rules
  }

  #newRules(type: string, text: string): BatchRules {
    const destination = this.#catalogue.destinationOf(type)
    if (destination?.delivery !== 'requests' || destination.batching === undefined)
      throw new FoldError(`no destination of type "${type}" sends requests here: start a newer program`)
    const { batching } = destination
    const options = parseJson(text) as JsonObject
    const { bytes, events = Number.POSITIVE_INFINITY, ageMs } = batching.bounds(options)
    return {
      limits: { maxBytes: bytes, maxEvents: events, maxAgeMs: ageMs },
      splitOf: event => batching.splitOf?.(event, options) ?? '',
      bytesOf: event => batching.sizeOf(event, options),
    }
  }
}
