import type { Clock } from '../../../engine/clock/clock.ts'
import type { ConfigurationLog } from '../../../engine/configuration/configuration-log.ts'
import { deployedDocument } from '../../../engine/configuration/deployed-document.ts'
import {
  type DeadLetterSettings,
  deadLetterSettings,
  type Pipeline,
} from '../../../engine/configuration/entities.ts'
import type { Entity } from '../../../engine/configuration/kind.ts'
import { DEFAULT_DEAD_LETTER_SETTINGS } from '../../../engine/configuration/kinds/dead-letter-settings.ts'
import type { DeadLetter, LetterOrigin } from '../../../engine/fold/dead-letters/dead-letter.ts'
import type { LetterPlace } from '../../../engine/replay/dead-letters/dead-letter-index.ts'
import type {
  DeadLetterQueue,
  FoundLetter,
  LetterCondition,
} from '../../../engine/replay/dead-letters/dead-letter-queue.ts'
import { DAY_MS } from '../../../engine/times/duration.ts'
import {
  type DeadLetterFilter,
  type DeadLetterQuery,
  type DeadLetterRecord,
  type DeadLetterReplay,
  type DeadLetterReplayRecord,
  type DeadLetterSettingsRecord,
  type DeadLetterSettingsWrite,
  MAX_REPLAYED_LETTERS,
  type WaitingDeadLetters,
} from '../../../schemas/http/pipeline/dead-letter-api.ts'
import type { CutsInEffect } from '../../../schemas/log/deployed-configuration.ts'
import { lineId, parseLineId } from '../../../schemas/log/position.ts'
import type { TOPIC_NUMBERS } from '../../../schemas/log/topics.ts'
import type { Caller } from '../../auth/caller.ts'
import { accountOf } from '../../auth/permission.ts'
import { ApiError } from '../../http/errors.ts'
import { givenTimeMs, isoTime } from '../../http/iso-time.ts'
import { ProblemsError } from '../../http/problems-error.ts'
import { eventRecord } from '../event-record.ts'
import type { PipelineState, Pipelines } from '../pipelines.ts'
import { revisionDeployedBy, revisionsOf } from '../revisions/revision.ts'

const DEFAULT_LIMIT = 50
/** A page ends early when its events are that large. */
const PAGE_BYTES = 4 * 1024 * 1024

export interface DeadLetterPorts {
  readonly configuration: ConfigurationLog
  readonly clock: Clock
  readonly queue: DeadLetterQueue
  readonly inEffect?: CutsInEffect | undefined
}

export interface DeadLetterPage {
  readonly letters: DeadLetterRecord[]
  /** Cursor of the next page; null at the end. */
  readonly next: string | null
}

/** Events of pipelines that failed; every method throws ApiError 404 for a pipeline that is not the caller's. */
export class DeadLetters {
  readonly #pipelines: Pipelines
  readonly #ports: DeadLetterPorts

  constructor(pipelines: Pipelines, ports: DeadLetterPorts) {
    this.#pipelines = pipelines
    this.#ports = ports
  }

  settings(caller: Caller, id: string): DeadLetterSettingsRecord {
    const { enabled, retentionDays, giveUpAfterS } = this.#settingsOf(this.#pipelines.get(caller, id))
    return { enabled, retention_days: retentionDays, give_up_after_s: giveUpAfterS }
  }

  /** Changes the settings. It returns when events that fail from now on meet them, if this process can see that. */
  async change(
    caller: Caller,
    id: string,
    write: DeadLetterSettingsWrite,
  ): Promise<DeadLetterSettingsRecord> {
    const { configuration, inEffect } = this.#ports
    const { account } = this.#pipelines.get(caller, id).pipeline.value
    const value: DeadLetterSettings = {
      account,
      enabled: write.enabled,
      retentionDays: write.retention_days ?? DEFAULT_DEAD_LETTER_SETTINGS.retentionDays,
      giveUpAfterS: write.give_up_after_s ?? DEFAULT_DEAD_LETTER_SETTINGS.giveUpAfterS,
    }
    // A full replacement; the last write wins.
    const change = { kind: deadLetterSettings, id, expectedVersion: -1, value }
    await configuration.append([change], { subjectId: caller.subjectId, account })
    const version = configuration.get(deadLetterSettings, id)?.version
    if (version !== undefined) await inEffect?.whenInEffect(account, 'dead-letter', id, version)
    return this.settings(caller, id)
  }

