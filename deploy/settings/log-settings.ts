import { setting } from './declaration.ts'
import { byteSize, integer } from './setting-values.ts'

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
    'Maximum size of the log. Default: the smaller of 20 GiB and half of the free disk space.',
    byteSize,
    undefined,
  ),
  logRetentionHours: setting(
    'WEIR_LOG_RETENTION_HOURS',
    'Hours for which stored records stay on the log for preview and replay.',
    integer(1, 24 * 365),
    24,
  ),
} as const
