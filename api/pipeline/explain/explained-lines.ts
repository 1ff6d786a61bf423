import type { PartitionName } from '../../../engine/fold/run-watch.ts'
import type { Catalogue } from '../../../engine/nodes/contract/catalogue.ts'
import type {
  ExplainedLine,
  ExplainedPipeline,
  ExplainedRecord,
  StoredAs,
} from '../../../engine/replay/line-explanation.ts'
import type { MovedEvents, WayStep } from '../../../engine/replay/moved-events.ts'
import type {
  ExplainedLine as ExplainedLineRecord,
  ExplainedPipelineRecord,
  ExplainedStepRecord,
} from '../../../schemas/http/pipeline/explanation-api.ts'
import { lineId } from '../../../schemas/log/position.ts'
import { INGEST_TOPIC, type TOPIC_NUMBERS } from '../../../schemas/log/topics.ts'
import type { PipelineDocument } from '../../../schemas/pipeline.ts'
import { eventRecord } from '../event-record.ts'

/** Place and time at which something was handled. */
interface Handled extends PartitionName {
  readonly offset: bigint
  /** Log time, UNIX ms. */
  readonly timeMs: number
}

type StoredAt = StoredAs & { readonly handled: Handled }

/** Ends of a line at its destinations, in all partitions. */
interface Ends {
  readonly stored: readonly StoredAt[]
  /** Stored output of windows in which it was the last line. */
  readonly gathered: readonly StoredAt[]
  readonly excluded: ExplainedLine['excluded']
}

/** Explanation of a line as the API returns it. @param moved has followed its events to other partitions */
export function explainedLine(
  catalogue: Catalogue,
  { offset, timeMs }: ExplainedRecord,
  partition: number,
  line: ExplainedLine,
  pipelineId: string,
  moved: MovedEvents,
): ExplainedLineRecord {
  const handled: Handled = { topic: INGEST_TOPIC, partition, offset, timeMs }
  const pipeline = line.pipelines.find(({ id }) => id === pipelineId)
  const shown = pipeline && pipelineRecord(catalogue, pipeline, [...moved.way(pipeline.steps, handled)])
  const ends = endsOf(line, handled, moved)
  return {
    place: `${placeOf(handled)}/${line.index}`,
    handled_at: new Date(timeMs).toISOString(),
    event: eventRecord(line.event),
    summary: fateOnArrival(line) ?? summaryOf(ends, pipelineId, shown),
    stored: [...ends.stored, ...ends.gathered].map(({ handled: at, row, pipeline: by, node }) => ({
      line_id: lineId({ ...at, topic: at.topic as keyof typeof TOPIC_NUMBERS, row }),
      pipeline_id: by === '' ? null : by,
      node_id: by === '' ? null : node,
    })),
    excluded: [
      ...(line.droppedFor === undefined
        ? []
        : [{ pipeline_id: null, node_id: null, reason: line.droppedFor }]),
      ...ends.excluded.map(({ pipeline: by, node, reason }) => ({
        pipeline_id: by === '' ? null : by,
        node_id: by === '' ? null : node,
        reason,
      })),
    ],
    pipeline: shown ?? null,
  }
}

/** Returns the reason why no pipeline received a line. */
function fateOnArrival({ isRepeat, droppedFor }: ExplainedLine): string | undefined {
  if (isRepeat) return 'It repeats a request that came before, so it was passed over: look at the first one.'
  return droppedFor && `Dropped by ${droppedFor.rule} before any pipeline.`
}

function endsOf(line: ExplainedLine, handled: Handled, moved: MovedEvents): Ends {
  const arrived = line.pipelines.flatMap(({ steps }) =>
    [...moved.way(steps, handled)].flatMap(({ step, whereabouts }) =>
      step.sentTo !== undefined && typeof whereabouts === 'object'
        ? { ...whereabouts, handled: { ...whereabouts, ...step.sentTo } }
        : [],
    ),
  )
  const all = [{ ...line, handled }, ...arrived]
  const at = (member: 'stored' | 'gathered') =>
    all.flatMap(each => each[member].map(one => ({ ...one, handled: each.handled })))
  return {
    stored: at('stored'),
    gathered: at('gathered'),
    excluded: all.flatMap(each => each.excluded),
  }
}

function placeOf({ topic, partition, offset }: Handled): string {
  return `${topic}/${partition}/${offset}`
}

