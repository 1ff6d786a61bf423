import type { RecordPlace } from '../../../engine/replay/explain/line-origin.ts'
import type { ExplainedWindow } from '../../../engine/replay/explain/window-explanation.ts'
import type { ExplainedLine as ExplainedLineRecord } from '../../../schemas/http/pipeline/explanation-api.ts'
import { lineId } from '../../../schemas/log/position.ts'
import type { TOPIC_NUMBERS } from '../../../schemas/log/topics.ts'
import { isoTime } from '../../http/iso-time.ts'
import { eventRecord } from '../event-record.ts'

/**
 * Explanation of a stored line that a window emitted, as the API returns it, without pipelines. @param ended record that ended the window
 */
export function windowRecord(
  explained: ExplainedWindow,
  ended: RecordPlace,
): Omit<ExplainedLineRecord, 'pipeline'> {
  const { pipeline, document, node, window, endedMs, event, stored } = explained
  const { topic, partition, offset } = ended
  const endedAt = isoTime(endedMs)
  return {
    place: `${topic}/${partition}/${offset}`,
    handled_at: endedAt,
    event: eventRecord(event),
    summary: summaryOf(explained, endedAt),
    stored: stored.map(({ row, pipeline: by, node: sink }) => ({
      line_id: lineId({
        topic: topic as keyof typeof TOPIC_NUMBERS,
        partition,
        offset,
        row,
        timeMs: endedMs,
      }),
      pipeline_id: by,
      node_id: sink,
    })),
    excluded: [],
    window: {
      pipeline_id: pipeline,
      revision: document.revision,
      node_id: node,
      ended_at: endedAt,
      ...window,
    },
  }
}

function summaryOf({ document, node: id, window }: ExplainedWindow, endedAt: string): string {
  const { type = 'node', title = null } = document.nodes.find(node => node.id === id) ?? {}
  const name = title === null ? `${type} ${id}` : `${type} "${title}" (${id})`
  const from = `It came out of a window of ${name} of revision ${document.revision}`
  if (window === undefined) return `${from}, which an event ended at ${endedAt}.`
  const { events, group } = window
  const count = events === 1 ? 'one event' : `${events} events`
  return `${from}, which ended at ${endedAt} with ${count}${group === '' ? '' : ` of the group ${group}`}.`
}
