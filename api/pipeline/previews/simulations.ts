import { stateVariables } from '../../../engine/configuration/kinds/state-variables.ts'
import { checkingGraph } from '../../../engine/graph/check-graph.ts'
import { partsWithExpressions } from '../../../engine/graph/expression-limit.ts'
import type { Catalogue, NodeOutput } from '../../../engine/nodes/contract/catalogue.ts'
import {
  DEFAULT_SIMULATION_BOUNDS,
  type SimulatedEvent,
  type SimulatedNode,
  Simulation,
} from '../../../engine/replay/preview/simulation.ts'
import type { Steps } from '../../../engine/steps.ts'
import { inTurns, type LoopTurns } from '../../../engine/turns/loop-turns.ts'
import type {
  EventRecord,
  FileSimulationRequest,
  SimulationRecord,
  SimulationRequest,
} from '../../../schemas/http/pipeline/simulation-api.ts'
import type { JsonObject } from '../../../schemas/json.ts'
import type { NodeDocument, PipelineDocument } from '../../../schemas/pipeline.ts'
import type { Caller } from '../../auth/caller.ts'
import { askerOf } from '../../auth/permission.ts'
import { ProblemsError } from '../../http/problems-error.ts'
import { AccountQueue } from '../account-queue.ts'
import { eventRecord } from '../event-record.ts'
import type { FileContent } from '../file/file-content.ts'
import { pointerInFile } from '../file/file-nodes.ts'
import { fileNameOf } from '../file/output-references.ts'
import type { PipelineFiles } from '../file/pipeline-files.ts'
import type { PipelineGraphs } from '../graph/pipeline-graphs.ts'
import { assertOptionLimits } from '../option-limits.ts'
import type { PipelinePorts } from '../pipeline-ports.ts'
import type { PipelineState, Pipelines } from '../pipelines.ts'
import { restsBetween } from '../replay-rests.ts'
import { documentNodes, revisionNumbered } from '../revisions/revision.ts'
import { readingSamples } from './samples.ts'

/** Longest simulation: components, section 8.4. */
const LONGEST_MS = 10_000

/** Names of nodes in requests and answers, and the state that scripts read. */
interface SimulatedPipeline {
  /** State variables of the pipeline; absent: those of a new one. */
  readonly state?: Readonly<Record<string, string>> | undefined
  /** Ids of the sources, by their names in samples. */
  readonly sources: ReadonlyMap<string, string>
  /** Content of the pipeline that the request's body has. */
  readonly content?: FileContent
  /** Names of nodes in the file, by id. */
  readonly names?: ReadonlyMap<string, string>
}

/** A pipeline in the form of a file. */
interface SentPipeline extends Pick<SimulatedPipeline, 'state'> {
  readonly sent: JsonObject
  /** Stored pipeline that it is a version of; absent: none. */
  readonly present?: PipelineState
}

export interface SimulationPorts extends Pick<PipelinePorts, 'catalogue' | 'configuration' | 'clock'> {
  /** Turns of simulations, explanations and previews. */
  readonly replayTurns: LoopTurns
}

/** Simulation of samples on pipelines, without any effect. */
export class Simulations {
  readonly #pipelines: Pipelines
  readonly #files: PipelineFiles
  readonly #graphs: PipelineGraphs
  readonly #ports: SimulationPorts
  readonly #queue = new AccountQueue('simulations')

  constructor(
    pipelines: Pipelines,
    { files, graphs }: { readonly files: PipelineFiles; readonly graphs: PipelineGraphs },
    ports: SimulationPorts,
  ) {
    this.#pipelines = pipelines
    this.#files = files
    this.#graphs = graphs
    this.#ports = ports
  }

  /**
   * Simulates samples on the draft's nodes, on a revision, or on a pipeline of the request.
   *
   * @param gone aborted when the client has left: the simulation ends, also while it waits
   * @throws ApiError 404, or 429 when too many simulations of the account wait; ProblemsError with all findings about samples or
   *   nodes; the reason of `gone`
   */
  ofPipeline(
    caller: Caller,
    id: string,
    revision: string | undefined,
    request: SimulationRequest,
    gone: AbortSignal,
  ): Promise<SimulationRecord> {
    return this.#queue.run(askerOf(caller), gone, () => this.#ofPipeline(caller, id, revision, request, gone))
  }

