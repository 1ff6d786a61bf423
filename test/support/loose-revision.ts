import { Event } from '../../engine/event/event.ts'
import { DeployedRevision } from '../../engine/fold/account/deployed-revision.ts'
import { compileGraph } from '../../engine/graph/compile-graph.ts'
import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import { finish } from '../../engine/steps.ts'
import { pauseOf } from '../../schemas/log/cuts.ts'
import { INGEST_ENTRANCE } from '../../schemas/log/line-batch.ts'
import type { NodeDocument } from '../../schemas/pipeline.ts'
import { linesOf } from './loose-fold.ts'

/** A compiled revision of a pipeline that no fold knows. @param previous its nodes give their memory to equal ones */
export function looseRevision(
  version: number,
  nodes: readonly NodeDocument[],
  { pipeline = 'p', paused = false, previous = undefined as DeployedRevision | undefined } = {},
): DeployedRevision {
  const document = { id: pipeline, accountId: 'a', title: 'p', revision: version, nodes }
  const graph = compileGraph(CATALOGUE, document, previous?.graph)
  const sinks = { ownStores: new Map(), sendingSinks: new Map() }
  return new DeployedRevision(graph, { version, ...sinks, ...pauseOf({ paused }) })
}

/** Events of a line of each app. */
export function eventsOf(...apps: string[]): Event[] {
  const batch = linesOf(apps)
  return apps.map((_, index) => Event.ofLine(batch, index))
}

/** Runs events through the graph of a revision at log time 0. */
export function runThrough({ graph }: DeployedRevision, events: readonly Event[]): void {
  finish(graph.running(INGEST_ENTRANCE, events, { nowMs: 0, deliver: () => undefined, report: () => {} }))
}
