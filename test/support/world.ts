import { expect } from 'vitest'
import { type ManualClock, manualClock } from '../../engine/clock/manual-clock.ts'
import { exemptionKey } from '../../engine/configuration/entities.ts'
import { seededEntropy } from '../../engine/entropy/seeded-entropy.ts'
import type { RunWatch } from '../../engine/fold/run-watch.ts'
import type { Log, Topic } from '../../engine/log/log.ts'
import { memoryLog } from '../../engine/log/memory-log.ts'
import { silentLogger } from '../../engine/logger.ts'
import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import { CheckpointLog } from '../../engine/replay/checkpoint-log.ts'
import { PartitionWorker } from '../../engine/worker/partition-worker.ts'
import { type Checkpoint, checkpointType } from '../../schemas/log/checkpoint.ts'
import type { Cut } from '../../schemas/log/control.ts'
import {
  cutKey,
  type ExclusionCut,
  type ExemptionCut,
  type LineRulesCut,
  type PipelineCut,
  type QuotaCut,
  type RetentionCut,
} from '../../schemas/log/cuts.ts'
import type { AddressedCut, DeployedConfiguration } from '../../schemas/log/deployed-configuration.ts'
import { CHECKPOINT_TOPIC, INGEST_TOPIC, KEYED_TOPIC, partitionOfAccount } from '../../schemas/log/topics.ts'
import type { NodeDocument } from '../../schemas/pipeline.ts'
import { lineBatchValue, SAMPLE_ACCOUNT, type SampleLine, type SampleRequest } from './line-batches.ts'
import { MemoryStore } from './memory-store.ts'

const PARTITIONS = 2

/** One partition with its log, its store and its clock; workers come and go. */
export interface World {
  readonly clock: ManualClock
  readonly log: Log
  readonly ingest: Topic
  readonly store: MemoryStore
  readonly configuration: SampleConfiguration
  readonly partition: number
  /**
   * A worker that has started; an earlier one is simply no longer driven, as after kill -9.
   *
   * @param behaviour number that it puts into force; absent: that of the program
   */
  worker(watch?: RunWatch, behaviour?: number): Promise<PartitionWorker>
  /** Appends lines as one record. */
  append(lines: readonly SampleLine[], request?: Omit<SampleRequest, 'lines'>): Promise<bigint>
  /** Text of every stored line, in storage order. */
  storedLines(): string[]
}

export async function newWorld(): Promise<World> {
  const clock = manualClock()
  const log = memoryLog({ clock, entropy: seededEntropy(7) })
  const ingest = await log.topic(INGEST_TOPIC, PARTITIONS)
  const checkpoints = await log.topic(CHECKPOINT_TOPIC, PARTITIONS)
  const keyed = await log.topic(KEYED_TOPIC, PARTITIONS)
  const store = new MemoryStore()
  const configuration = new SampleConfiguration()
  const partition = partitionOfAccount(SAMPLE_ACCOUNT, PARTITIONS)
  const started: PartitionWorker[] = []
  worlds.push(started)
  let workers = 0
  return {
    clock,
    log,
    ingest,
    store,
    configuration,
    partition,
    worker: async (watch, behaviour) => {
      const worker = new PartitionWorker({
        catalogue: CATALOGUE,
        partition,
        topic: ingest,
        checkpoints,
        targets: { ingest, keyed },
        store,
        clock,
        configuration,
        logger: silentLogger,
        workerName: `worker-${++workers}`,
        behaviour,
        watch,
      })
      await worker.start()
      started.push(worker)
      return worker
    },
    append: async (lines, request = {}) => {
      const value = lineBatchValue([{ lines, ...request }])
      return (await ingest.append(partition, { value, producer: null, priority: 'ingest' })).offset
    },
    storedLines: () => store.rows('lines').map(row => row.line as string),
  }
}

/** Workers of every world since the last look. */
const worlds: PartitionWorker[][] = []

/**
 * Checks the rule that holds for every node at any time: in + copied + created = out + dropped + failed + merged +
 * held. It covers all workers that were started since the last call.
 */
export function expectConservation(): void {
  for (const worker of worlds.splice(0).flat()) {
    for (const { pipeline, node: id, activity } of worker.nodeTotals) {
      const { eventsIn, copied, created, eventsOut, dropped, failed, merged, held } = activity
      expect(eventsOut + dropped + failed + merged + held, `${pipeline}/${id}`).toBe(
        eventsIn + copied + created,
      )
    }
  }
}

/** Checkpoint that a start would continue from. */
export async function newestCheckpoint({ log, ingest, partition }: World): Promise<Checkpoint> {
  const topic = await log.topic(CHECKPOINT_TOPIC, ingest.partitions)
  const kept = await new CheckpointLog(topic, { topic: ingest, partition }).newest()
  return checkpointType.decode(kept?.body as Buffer)
}