  async #ofPipeline(
    caller: Caller,
    id: string,
    revision: string | undefined,
    { pipeline: sent, ...request }: SimulationRequest,
    gone: AbortSignal,
  ): Promise<SimulationRecord> {
    const present = this.#pipelines.get(caller, id)
    const { pipeline, draft } = present
    const state = this.#ports.configuration.get(stateVariables, id)?.value.state
    if (sent !== undefined) {
      if (revision !== undefined)
        throw new ProblemsError([
          { instancePath: '/pipeline', message: 'must NOT be sent together with revision' },
        ])
      return this.#ofSent(caller, { sent, present, state }, request, gone)
    }
    const nodes =
      revision === undefined
        ? documentNodes(draft.value.nodes)
        : revisionNumbered(this.#ports.configuration, pipeline, revision).value.document.nodes
    const sources = new Map(sourceIds(nodes).map(source => [source, source]))
    return this.#ofNodes(nodes, request, { sources, state }, gone)
  }

  /**
   * Simulates samples on a pipeline that came with the request and is not stored.
   *
   * @param gone aborted when the client has left: the simulation ends, also while it waits
   * @throws ApiError 429 when too many simulations of the account wait; ProblemsError with all findings about the pipeline or the
   *   samples; the reason of `gone`
   */
  ofFile(caller: Caller, request: FileSimulationRequest, gone: AbortSignal): Promise<SimulationRecord> {
    const { pipeline: sent, ...samples } = request
    return this.#queue.run(askerOf(caller), gone, () => this.#ofSent(caller, { sent }, samples, gone))
  }

  async #ofSent(
    caller: Caller,
    { sent, present, state }: SentPipeline,
    request: SimulationRequest,
    gone: AbortSignal,
  ): Promise<SimulationRecord> {
    const file = await this.#graphs.unmasked(present, sent, '/pipeline')
    const content = await this.#files.contentOf(caller, file, '/pipeline', present)
    const names = new Map(content.nodes.map(node => [node.id, fileNameOf(node)]))
    const nodes = documentNodes(content.nodes)
    const sources = new Map(sourceIds(nodes).map(source => [names.get(source) ?? source, source]))
    return this.#ofNodes(nodes, request, { sources, content, names, state }, gone)
  }

  async #ofNodes(
    nodes: readonly NodeDocument[],
    request: SimulationRequest,
    { sources, content, names, state }: SimulatedPipeline,
    gone: AbortSignal,
  ): Promise<SimulationRecord> {
    const { catalogue, clock, replayTurns } = this.#ports
    assertOptionLimits('', partsWithExpressions({ nodes }))
    const checking = checkingGraph(catalogue, { nodes }, { allowUnconnected: true })
    const problems = await inTurns(checking, replayTurns.begin())
    if (problems.length > 0)
      throw new ProblemsError(
        problems.map(({ nodeId, instancePath, message }) => {
          const pointer = content && pointerInFile(content, nodeId, instancePath)
          return { instancePath: pointer ? `/pipeline${pointer}` : `/node/${nodeId}${instancePath}`, message }
        }),
      )
    const source = request.source ?? (sources.size === 1 ? [...sources.keys()][0] : undefined)
    const reading = readingSamples(request, { sources, source, nowMs: clock.wallMs() })
    const samples = await inTurns(reading, replayTurns.begin())
    const document: PipelineDocument = { id: '', accountId: '', title: '', revision: 1, nodes }
    const simulation = new Simulation(catalogue, document, DEFAULT_SIMULATION_BOUNDS, state)
    const startMs = clock.monotonicMs()
    const rest = restsBetween(replayTurns, gone)
    const drive = async (steps: Steps) => {
      for (const _ of steps) {
        if (simulation.tooDear !== undefined) return
        await rest()
      }
    }
    for (const sample of samples) {
      await drive(simulation.trying(sample))
      const nowMs = clock.monotonicMs()
      if (simulation.tooDear !== undefined || nowMs - startMs > LONGEST_MS) break
      await rest()
    }
    const isWhole = simulation.tried === samples.length && simulation.tooDear === undefined
    if (request.flush !== false && isWhole) await drive(simulation.flushing())
    return recordOf(catalogue, nodes, simulation, { samples: samples.length, names, rest })
  }
}

function sourceIds(nodes: readonly NodeDocument[]): string[] {
  return nodes.filter(({ kind }) => kind === 'source').map(({ id }) => id)
}

async function recordOf(
  catalogue: Catalogue,
  nodes: readonly NodeDocument[],
  { tried, isCut, tooDear, nodes: simulated }: Simulation,
  {
    samples,
    names,
    rest,
  }: { readonly samples: number; readonly names: SimulatedPipeline['names']; rest(): Promise<void> },
): Promise<SimulationRecord> {
  const read = new Set(nodes.flatMap(({ inputs }) => inputs))
  const byId = new Map(simulated.map(node => [node.id, node]))
  const records: SimulationRecord['nodes'] = []
  for (const node of nodes) {
    const name = names?.get(node.id)
    const record = nodeRecord(byId.get(node.id) as SimulatedNode, node, waysOut(catalogue, node), read)
    records.push(name === undefined ? record : { ...record, name })
    await rest()
  }
  return {
    samples,
    tried,
    cut: isCut,
    ...(tooDear !== undefined && { ended: tooDear }),
    nodes: records,
  }
}

function waysOut(catalogue: Catalogue, node: NodeDocument): readonly NodeOutput[] {
  return node.kind === 'sink' ? [{ id: node.id, label: 'Sent' }] : catalogue.outputsOf(node)
}

function nodeRecord(
  { counters, outputs, dropped, failed, errors }: SimulatedNode,
  { id, kind, type, title }: NodeDocument,
  ways: readonly NodeOutput[],
  read: ReadonlySet<string>,
): SimulationRecord['nodes'][number] {
  return {
    id,
    kind,
    type,
    title,
    events_in: counters.eventsIn,
    events_out: counters.eventsOut,
    merged: counters.merged,
    held: counters.held,
    dropped: dropped.map(({ reason, ...each }) => ({ ...shown(each), reason: reason ?? NO_REASON })),
    failed: failed.map(shown),
    errors: [...errors],
    outputs: ways.map(({ id: output, label, name = '' }) => ({
      id: output,
      label,
      connected: kind === 'sink' || read.has(output),
      events: (outputs.get(name) ?? []).map(shown),
    })),
  }
}

const NO_REASON: JsonObject = {}

function shown({ sample, event }: SimulatedEvent): { sample: number | null; event: EventRecord } {
  return { sample, event: eventRecord(event) }
}
