import type { KafkaOutcome, KafkaProduction } from '../../../outbound/kafka-exchange.ts'
import type { EncodedRequest, Verdict } from '../../contract/define-destination.ts'
import { deliveryFailed } from '../../http/http-verdict.ts'

/** The cluster does not accept the login, or the topic is not allowed for it: decisions of people change that. */
const RESTING: ReadonlySet<string> = new Set([
  ...['SASL_AUTHENTICATION_FAILED', 'UNSUPPORTED_SASL_MECHANISM', 'ILLEGAL_SASL_STATE'],
  ...['TOPIC_AUTHORIZATION_FAILED', 'CLUSTER_AUTHORIZATION_FAILED'],
])
/** One of the records may be the reason. */
const DIVIDED: ReadonlySet<string> = new Set([
  ...['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE', 'INVALID_TIMESTAMP', 'INVALID_RECORD'],
])
/** Repeats would have the same answer. */
const FINAL: ReadonlySet<string> = new Set([
  ...['INVALID_TOPIC_EXCEPTION', 'UNSUPPORTED_FOR_MESSAGE_FORMAT', 'UNSUPPORTED_VERSION', 'POLICY_VIOLATION'],
  'UNSUPPORTED_COMPRESSION_TYPE',
])

/** Judges the answer of a cluster: every error that may pass is repeated. */
export function recordsVerdict(
  outcome: KafkaOutcome,
  { events }: EncodedRequest<KafkaProduction>,
): Verdict<'E_DELIVERY_FAILED'> {
  if ('failure' in outcome) {
    if (outcome.failure === 'DENIED')
      return deliveryFailed('Connections to a broker of the cluster are not allowed')
    return outcome.failure === 'INVALID' ? deliveryFailed('The records cannot be written') : 'again'
  }
  const { error } = outcome
  if (error === null) return 'delivered'
  if (RESTING.has(error)) return 'rest'
  if (events > 1 && DIVIDED.has(error)) return 'halve'
  return DIVIDED.has(error) || FINAL.has(error) ? deliveryFailed(`The cluster answered ${error}`) : 'again'
}
