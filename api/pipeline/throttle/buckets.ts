import type { Clock } from '../../../engine/clock/clock.ts'
import { spreads } from '../../../engine/configuration/entities.ts'
import type { ConfigurationView } from '../../../engine/configuration/kind.ts'
import { type BucketRule, freeFrom } from '../../../engine/nodes/contract/buckets.ts'
import type { Catalogue } from '../../../engine/nodes/contract/catalogue.ts'
import { MemoryUnavailableError, type PresentMemory } from '../../../engine/replay/present-memory.ts'
import {
  type PresentBucket,
  type PresentThrottle,
  ThrottleBuckets,
} from '../../../engine/replay/throttle-buckets.ts'
import {
  type BucketRecord,
  type BucketTotals,
  MAX_SHOWN_RUNS,
  type OneBucketRecord,
} from '../../../schemas/http/pipeline/throttle-api.ts'
import type { Caller } from '../../auth/caller.ts'
import { ApiError, unavailable } from '../../http/errors.ts'
import { isoTime } from '../../http/iso-time.ts'
import type { Pipelines } from '../pipelines.ts'
import { type ThrottlePath, throttleIn } from './throttle-node.ts'

export interface BucketPorts {
  readonly catalogue: Catalogue
  readonly configuration: ConfigurationView
  readonly clock: Clock
  readonly memory: PresentMemory
}

export interface BucketList {
  readonly totals: BucketTotals
  readonly buckets: BucketRecord[]
}

/**
 * Buckets of throttles, with the number of events they let pass. Every method throws ApiError:
 *
 * - 404 for a node of another account,
 * - 400 for a node that is not a throttle,
 * - 409 when it is not deployed,
 * - 503 when its worker does not answer in time.
 */
export class Buckets {
  readonly #pipelines: Pipelines
  readonly #ports: BucketPorts

  constructor(pipelines: Pipelines, ports: BucketPorts) {
    this.#pipelines = pipelines
    this.#ports = ports
  }

  /** Buckets that let the most events pass, busiest first. */
  async busiest(caller: Caller, path: ThrottlePath, limit: number): Promise<BucketList> {
    const { throttle, rule } = await this.#look(caller, path, (buckets, nowMs) =>
      buckets.busiest(nowMs, limit),
    )
    const { runs, buckets, bytes, joinedPasses, keyBytes } = throttle.totals
    return {
      totals: {
        at: isoTime(throttle.atMs),
        threshold: rule.limit,
        window_ms: rule.windowMs,
        buckets,
        runs,
        joined_passes: joinedPasses,
        bytes,
        key_bytes: keyBytes,
      },
      buckets: throttle.buckets.map(bucket => bucketRecord(bucket, rule)),
    }
  }

  /** @param key null: the bucket of events without a key */
  async one(caller: Caller, path: ThrottlePath, key: string | null): Promise<OneBucketRecord> {
    const { throttle, rule } = await this.#look(caller, path, (buckets, nowMs) =>
      buckets.one(nowMs, key ?? undefined),
    )
    const [bucket] = throttle.buckets
    if (bucket === undefined) throw notRunning()
    return {
      ...bucketRecord(bucket, rule),
      runs: bucket.passes.length,
      passes: bucket.passes
        .slice(-MAX_SHOWN_RUNS)
        .map(({ timeMs, count }) => ({ at: isoTime(timeMs), count })),
    }
  }

  async #look(
    caller: Caller,
    { pipeline, node }: ThrottlePath,
    ask: (buckets: ThrottleBuckets, nowMs: number) => Promise<PresentThrottle>,
  ): Promise<{ readonly throttle: PresentThrottle; readonly rule: BucketRule }> {
    const { configuration, clock, memory } = this.#ports
    const state = this.#pipelines.get(caller, pipeline)
    if (!throttleIn(this.#ports, state, node).runs) throw notRunning()
    const { account } = state.pipeline.value
    const isSpread = configuration.get(spreads, account) !== undefined
    const buckets = new ThrottleBuckets(memory, { account, pipeline, node }, isSpread)
    try {
      const throttle = await ask(buckets, clock.wallMs())
      if (throttle.rule === undefined) throw notRunning()
      return { throttle, rule: throttle.rule }
    } catch (error) {
      throw error instanceof MemoryUnavailableError ? unavailable(error.message) : error
    }
  }
}

function notRunning(): ApiError {
  return new ApiError(409, 'ENOTPUBLISHED', 'The throttle does not run: publish the pipeline first')
}

function bucketRecord(
  { kind, key, count, passes, exemptUntilMs }: PresentBucket,
  rule: BucketRule,
): BucketRecord {
  const oldest = passes[0]
  const newest = passes.at(-1)
  return {
    bucket: kind,
    key: key === undefined || key.isDigest ? null : key.text,
    key_sha256: key?.isDigest ? key.text : null,
    passed: count,
    oldest_at: oldest === undefined ? null : isoTime(oldest.timeMs),
    newest_at: newest === undefined ? null : isoTime(newest.timeMs),
    free_from: count < rule.limit ? null : freeFrom(passes, rule),
    exempt_until: exemptUntilMs === undefined ? null : isoTime(exemptUntilMs),
  }
}