function pipelineRecord(
  catalogue: Catalogue,
  { version, document, isPaused }: ExplainedPipeline,
  way: readonly WayStep[],
): ExplainedPipelineRecord {
  return {
    revision: document.revision,
    deployment: version,
    paused: isPaused,
    took_it: way.length > 0,
    steps: way.flatMap(each => stepRecord(catalogue, each, each.arrival?.revision?.document ?? document)),
  }
}

function stepRecord(
  catalogue: Catalogue,
  { step, at, arrival, whereabouts }: WayStep,
  { revision, nodes }: PipelineDocument,
): ExplainedStepRecord[] {
  const { node: id, outputs, event, reason, errors } = step
  const node = nodes.find(each => each.id === id)
  if (node === undefined) return []
  const { kind, type, title } = node
  const idOf = (name: string) =>
    catalogue.outputsOf(node).find(output => (output.name ?? '') === name)?.id ?? id
  const left = kind === 'sink' ? [] : outputs.map(idOf)
  const isRead = () => left.some(output => nodes.some(({ inputs }) => inputs.includes(output)))
  return [
    {
      node_id: id,
      kind,
      type,
      title,
      outcome: outcomeOf(step.outcome, whereabouts),
      outputs: left,
      read: kind === 'sink' || step.outcome !== 'passed' || isRead(),
      event: eventRecord(event),
      ...(reason === undefined ? {} : { reason }),
      errors: errors.map(({ code, field, message }) => ({ code, field, message })),
      ...(arrival === undefined
        ? {}
        : {
            place: placeOf({ ...arrival, ...at }),
            handled_at: new Date(arrival.timeMs).toISOString(),
            revision,
          }),
    },
  ]
}

function outcomeOf(
  outcome: WayStep['step']['outcome'],
  whereabouts: WayStep['whereabouts'],
): ExplainedStepRecord['outcome'] {
  if (whereabouts === 'under way') return 'under_way'
  if (whereabouts === 'not kept') return 'not_kept'
  return outcome
}

function summaryOf(
  { stored, gathered, excluded }: Ends,
  pipelineId: string,
  pipeline: ExplainedPipelineRecord | undefined,
): string {
  const byThis = stored.filter(each => each.pipeline === pipelineId).length
  const gatheredByThis = gathered.filter(each => each.pipeline === pipelineId).length
  const elsewhere = stored.length + gathered.length - byThis - gatheredByThis
  const others = [
    ...(elsewhere === 0 ? [] : [`; stored ${times(elsewhere)} without it`]),
    ...excluded
      .filter(each => each.pipeline !== pipelineId)
      .map(({ reason }) => `; not stored without it${ruleOf(reason)}`),
  ].join('')
  if (pipeline === undefined) return `The pipeline was not deployed when the line was handled${others}.`
  if (pipeline.paused) return `The pipeline was paused, so it left the line alone${others}.`
  if (!pipeline.took_it)
    return `Revision ${pipeline.revision} does not read the entrance of the line${others}.`
  const said = pipeline.steps.flatMap(endOf)
  if (byThis > 0) said.unshift(`stored ${times(byThis)}`)
  if (gatheredByThis > 0)
    said.push(`was the last of a window, and the result of that window is stored ${times(gatheredByThis)}`)
  return `Revision ${pipeline.revision}: ${said.length === 0 ? 'nothing left it' : said.join('; ')}${others}.`
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`
}

/** Reasons why an event did not get beyond a node; empty when it did. */
function endOf({ type, title, node_id: id, outcome, reason, read, errors }: ExplainedStepRecord): string[] {
  const name = title === null ? `${type} ${id}` : `${type} "${title}" (${id})`
  switch (outcome) {
    case 'dropped':
      return [`dropped by ${name}${ruleOf(reason)}`]
    case 'failed':
      return [`failed at ${name}: ${errors.map(saidIn).join(', ')}`]
    case 'held':
    case 'merged':
      return [
        `${outcome === 'held' ? 'began a window at' : 'was merged with others at'} ${name}, and continues in the result of that window`,
      ]
    case 'moved':
      return []
    case 'under_way':
      return [`on its way from ${name} to where its key is counted, where it has not arrived yet`]
    case 'not_kept':
      return [`went on from ${name} where its key is counted; the log of then is not kept there`]
    case 'passed':
      return read ? [] : [`left ${name} by an output that no node reads`]
  }
}

/** An error as part of a sentence. */
function saidIn({ code, message }: ExplainedStepRecord['errors'][number]): string {
  return `${code}: ${message.replace(/\.$/, '')}`
}

function ruleOf(reason: object | undefined): string {
  const { rule } = (reason ?? {}) as { readonly rule?: unknown }
  return typeof rule === 'string' ? `: ${rule}` : ''
}