  /** Returns the newest letters first. */
  async page(caller: Caller, id: string, query: DeadLetterQuery): Promise<DeadLetterPage> {
    const { queue } = this.#ports
    const state = this.#pipelines.get(caller, id)
    const { account } = state.pipeline.value
    const meets = this.#condition(state, query)
    const isWanted: LetterCondition = letter =>
      meets(letter) &&
      (query.replayed === undefined || String(letter.replayed !== undefined) === query.replayed)
    const limit = Number(query.limit ?? DEFAULT_LIMIT)
    const found: FoundLetter[] = []
    for await (const letter of queue.find(account, isWanted, placeOf(query.cursor))) {
      found.push(letter)
      if (found.length > limit) break
    }
    return this.#pageOf(state, found, limit)
  }

  /** Counts the letters of all pipelines of the account that were not replayed, those of most letters first. */
  async waiting(caller: Caller): Promise<WaitingDeadLetters[]> {
    const states = this.#pipelines.list(caller)
    const conditions = new Map(states.map(state => [state.pipeline.id, this.#condition(state, {})]))
    const titles = new Map(states.map(({ pipeline }) => [pipeline.id, pipeline.value.title]))
    const isWaiting: LetterCondition = letter =>
      letter.replayed === undefined && conditions.get(letter.pipeline)?.(letter) === true
    const counted = new Map<string, WaitingDeadLetters>()
    // The newest letter comes first.
    for await (const { pipeline, code, failedAtMs } of this.#ports.queue.find(
      accountOf(caller).shortId,
      isWaiting,
    )) {
      const key = JSON.stringify([pipeline, code])
      const failedAt = isoTime(failedAtMs)
      const { letters = 0, last_failed_at = failedAt } = counted.get(key) ?? {}
      counted.set(key, {
        pipeline_id: pipeline,
        title: titles.get(pipeline) ?? '',
        code,
        letters: letters + 1,
        first_failed_at: failedAt,
        last_failed_at,
      })
    }
    return [...counted.values()].sort((a, b) => b.letters - a.letters)
  }

  async replay(
    caller: Caller,
    id: string,
    { ids, filter }: DeadLetterReplay,
  ): Promise<DeadLetterReplayRecord> {
    if (ids !== undefined && filter !== undefined)
      throw new ProblemsError([{ instancePath: '/filter', message: 'must NOT be sent together with ids' }])
    const state = this.#pipelines.get(caller, id)
    const nodes = this.#presentNodes(state)
    const { account } = state.pipeline.value
    const wanted = ids === undefined ? undefined : originsOf(ids)
    const meets = this.#condition(state, filter ?? {})
    const found = await Array.fromAsync(
      this.#ports.queue.find(
        account,
        letter => (wanted === undefined || wanted.has(originKey(letter))) && meets(letter),
      ),
    )
    const open = found.filter(letter => letter.replayed === undefined)
    const possible = open.filter(({ node }) => nodes.has(node)).toReversed()
    const chosen = possible.slice(0, MAX_REPLAYED_LETTERS)
    const replayed = chosen.length === 0 ? 0 : await this.#ports.queue.replay(account, chosen)
    return {
      replayed,
      pending: chosen.length - replayed,
      already_replayed: found.length - open.length,
      node_gone: open.length - possible.length,
      not_found: ids === undefined ? 0 : new Set(ids).size - found.length,
      remaining: possible.length - chosen.length,
    }
  }

  #settingsOf({ pipeline }: PipelineState): Omit<DeadLetterSettings, 'account'> {
    return (
      this.#ports.configuration.get(deadLetterSettings, pipeline.id)?.value ?? DEFAULT_DEAD_LETTER_SETTINGS
    )
  }

