import type { JsonObject } from '../../../schemas/json.ts'
import type { Clock } from '../../clock/clock.ts'
import { untilAborted } from '../../clock/until-aborted.ts'
import { Event } from '../../event/event.ts'
import {
  type EncodedRequest,
  HTTP_TRANSPORT,
  type SendingDestination,
} from '../../nodes/contract/define-destination.ts'
import { secretValues } from '../../nodes/contract/secret.ts'
import { batchToCheck, emptiedRequest } from '../../nodes/http/check-request.ts'
import { keptAnswer } from '../../outbound/echoed-secrets.ts'
import type { HttpRequest } from '../../outbound/http-exchange.ts'
import type { KafkaOutbound, KafkaOutcome } from '../../outbound/kafka-exchange.ts'
import type { Outbound } from '../../outbound/outbound.ts'
import { SECOND_MS } from '../../times/duration.ts'
import { type Carried, transportsOf } from './transports.ts'

/** Time for an answer. A destination can take longer; one that somebody waits for should not. */
const PATIENCE_MS = 10 * SECOND_MS
const REFUSALS: ReadonlySet<number> = new Set([401, 403, 407])
/** Errors of Kafka about a login. */
const REFUSAL = /AUTHENTICATION|AUTHORIZATION|SASL/

/**
 * Result of a check. `silent`: there was no answer of the protocol. `refused`: the server refuses the credentials, or the
 * empty request. `answered`: any other answer.
 */
export interface CheckOutcome {
  readonly kind: 'accepted' | 'answered' | 'refused' | 'silent'
  /** HTTP status; null: there was none, or the protocol has none. */
  readonly status: number | null
  /** Name of the error of Kafka, or the beginning of the answer's text, without secrets; empty: there is none. */
  readonly text: string
}

const SILENT: CheckOutcome = { kind: 'silent', status: null, text: '' }

/** Sends empty requests to the systems that destinations name, to show whether they answer. Nothing is stored there. */
export class DestinationChecks {
  readonly #transports: ReturnType<typeof transportsOf>

  constructor(outbound: Pick<Outbound, 'request'> & KafkaOutbound, clock: Clock) {
    this.#transports = transportsOf(outbound, clock)
  }

  /**
   * Sends one request.
   *
   * @param config all options, with which a pipeline could be published
   * @param owner account whose connections carry the request
   * @returns undefined if no request can be made from these options alone
   */
  async check(
    destination: SendingDestination,
    config: JsonObject,
    owner: string,
  ): Promise<CheckOutcome | undefined> {
    const transport = this.#transports.get(destination.transport)
    const request = destination.checkRequest?.(config) ?? emptyRequest(destination, config)
    if (transport === undefined || request === undefined) return undefined
    const signal = AbortSignal.timeout(PATIENCE_MS)
    try {
      const carried = await untilAborted(transport(request, owner, signal), signal)
      return outcomeOf(carried, secretValues(destination.config, config))
    } catch (error) {
      if (signal.aborted) return SILENT
      throw error
    }
  }
}

/** A request for an event of an example, without its body. */
function emptyRequest(destination: SendingDestination, config: JsonObject): HttpRequest | undefined {
  if (destination.transport !== HTTP_TRANSPORT) return undefined
  const messages = destination.examples.flatMap(({ events }) => events)
  for (const message of messages) {
    const event = Event.of(message, {}, new Date(0).toISOString())
    if (destination.neverSent(event, config) !== undefined) continue
    const encoded = destination.encode(batchToCheck(event), config)
    const request = emptiedRequest(encoded as Iterable<EncodedRequest<HttpRequest>>)
    if (request !== undefined) return request
  }
  return undefined
}

function outcomeOf({ outcome, status, text }: Carried, secrets: readonly string[]): CheckOutcome {
  if ((outcome as { readonly failure?: unknown }).failure !== undefined) return SILENT
  if (status !== null) return { kind: kindOf(status), status, text: keptAnswer(text, secrets) }
  const { error = null } = outcome as Partial<Extract<KafkaOutcome, { error: unknown }>>
  if (error === null) return { kind: 'accepted', status, text: '' }
  return { kind: REFUSAL.test(error) ? 'refused' : 'answered', status, text: error }
}

function kindOf(status: number): CheckOutcome['kind'] {
  if (REFUSALS.has(status)) return 'refused'
  return status >= 200 && status < 300 ? 'accepted' : 'answered'
}
