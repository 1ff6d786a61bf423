import { DELIVERY_MEMORY_BYTES } from '../../engine/delivery/sending/delivery-memory.ts'
import { setting } from './declaration.ts'
import { byteSize, integer } from './setting-values.ts'

/** Default for a log in Kafka, whose topics have no limit of their own. */
const OUTBOX_MAX_BYTES = 20 * 1024 ** 3

/** Settings of the log, whether embedded or in Kafka. */
export const LOG_SETTINGS = {
  partitions: setting(
    'WEIR_PARTITIONS',
    'Number of partitions of a new log; it cannot be changed later.',
    integer(1, 4096),
    4,
  ),
  logMaxBytes: setting(
    'WEIR_LOG_MAX_BYTES',
    'Maximum size of the log; lines may use at most 80 % of it. Default: the smaller of 20 GiB and half of the free disk space.',
    byteSize,
    undefined,
  ),
  logRetentionHours: setting(
    'WEIR_LOG_RETENTION_HOURS',
    'Hours for which stored records stay on the log for preview and replay.',
    integer(1, 24 * 365),
    24,
  ),
  deliveryMemoryBytes: setting(
    'WEIR_DELIVERY_MEMORY',
    'Maximum number of bytes that a process holds of events that it reads to send them to other systems, for all destinations together. Requests beyond it wait.',
    byteSize,
    DELIVERY_MEMORY_BYTES as number | undefined,
  ),
  outboxMaxBytes: setting(
    'WEIR_OUTBOX_MAX_BYTES',
    'Maximum size of the records that a partition of weir.outbox on Kafka keeps for destinations that are away. Beyond it their oldest events are given up.',
    byteSize,
    OUTBOX_MAX_BYTES as number | undefined,
  ),
} as const