/** Drives a worker until it has nothing left to do at this instant. */
export async function settle(worker: PartitionWorker): Promise<void> {
  while (await worker.step());
}

/** Lets a second pass and drives the worker, so that open batches end and are stored. */
export async function passSecond(world: World, worker: PartitionWorker): Promise<void> {
  await settle(worker)
  world.clock.advance(1_100)
  await settle(worker)
}

export interface ExemptionTimes {
  readonly untilMs: number
  /** Time of removal; `untilMs` unless given. */
  readonly forgetMs?: number
}

/** Pipelines that a test deploys, in the form in which the configuration log reports them. */
export class SampleConfiguration implements DeployedConfiguration {
  readonly #cuts = new Map<string, AddressedCut>()
  readonly #listeners = new Set<(accounts: ReadonlySet<string>) => void>()
  /** Whether the account is spread. */
  everywhere = false

  accounts(): Iterable<string> {
    return this.#cuts.size === 0 ? [] : [SAMPLE_ACCOUNT]
  }

  cuts(): Iterable<AddressedCut> {
    return this.#cuts.values()
  }

  isSpread(): boolean {
    return this.everywhere
  }

  get anySpread(): boolean {
    return [...this.#cuts.values()].some(({ cut }) => cut.kind === 'spread')
  }

  async begunQuarantine(_topic: string, _partition: number): Promise<string | undefined> {
    return undefined
  }

  subscribe(listener: (accounts: ReadonlySet<string>) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** @param pause true: the pipeline is paused; 'drop': it also drops the events of its sources */
  deploy(
    nodes: readonly NodeDocument[],
    revision = 1,
    id = 'pipeline-1',
    pause: boolean | 'drop' = false,
  ): void {
    const about = { id, accountId: SAMPLE_ACCOUNT, title: id, revision, nodes }
    const drops = pause === 'drop'
    const document: PipelineCut = { ...about, paused: drops || pause, ...(drops && { drops }) }
    this.set({ kind: 'pipeline', entity: id, version: revision, payload: JSON.stringify(document) })
  }

  /** @returns the cut */
  exempt(
    key: string | null,
    version: number,
    {
      untilMs,
      forgetMs = untilMs,
      ...place
    }: ExemptionTimes & Partial<Pick<ExemptionCut, 'pipeline' | 'node'>>,
  ): Cut {
    const { pipeline = 'pipeline-1', node = 'limit' } = place
    const exemption: ExemptionCut = { accountId: SAMPLE_ACCOUNT, pipeline, node, key, untilMs, forgetMs }
    const entity = exemptionKey(pipeline, node, key)
    const cut: Cut = { kind: 'exemption', entity, version, payload: JSON.stringify(exemption) }
    this.set(cut)
    return cut
  }

  /** @returns the cut */
  rule(version: number, rules: Partial<Omit<LineRulesCut, 'accountId'>>): Cut {
    const payload: LineRulesCut = {
      accountId: SAMPLE_ACCOUNT,
      exclusions: [],
      retentionRules: [],
      ...rules,
    }
    const cut: Cut = {
      kind: 'line-rules',
      entity: SAMPLE_ACCOUNT,
      version,
      payload: JSON.stringify(payload),
    }
    this.set(cut)
    return cut
  }

  /** @returns the cut */
  quota(version: number, periods: QuotaCut['periods']): Cut {
    const payload: QuotaCut = { accountId: SAMPLE_ACCOUNT, periods }
    const cut: Cut = { kind: 'quota', entity: SAMPLE_ACCOUNT, version, payload: JSON.stringify(payload) }
    this.set(cut)
    return cut
  }

  set(cut: Cut): void {
    this.#cuts.set(cutKey(cut), { account: SAMPLE_ACCOUNT, cut })
    for (const listener of this.#listeners) listener(new Set([SAMPLE_ACCOUNT]))
  }
}

/** Any line, unless said otherwise. */
export function exclusion(id: string, conditions: Partial<ExclusionCut>): ExclusionCut {
  return { id, title: '', apps: [], hosts: [], query: '', ...conditions }
}

export function retention(id: string, days: number, conditions: Partial<RetentionCut>): RetentionCut {
  return { id, days, apps: [], hosts: [], levels: [], query: '', ...conditions }
}

export function node(
  kind: NodeDocument['kind'],
  id: string,
  type: string,
  inputs: readonly string[] = [],
  user_config: NodeDocument['user_config'] = {},
): NodeDocument {
  return { id, kind, type, title: null, user_config, inputs }
}

export const SOURCE = node('source', 'source', 'log-analysis-ingestion')
