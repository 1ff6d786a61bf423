import type { NodeCounters } from '../../../engine/graph/node-counters.ts'
import type { PreviewResult } from '../../../engine/replay/preview/preview.ts'
import type { PreviewCounts, PreviewOutcome } from '../../../schemas/http/pipeline/preview-api.ts'
import type { NodeDocument, PipelineDocument } from '../../../schemas/pipeline.ts'
import { isoTime } from '../../http/iso-time.ts'
import { eventRecord } from '../event-record.ts'

const ORDER_ASSUMED =
  'The account was on many partitions, and the log does not contain the times at which events that the draft sends to another partition would have arrived there: each is assumed to arrive with the events that were really sent of the same record, or else at once. Events of different partitions within the same moment may therefore meet a throttle or a window in another order'

/** The draft of a preview, and the nodes that it is compared with. */
export interface PreviewedNodes {
  readonly document: PipelineDocument
  /** Nodes of the deployed revision. */
  readonly deployedNodes: readonly NodeDocument[]
  /** Names of nodes in the pipeline of the request, by id; empty without one. */
  readonly names: ReadonlyMap<string, string>
  /** Beginning of the period, UNIX ms. */
  readonly fromMs: number
}

/** Answers with the counts of each node of both sides, in the order of the deployed revision, then of the draft. */
export function outcomeOf(
  { document, deployedNodes, names, fromMs }: PreviewedNodes,
  result: PreviewResult,
): PreviewOutcome {
  const nodes = new Map([...deployedNodes, ...document.nodes].map(node => [node.id, node]))
  const shown = (counters: NodeCounters | undefined) => (counters === undefined ? null : countsOf(counters))
  return {
    nodes: [...nodes.values()].map(({ id, kind, type, title }) => ({
      id,
      kind,
      type,
      title,
      ...(names.has(id) && { name: names.get(id) as string }),
      deployed: shown(result.deployed.get(id)),
      draft: shown(result.draft.get(id)),
    })),
    differing: result.differing,
    under_way: result.underWay,
    assumption: result.isOrderAssumed ? ORDER_ASSUMED : null,
    in_force: result.inForce.map(each => ({
      from: isoTime(Math.max(fromMs, each.fromMs)),
      revision: each.revision ?? null,
      paused: each.isPaused,
    })),
    samples: result.samples.map(({ event, deployed, draft }) => ({
      event: eventRecord(event),
      deployed: deployed.map(({ node }) => node),
      draft: draft.map(({ node }) => node),
      deployed_events: deployed.map(left => eventRecord(left.event)),
      draft_events: draft.map(left => eventRecord(left.event)),
    })),
  }
}

function countsOf(counters: NodeCounters): PreviewCounts {
  return {
    events_in: counters.eventsIn,
    bytes_in: counters.bytesIn,
    events_out: counters.eventsOut,
    bytes_out: counters.bytesOut,
    dropped: counters.dropped,
    dropped_bytes: counters.droppedBytes,
    failed: counters.failed,
    merged: counters.merged,
    held: counters.held,
  }
}
