import type { Clock } from '../../../engine/clock/clock.ts'
import {
  type ConfigurationLog,
  create,
  remove,
  replace,
} from '../../../engine/configuration/configuration-log.ts'
import { type Exemption, exemptionKey, exemptions } from '../../../engine/configuration/entities.ts'
import type { Entity } from '../../../engine/configuration/kind.ts'
import type { Catalogue } from '../../../engine/nodes/contract/catalogue.ts'
import { HOUR_MS, MINUTE_MS } from '../../../engine/times/duration.ts'
import {
  type ExemptionRecord,
  type ExemptionWrite,
  MAX_EXEMPTION_MINUTES,
} from '../../../schemas/http/pipeline/throttle-api.ts'
import type { CutsInEffect } from '../../../schemas/log/deployed-configuration.ts'
import type { Caller } from '../../auth/caller.ts'
import { notFound } from '../../http/errors.ts'
import { givenTimeMs, isoTime } from '../../http/iso-time.ts'
import { ProblemsError } from '../../http/problems-error.ts'
import type { DeployedProcessor } from '../deployed-processor.ts'
import type { Pipelines } from '../pipelines.ts'
import { type ThrottlePath, throttleIn } from './throttle-node.ts'

/** Time from the end of an exemption to its removal from the configuration, since clocks of machines differ. */
const KEPT_MS = HOUR_MS

export interface ExemptionPorts {
  readonly catalogue: Catalogue
  readonly configuration: ConfigurationLog
  readonly clock: Clock
  readonly inEffect?: CutsInEffect | undefined
}

/**
 * Keys that a throttle exempts for a time. Every method throws ApiError: 404 for a node of another account, and 400 for a
 * node that is not a throttle.
 */
export class ExemptionService {
  readonly #pipelines: Pipelines
  readonly #ports: ExemptionPorts

  constructor(pipelines: Pipelines, ports: ExemptionPorts) {
    this.#pipelines = pipelines
    this.#ports = ports
  }

  /** Exemptions in force, oldest first. */
  list(caller: Caller, path: ThrottlePath): ExemptionRecord[] {
    const { configuration, clock } = this.#ports
    const state = this.#pipelines.get(caller, path.pipeline)
    throttleIn(this.#ports, state, path.node)
    const nowMs = clock.wallMs()
    return configuration
      .list(exemptions, state.pipeline.value.account)
      .filter(({ value }) => value.pipeline === path.pipeline && value.node === path.node)
      .filter(({ value }) => value.untilMs > nowMs)
      .map(each => this.#record(each))
  }

  /**
   * Sets an exemption, which replaces an earlier one of the key. The answer is sent once the next line meets it, if this
   * process can see that.
   */
  async set(caller: Caller, path: ThrottlePath, write: ExemptionWrite): Promise<ExemptionRecord> {
    const { configuration, clock } = this.#ports
    const nowMs = clock.wallMs()
    const untilMs = endOf(write, nowMs)
    const { key } = write
    const id = exemptionKey(path.pipeline, path.node, key)
    await this.#pipelines.changing(caller, path.pipeline, state => {
      assertHasKey(throttleIn(this.#ports, state, path.node), key)
      const { account } = state.pipeline.value
      const before = configuration.get(exemptions, id)
      const lastMs = Math.max(untilMs, before?.value.lastMs ?? 0)
      const value: Exemption = {
        account,
        ...path,
        key,
        untilMs,
        lastMs,
        reason: write.reason ?? '',
        createdAtMs: nowMs,
      }
      const over = configuration
        .list(exemptions, account)
        .filter(each => each.id !== id && each.value.lastMs + KEPT_MS <= nowMs)
      const change = before === undefined ? create(exemptions, id, value) : replace(exemptions, before, value)
      return [...over.map(each => remove(exemptions, each)), change]
    })
    return this.#whenInEffect(id)
  }

  /** Ends an exemption early. @throws ApiError 404, also when it is already over */
  async end(caller: Caller, path: ThrottlePath, key: string | null): Promise<ExemptionRecord> {
    const { configuration, clock } = this.#ports
    const id = exemptionKey(path.pipeline, path.node, key)
    await this.#pipelines.changing(caller, path.pipeline, state => {
      throttleIn(this.#ports, state, path.node)
      const before = configuration.get(exemptions, id)
      if (before === undefined || before.value.untilMs <= clock.wallMs())
        throw notFound('The key is not exempt')
      return [replace(exemptions, before, { ...before.value, untilMs: 0 })]
    })
    return this.#whenInEffect(id)
  }

  async #whenInEffect(id: string): Promise<ExemptionRecord> {
    const { configuration, inEffect } = this.#ports
    const written = configuration.get(exemptions, id)
    if (written === undefined) throw notFound('The pipeline does not exist') // the pipeline was deleted in the meantime
    await inEffect?.whenInEffect(written.value.account, 'exemption', id, written.version)
    return this.#record(written)
  }

  #record({ id, version, value }: Entity<Exemption>): ExemptionRecord {
    const held = this.#ports.inEffect?.cutVersion(value.account, 'exemption', id)
    return {
      key: value.key,
      until: isoTime(value.untilMs),
      reason: value.reason,
      created_at: isoTime(value.createdAtMs),
      in_effect: held === undefined ? null : held >= version,
    }
  }
}

/** @throws ProblemsError unless exactly one of the two is given, and the end is near enough */
function endOf({ minutes, until }: ExemptionWrite, nowMs: number): number {
  if (minutes !== undefined && until !== undefined)
    throw new ProblemsError([{ instancePath: '/until', message: 'must NOT be sent together with minutes' }])
  if (minutes !== undefined) return nowMs + minutes * MINUTE_MS
  if (until === undefined)
    throw new ProblemsError([
      { instancePath: '', message: "must have required property 'minutes' or 'until'" },
    ])
  const untilMs = givenTimeMs(until, nowMs, 'future')
  if (untilMs <= nowMs)
    throw new ProblemsError([{ instancePath: '/until', message: 'must be in the future' }])
  if (untilMs > nowMs + MAX_EXEMPTION_MINUTES * MINUTE_MS)
    throw new ProblemsError([{ instancePath: '/until', message: 'must be within 7 days from now' }])
  return untilMs
}

/** @throws ProblemsError when the throttle has a single bucket without a key */
function assertHasKey({ node }: DeployedProcessor, key: string | null): void {
  if (key === null || (node.user_config.key_field ?? '') !== '') return
  throw new ProblemsError([{ instancePath: '/key', message: 'must be null: the throttle has no key_field' }])
}