  /** Letters past their retention are hidden, although the log may still contain them. */
  #condition(state: PipelineState, filter: DeadLetterFilter): LetterCondition {
    const { id } = state.pipeline
    const revisionIdOf = this.#revisionIds(state.pipeline)
    const { retentionDays } = this.#settingsOf(state)
    const nowMs = this.#ports.clock.wallMs()
    const keptFromMs = nowMs - retentionDays * DAY_MS
    const fromMs =
      filter.from === undefined ? keptFromMs : Math.max(keptFromMs, givenTimeMs(filter.from, nowMs))
    const toMs = filter.to === undefined ? Number.POSITIVE_INFINITY : givenTimeMs(filter.to, nowMs)
    return letter =>
      letter.pipeline === id &&
      letter.failedAtMs >= fromMs &&
      letter.failedAtMs < toMs &&
      (filter.code === undefined || letter.code === filter.code) &&
      (filter.node === undefined || letter.node === filter.node) &&
      (filter.revision === undefined || revisionIdOf(letter.version) === filter.revision)
  }

  async #pageOf(
    { pipeline }: PipelineState,
    found: readonly FoundLetter[],
    limit: number,
  ): Promise<DeadLetterPage> {
    const { account } = pipeline.value
    const revisionIdOf = this.#revisionIds(pipeline)
    const letters: DeadLetterRecord[] = []
    let shown: LetterPlace | undefined
    let bytes = 0
    for await (const [letter, whole] of this.#ports.queue.read(account, found.slice(0, limit))) {
      if (bytes > PAGE_BYTES) return { letters, next: cursorOf(shown) }
      shown = letter
      bytes += whole.event.bytes
      letters.push(letterRecord(letter, whole, revisionIdOf))
    }
    return { letters, next: found.length > limit ? cursorOf(found[limit - 1]) : null }
  }

  /**
   * Ids of the nodes of the deployed revision that an event can enter. @throws ApiError 409 when no revision is deployed
   */
  #presentNodes({ deployedRevisionId, pauseMode }: PipelineState): ReadonlySet<string> {
    if (pauseMode !== undefined)
      throw new ApiError(409, 'ECONFLICT', 'The pipeline is paused: resume it first')
    const document = deployedDocument(this.#ports.configuration, deployedRevisionId)
    if (document === undefined)
      throw new ApiError(409, 'ENOTPUBLISHED', 'Nothing of the pipeline runs: publish it first')
    const nodes = document.nodes.filter(({ kind }) => kind !== 'source')
    return new Set(nodes.map(({ id }) => id))
  }

  /** Finds a revision by the number of a deployment. */
  #revisionIds(pipeline: Entity<Pipeline>): (deployment: number) => string | null {
    const own = revisionsOf(this.#ports.configuration, pipeline)
    return deployment => revisionDeployedBy(own, deployment)?.id ?? null
  }
}

function letterRecord(
  { replayed }: FoundLetter,
  letter: DeadLetter,
  revisionId: (deployment: number) => string | null,
): DeadLetterRecord {
  const { pipeline, node, code, field, message, event, failedAtMs } = letter
  return {
    id: idOf(letter),
    pipeline_id: pipeline,
    node_id: node,
    revision_id: revisionId(letter.version),
    code,
    field,
    message,
    failed_at: isoTime(failedAtMs),
    replayed_at: replayed === undefined ? null : isoTime(replayed.replayedAtMs),
    replayed_revision_id: replayed === undefined ? null : revisionId(replayed.version),
    event: eventRecord(event),
  }
}

type TopicName = keyof typeof TOPIC_NUMBERS

function idOf({ failedAtMs, topic, partition, offset, row }: DeadLetter): string {
  return lineId({ timeMs: failedAtMs, topic: topic as TopicName, partition, offset: BigInt(offset), row })
}

/** Returns the ids that could be an origin. */
function originsOf(ids: readonly string[]): ReadonlySet<string> {
  return new Set(
    ids.flatMap(id => {
      const parts = parseLineId(id)
      return parts === undefined ? [] : [originKey({ ...parts, offset: Number(parts.offset) })]
    }),
  )
}

function originKey({ topic, partition, offset, row }: LetterOrigin): string {
  return `${topic} ${partition} ${offset} ${row}`
}

function cursorOf(place: LetterPlace | undefined): string | null {
  return place === undefined ? null : `${place.recordOffset}-${place.index}`
}

function placeOf(cursor: string | undefined): LetterPlace | undefined {
  if (cursor === undefined) return undefined
  const [recordOffset, index] = cursor.split('-') as [string, string]
  return { recordOffset: BigInt(recordOffset), index: Number(index) }
}
