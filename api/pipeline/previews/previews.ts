import { spreads } from '../../../engine/configuration/entities.ts'
import { checkingGraph } from '../../../engine/graph/check-graph.ts'
import { partsWithExpressions } from '../../../engine/graph/expression-limit.ts'
import { LogError } from '../../../engine/log/log.ts'
import { partitionsOf } from '../../../engine/replay/followed-partition.ts'
import { OvertakenError } from '../../../engine/replay/preview/draft-mail.ts'
import { TooMuchUnderWayError } from '../../../engine/replay/preview/preview.ts'
import { type PreviewStretch, previewOf } from '../../../engine/replay/preview/preview-replay.ts'
import { NoReplayError, type ReplayedPartition } from '../../../engine/replay/replay.ts'
import { MINUTE_MS } from '../../../engine/times/duration.ts'
import type { Asker } from '../../../engine/turns/asker.ts'
import { inTurns, type LoopTurns } from '../../../engine/turns/loop-turns.ts'
import type {
  PreviewOutcome,
  PreviewRecord,
  PreviewRequest,
} from '../../../schemas/http/pipeline/preview-api.ts'
import { partitionOfAccount } from '../../../schemas/log/topics.ts'
import type { NodeDocument } from '../../../schemas/pipeline.ts'
import type { Caller } from '../../auth/caller.ts'
import { askerOf } from '../../auth/permission.ts'
import { ApiError, notFound } from '../../http/errors.ts'
import { isoTime } from '../../http/iso-time.ts'
import { ProblemsError } from '../../http/problems-error.ts'
import { pointerInFile } from '../file/file-nodes.ts'
import { fileNameOf } from '../file/output-references.ts'
import type { PipelineFiles } from '../file/pipeline-files.ts'
import type { PipelineGraphs } from '../graph/pipeline-graphs.ts'
import { assertOptionLimits } from '../option-limits.ts'
import type { PipelinePorts } from '../pipeline-ports.ts'
import type { PipelineState, Pipelines } from '../pipelines.ts'
import { nodePointer } from '../publish.ts'
import type { ReplayPorts } from '../replay-ports.ts'
import { restsBetween } from '../replay-rests.ts'
import { documentNodes, revisionNumbered, revisionsOf } from '../revisions/revision.ts'
import { outcomeOf, type PreviewedNodes } from './preview-outcome.ts'

/** Running previews of all accounts; each account has at most one of them. */
const MAX_RUNNING = 2
/** Waiting previews per account. */
const MAX_WAITING = 10
/** Number of ended previews that are kept; newer ones replace the oldest. */
const MAX_KEPT = 50
const MAX_SAMPLES = 20
const USUAL_MINUTES = 60

export interface PreviewPorts extends Pick<PipelinePorts, 'configuration' | 'clock' | 'entropy'> {
  readonly replay: ReplayPorts
  /** Turns of simulations, explanations and previews. */
  readonly replayTurns: LoopTurns
}

interface Job extends PreviewedNodes {
  readonly id: string
  readonly asker: Asker
  readonly revision: string | null
  readonly createdAtMs: number
  readonly toMs: number
  readonly cancel: AbortController
  status: PreviewRecord['status']
  /** Number of its start, counted from one; zero before. */
  start: number
  message?: string
  records: number
  ofRecords: number
  lines: number
  result?: PreviewOutcome
}

/**
 * Previews of drafts on the lines of the last minutes, which run in the background, a few at a time. They exist only in
 * this process, end with it, and have no effect on anything.
 */
export class Previews {
  readonly #pipelines: Pipelines
  readonly #files: PipelineFiles
  readonly #graphs: PipelineGraphs
  readonly #ports: PreviewPorts
  /** Previews, oldest first. */
  readonly #jobs = new Map<string, Job>()
  #starts = 0

  constructor(
    pipelines: Pipelines,
    { files, graphs }: { readonly files: PipelineFiles; readonly graphs: PipelineGraphs },
    ports: PreviewPorts,
  ) {
    this.#pipelines = pipelines
    this.#files = files
    this.#graphs = graphs
    this.#ports = ports
  }

