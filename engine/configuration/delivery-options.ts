import { isDeepStrictEqual } from 'node:util'
import type { TObject } from 'typebox'
import type { JsonObject } from '../../schemas/json.ts'
import type { NodeDocument, PipelineDocument } from '../../schemas/pipeline.ts'
import { jsonText } from '../json/json-text.ts'
import type { Catalogue } from '../nodes/contract/catalogue.ts'
import { replaceSecrets } from '../nodes/contract/secret.ts'
import { SECOND_MS } from '../times/duration.ts'
import { deployedDocument } from './deployed-document.ts'
import { deadLetterSettings, deployments, type Revision, revisions } from './entities.ts'
import type { ConfigurationView, Entity } from './kind.ts'
import { DEFAULT_DEAD_LETTER_SETTINGS } from './kinds/dead-letter-settings.ts'

/** Node of a revision that handed events over. */
interface HandingNode {
  readonly lane: { readonly account: string; readonly pipeline: string; readonly node: string }
  /** Version of the cut of the revision. */
  readonly version: number
  /** Canonical type. */
  readonly type: string
  /** JSON of the options that the fold read. */
  readonly options: string
}

/** Value of a secret option that says where events go. */
const ADDRESS = /^[a-z][a-z0-9+.-]*:\/\//i

/** Reads the options with which senders of the outbox send, and the settings of pipelines for their deliveries. */
export class DeliveryOptions {
  readonly #catalogue: Catalogue
  readonly #configuration: ConfigurationView

  constructor(catalogue: Catalogue, configuration: ConfigurationView) {
    this.#catalogue = catalogue
    this.#configuration = configuration
  }

  /**
   * Options of a node: those of the revision of its events, with the secrets of the deployed one if that sends to the same place
   * as the same user. If the revision is no longer kept, the next one whose options mean the same for the fold counts.
   */
  optionsOf(handing: HandingNode) {
    const deployment = this.#configuration.get(deployments, handing.lane.pipeline)?.value
    if (deployment === undefined || deployment.revisionId === null)
      return { missing: 'later' as const, message: 'The pipeline is deleted' }
    const declaration = this.#catalogue.destinationOf(handing.type)
    const own = this.#ownOptions(handing)
    if (declaration === undefined || own === undefined) {
      const message = 'The revision that handed the event over is no longer kept'
      return { missing: 'never' as const, message }
    }
    const deployed = this.#nodeIn(deployedDocument(this.#configuration, deployment.revisionId), handing)
    const config = deployed?.user_config
    const isRenewed = config !== undefined && isSameTarget(declaration.config, config, own)
    return { config: isRenewed ? config : own }
  }

  /** Present settings of a pipeline. */
  settingsOf(pipeline: string) {
    const { enabled, giveUpAfterS } =
      this.#configuration.get(deadLetterSettings, pipeline)?.value ?? DEFAULT_DEAD_LETTER_SETTINGS
    return {
      giveUpAfterMs: giveUpAfterS === null ? null : giveUpAfterS * SECOND_MS,
      keepsLetters: enabled,
    }
  }

  #nodeIn(document: PipelineDocument | undefined, { lane, type }: HandingNode): NodeDocument | undefined {
    return document?.nodes.find(
      each => each.kind === 'sink' && each.id === lane.node && this.#mayRunAs(each, type),
    )
  }

  /** Whether a node runs under a type, here or elsewhere. */
  #mayRunAs({ kind, type: sent }: NodeDocument, type: string): boolean {
    const running = [false, true].map(isElsewhere =>
      this.#catalogue.runningTypeOf({ kind, type: sent }, isElsewhere),
    )
    return running.some(each => this.#catalogue.destinationOf(each)?.type === type)
  }

  #ownOptions(handing: HandingNode): JsonObject | undefined {
    const { lane, version } = handing
    const kept = this.#configuration
      .list(revisions, lane.account)
      .filter(({ value }) => value.pipeline === lane.pipeline)
      .sort((one, other) => deploymentOf(one) - deploymentOf(other))
    const own = kept.findLast(each => deploymentOf(each) <= version)
    if (own !== undefined) return this.#nodeIn(own.value.document, handing)?.user_config
    for (const { value } of kept) {
      const sink = this.#nodeIn(value.document, handing)
      if (sink === undefined) continue
      const inFold = this.#catalogue.foldOptionsOf(sink, value.document)
      if (jsonText(inFold) === handing.options) return sink.user_config
    }
    return undefined
  }
}

/** Number of the deployment that published a revision. */
function deploymentOf({ value }: Entity<Revision>): number {
  return value.deployment ?? value.document.revision
}

/** Whether options differ at most in credentials, so that the same server knows the same user by both. */
function isSameTarget(schema: TObject, one: JsonObject, other: JsonObject): boolean {
  return isDeepStrictEqual(targetOf(schema, one), targetOf(schema, other))
}

function targetOf(schema: TObject, config: JsonObject) {
  return replaceSecrets(schema, config, secret =>
    typeof secret === 'string' && ADDRESS.test(secret) ? secret : undefined,
  )
}
