import type { Clock } from '../engine/clock/clock.ts'
import type { ConfigurationLog } from '../engine/configuration/configuration-log.ts'
import { DeliveryOptions } from '../engine/configuration/delivery-options.ts'
import { deployments } from '../engine/configuration/entities.ts'
import { DestinationRemote } from '../engine/delivery/destinations/destination-remote.ts'
import type { Entropy } from '../engine/entropy/entropy.ts'
import type { PartitionedTopics } from '../engine/log/partitioned-topics.ts'
import type { Catalogue } from '../engine/nodes/contract/catalogue.ts'
import type { KafkaOutbound } from '../engine/outbound/kafka-exchange.ts'
import type { Outbound } from '../engine/outbound/outbound.ts'
import type { OutboxPorts } from '../engine/worker/outbox/outbox-workers.ts'

export interface OutboxParts extends Pick<PartitionedTopics, 'outbox' | 'deadLetters'> {
  readonly configuration: ConfigurationLog
  readonly outbound: Pick<Outbound, 'request'> & Partial<Pick<Outbound, 'connect'>> & KafkaOutbound
  readonly catalogue: Catalogue
  readonly clock: Clock
  readonly entropy: Entropy
  /** See `OutboxPorts`. */
  readonly memoryBytes?: number | undefined
  readonly maxBytes?: number | undefined
}

/** The outbox of an installation. Its senders read addresses and credentials from the configuration. */
export function outboxPorts(parts: OutboxParts): OutboxPorts {
  const { outbox, deadLetters, configuration, catalogue, outbound, clock, entropy } = parts
  const { memoryBytes, maxBytes } = parts
  const options = new DeliveryOptions(catalogue, configuration)
  const { logId } = outbox.topic
  const remote = new DestinationRemote({ catalogue, options, outbound, clock, logId })
  const settingsOf: OutboxPorts['settingsOf'] = (_account, pipeline) => options.settingsOf(pipeline)
  const watchPipelines: OutboxPorts['watchPipelines'] = listener => {
    configuration.subscribe(changed => {
      for (const { kind, id } of changed) if (kind === deployments.name) listener(id)
    })
  }
  return { ...outbox, deadLetters, remote, settingsOf, entropy, memoryBytes, maxBytes, watchPipelines }
}