  /** @throws ApiError 404; 429 when too many previews of the account wait; ProblemsError */
  async begin(caller: Caller, id: string, request: PreviewRequest): Promise<PreviewRecord> {
    const { minutes = USUAL_MINUTES, revision, pipeline: sent } = request
    const { clock, entropy, replay, replayTurns } = this.#ports
    const state = this.#pipelines.get(caller, id)
    const { title } = state.pipeline.value
    const asker = askerOf(caller)
    const { account } = asker
    if (revision !== undefined && sent !== undefined)
      throw new ProblemsError([
        { instancePath: '/pipeline', message: 'must NOT be sent together with revision' },
      ])
    const file = sent && (await this.#graphs.unmasked(state, sent, '/pipeline'))
    const content = file && (await this.#files.contentOf(caller, file, '/pipeline', state))
    const nodes = content === undefined ? this.#savedNodes(state, revision) : documentNodes(content.nodes)
    assertOptionLimits('', partsWithExpressions({ nodes }))
    const checking = checkingGraph(replay.catalogue, { nodes }, { allowUnconnected: true })
    const problems = await inTurns(checking, replayTurns.begin())
    if (problems.length > 0) {
      const byId = new Map(nodes.map(node => [node.id, node]))
      const pointerTo = (nodeId: string, inNode: string) => {
        const pointer = content && pointerInFile(content, nodeId, inNode)
        return pointer === undefined
          ? `${nodePointer(byId.get(nodeId), nodeId)}${inNode}`
          : `/pipeline${pointer}`
      }
      throw new ProblemsError(
        problems.map(({ nodeId, instancePath, message }) => ({
          instancePath: pointerTo(nodeId, instancePath),
          message,
        })),
      )
    }
    if (this.#ofAccount(account, 'waiting') >= MAX_WAITING)
      throw new ApiError(
        429,
        'ETOOMANY',
        `${MAX_WAITING} previews of the account wait already: cancel one, or come back later`,
      )
    const nowMs = clock.wallMs()
    const job: Job = {
      id: entropy.uuid(),
      asker,
      document: { id, accountId: account, title, revision: 0, nodes },
      deployedNodes: this.#deployedNodes(state),
      names: new Map(content?.nodes.map(node => [node.id, fileNameOf(node)])),
      revision: revision ?? null,
      createdAtMs: nowMs,
      fromMs: nowMs - minutes * MINUTE_MS,
      toMs: nowMs,
      cancel: new AbortController(),
      status: 'waiting',
      start: 0,
      records: 0,
      ofRecords: 0,
      lines: 0,
    }
    this.#jobs.set(job.id, job)
    this.#forgetOldest()
    this.#startNext()
    return recordOf(job)
  }

  #savedNodes({ draft, pipeline }: PipelineState, revision: string | undefined): readonly NodeDocument[] {
    if (revision === undefined) return documentNodes(draft.value.nodes)
    return revisionNumbered(this.#ports.configuration, pipeline, revision).value.document.nodes
  }

  /** Previews of a pipeline, newest first. @throws ApiError 404 */
  list(caller: Caller, id: string): PreviewRecord[] {
    this.#pipelines.get(caller, id)
    const own = [...this.#jobs.values()].filter(({ document }) => document.id === id)
    return own.reverse().map(recordOf)
  }

  /** @throws ApiError 404 */
  get(caller: Caller, id: string, preview: string): PreviewRecord {
    return recordOf(this.#job(caller, id, preview))
  }

  /** Ends a preview that is not over. @throws ApiError 404 */
  cancel(caller: Caller, id: string, preview: string): PreviewRecord {
    const job = this.#job(caller, id, preview)
    job.cancel.abort()
    if (job.status === 'waiting' || job.status === 'running') job.status = 'cancelled'
    return recordOf(job)
  }

  /** Ends all previews, because the process stops. */
  close(): void {
    for (const { cancel } of this.#jobs.values()) cancel.abort()
  }

  #job(caller: Caller, id: string, preview: string): Job {
    this.#pipelines.get(caller, id)
    const job = this.#jobs.get(preview)
    if (job?.document.id !== id) throw notFound('The preview does not exist, or not in this process')
    return job
  }

  #deployedNodes({ deployedRevisionId, pipeline }: PipelineState): readonly NodeDocument[] {
    const own = revisionsOf(this.#ports.configuration, pipeline)
    return own.find(({ id }) => id === deployedRevisionId)?.value.document.nodes ?? []
  }

  #ofAccount(account: string, status: Job['status']): number {
    return [...this.#jobs.values()].filter(job => job.asker.account === account && job.status === status)
      .length
  }

  #forgetOldest(): void {
    const ended = [...this.#jobs.values()].filter(
      ({ status }) => status !== 'waiting' && status !== 'running',
    )
    for (const { id } of ended.slice(0, Math.max(0, ended.length - MAX_KEPT))) this.#jobs.delete(id)
  }

  /** Enterprises take turns, and their accounts: one that has many previews delays another by one of them at most. */
  #startNext(): void {
    const jobs = [...this.#jobs.values()]
    if (jobs.filter(({ status }) => status === 'running').length >= MAX_RUNNING) return
    const lastStarts = { enterprise: new Map<string, number>(), account: new Map<string, number>() }
    for (const { asker, start } of jobs) {
      noteStart(lastStarts.enterprise, asker.enterprise, start)
      noteStart(lastStarts.account, asker.account, start)
    }
    const lastStart = (of: keyof Asker, { asker }: Job) => lastStarts[of].get(asker[of]) ?? 0
    const [job] = jobs
      .filter(({ asker, status }) => status === 'waiting' && this.#ofAccount(asker.account, 'running') === 0)
      .sort(
        (a, b) =>
          lastStart('enterprise', a) - lastStart('enterprise', b) ||
          lastStart('account', a) - lastStart('account', b),
      )
    if (job === undefined) return
    job.start = ++this.#starts
    job.status = 'running'
    this.#run(job)
      .then(
        () => {
          if (job.status === 'running') job.status = 'done'
        },
        (error: unknown) => {
          if (job.status !== 'running') return
          job.status = 'failed'
          job.message = reasonOf(error)
        },
      )
      .finally(() => this.#startNext())
  }

  async #run(job: Job): Promise<void> {
    const { asker, document, fromMs, toMs } = job
    const { account } = asker
    const unpins: (() => void)[] = []
    const pin: PreviewStretch['pin'] = ({ topic, partition }, offset) => {
      const unpin = this.#ports.replay.pin?.({ topic: topic.name, partition }, offset)
      if (unpin !== undefined) unpins.push(unpin)
    }
    const rest = restsBetween(this.#ports.replayTurns, job.cancel.signal)
    const stretch = { partitions: this.#partitionsOf(account), account, fromMs, toMs, pin, rest }
    try {
      const result = await previewOf(document, stretch, { maxSamples: MAX_SAMPLES, progress: job })
      job.result = outcomeOf(job, result)
    } finally {
      for (const unpin of unpins) unpin()
    }
  }

  /** Partitions that handle, or ever handled, lines of the account. */
  #partitionsOf(account: string): ReplayedPartition[] {
    const { configuration, replay } = this.#ports
    const { catalogue, ingest, checkpoints, keyed } = replay
    if (configuration.get(spreads, account) !== undefined)
      return [
        ...partitionsOf(catalogue, ingest, checkpoints),
        ...partitionsOf(catalogue, keyed.topic, keyed.checkpoints),
      ]
    return [
      { catalogue, topic: ingest, checkpoints, partition: partitionOfAccount(account, ingest.partitions) },
    ]
  }
}

function noteStart(starts: Map<string, number>, of: string, start: number): void {
  starts.set(of, Math.max(start, starts.get(of) ?? 0))
}

function reasonOf(error: unknown): string {
  if (error instanceof LogError && error.code === 'LOG_OFFSET_OUT_OF_RANGE')
    return 'The log deleted the lines in the meantime: ask for fewer minutes'
  if (error instanceof NoReplayError)
    return 'The log does not keep everything that the lines of then met: take fewer minutes'
  if (error instanceof OvertakenError)
    return 'Events were on their way between partitions for long when the stretch begins: take fewer minutes, or more'
  if (error instanceof TooMuchUnderWayError)
    return 'Too many events were on their way between partitions at once, as the engine was behind: take minutes after that'
  return (error as Error).message
}

function recordOf(job: Job): PreviewRecord {
  return {
    id: job.id,
    pipeline_id: job.document.id,
    revision: job.revision,
    status: job.status,
    ...(job.message === undefined ? {} : { message: job.message }),
    created_at: isoTime(job.createdAtMs),
    from: isoTime(job.fromMs),
    to: isoTime(job.toMs),
    progress: { records: Math.min(job.records, job.ofRecords), of_records: job.ofRecords, lines: job.lines },
    ...(job.result === undefined ? {} : { result: job.result }),
  }
}
