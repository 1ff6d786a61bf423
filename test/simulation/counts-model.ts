import type { ModelLine } from './model-line.ts'

/** Counts of a node, in events and bytes. Nodes of these pipelines create no events. */
export interface NodeCounts {
  eventsIn: number
  bytesIn: number
  /** Once for each edge that an event left by. */
  eventsOut: number
  bytesOut: number
  dropped: number
  droppedBytes: number
  failed: number
}

/** Counts of nodes, by account, pipeline and node. */
export class CountsModel {
  readonly nodes = new Map<string, NodeCounts>()

  countAll(node: string, lines: readonly ModelLine[], edges = 1): void {
    for (const line of lines) this.count(node, line, true, edges)
  }

  count(node: string, line: ModelLine, passed: boolean, edges = 1): boolean {
    this.countIn(node, line)
    return this.countOut(node, line, passed, edges)
  }

  countIn(node: string, { eventBytes }: ModelLine): void {
    const counts = this.countsOf(node)
    counts.eventsIn++
    counts.bytesIn += eventBytes
  }

  countOut(node: string, { eventBytes: bytes }: ModelLine, passed: boolean, edges = 1): boolean {
    const counts = this.countsOf(node)
    if (passed) {
      counts.eventsOut += edges
      counts.bytesOut += bytes * edges
    } else {
      counts.dropped++
      counts.droppedBytes += bytes
    }
    return passed
  }

  countsOf(node: string): NodeCounts {
    let counts = this.nodes.get(node)
    if (counts === undefined) {
      counts = { eventsIn: 0, bytesIn: 0, eventsOut: 0, bytesOut: 0, dropped: 0, droppedBytes: 0, failed: 0 }
      this.nodes.set(node, counts)
    }
    return counts
  }

  countFailed(node: string, { eventBytes }: ModelLine): false {
    const counts = this.countsOf(node)
    counts.eventsIn++
    counts.bytesIn += eventBytes
    counts.failed++
    return false
  }
}
