import type { PartitionName } from '../../../engine/fold/run-watch.ts'
import type { Catalogue } from '../../../engine/nodes/contract/catalogue.ts'
import { NO_TRANSPORT } from '../../../engine/nodes/contract/define-destination.ts'
import type {
  Delivery,
  FoundBatch,
  HandedDeliveries,
  HandedOver,
} from '../../../engine/replay/explain/handed-deliveries.ts'
import type {
  ExplainedLine,
  ExplainedPipeline,
  ExplainedRecord,
  HandedAs,
  StoredAs,
} from '../../../engine/replay/line-explanation.ts'
import type { MovedEvents, WayStep } from '../../../engine/replay/moved-events.ts'
import type {
  AccountExplainedLine as AccountExplainedLineRecord,
  ExplainedDeliveryRecord,
  ExplainedLine as ExplainedLineRecord,
  ExplainedPipelineRecord,
  ExplainedStepRecord,
} from '../../../schemas/http/pipeline/explanation-api.ts'
import { lineId } from '../../../schemas/log/position.ts'
import { INGEST_TOPIC, type TOPIC_NUMBERS } from '../../../schemas/log/topics.ts'
import type { PipelineDocument } from '../../../schemas/pipeline.ts'
import { isoTime } from '../../http/iso-time.ts'
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

/** A line of a record, whose events were followed to other partitions and to the outbox. */
export interface FollowedLine {
  readonly catalogue: Catalogue
  readonly account: string
  readonly record: ExplainedRecord
  readonly partition: number
  readonly line: ExplainedLine
  readonly moved: MovedEvents
  readonly handed: Pick<HandedDeliveries, 'of'>
}

/** Explanation of a line as the API returns it for one pipeline. */
export function explainedLine(followed: FollowedLine, pipelineId: string): ExplainedLineRecord {
  const { catalogue, line, moved } = followed
  const handled = handledAt(followed)
  const pipeline = line.pipelines.find(({ id }) => id === pipelineId)
  const shown = pipeline && pipelineRecord(followed, pipeline, [...moved.way(pipeline.steps, handled)])
  const ends = endsOf(line, handled, moved)
  const summary = fateOnArrival(line) ?? summaryOf(catalogue, ends, pipelineId, shown)
  return { ...lineRecord(line, handled, ends), summary, pipeline: shown ?? null }
}

/** Explanation of a line as the API returns it for all pipelines of an account. */
export function accountExplainedLine(followed: FollowedLine): AccountExplainedLineRecord {
  const { catalogue, line, moved } = followed
  const handled = handledAt(followed)
  const pipelines = line.pipelines.map(pipeline => ({
    pipeline_id: pipeline.id,
    title: pipeline.document.title,
    ...pipelineRecord(followed, pipeline, [...moved.way(pipeline.steps, handled)]),
  }))
  const ends = endsOf(line, handled, moved)
  const summary = fateOnArrival(line) ?? accountSummary(catalogue, ends, pipelines)
  return { ...lineRecord(line, handled, ends), summary, pipelines }
}

function handledAt({ record: { offset, timeMs }, partition }: FollowedLine): Handled {
  return { topic: INGEST_TOPIC, partition, offset, timeMs }
}

/** Members of the explanation of a line that do not depend on a pipeline. */
function lineRecord(line: ExplainedLine, handled: Handled, ends: Ends) {
  return {
    place: `${placeOf(handled)}/${line.index}`,
    handled_at: isoTime(handled.timeMs),
    event: eventRecord(line.event),
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

/** Events of a line that nodes handed over, in all partitions. */
export function handedBy(followed: FollowedLine): HandedOver[] {
  const { line, record, partition, account, moved } = followed
  const handled = handedAt({ topic: INGEST_TOPIC, partition }, line.handed, record.appendTimeMs, account)
  const arrived = line.pipelines.flatMap(({ steps }) =>
    [...moved.way(steps, { topic: INGEST_TOPIC, partition })].flatMap(({ step, whereabouts }) =>
      step.sentTo !== undefined && typeof whereabouts === 'object'
        ? handedAt(step.sentTo, whereabouts.handed, whereabouts.appendTimeMs, account)
        : [],
    ),
  )
  return [...handled, ...arrived]
}

function handedAt(
  { topic, partition }: PartitionName,
  handed: readonly HandedAs[],
  appendTimeMs: number,
  account: string,
): HandedOver[] {
  return handed.map(({ pipeline, node, position }) => {
    return { source: { topic, partition }, account, pipeline, node, position, appendTimeMs }
  })
}

function pipelineRecord(
  followed: FollowedLine,
  { id, version, document, isPaused, isDropped }: ExplainedPipeline,
  way: readonly WayStep[],
): ExplainedPipelineRecord {
  return {
    revision: document.revision,
    deployment: version,
    paused: isPaused,
    ...(isDropped && { dropped_by_pause: true }),
    took_it: way.length > 0,
    steps: way.flatMap(each =>
      stepRecord(followed, { ...each, pipeline: id }, each.arrival?.revision?.document ?? document),
    ),
  }
}

function stepRecord(
  followed: FollowedLine,
  wayStep: WayStep & { readonly pipeline: string },
  { revision, nodes }: PipelineDocument,
): ExplainedStepRecord[] {
  const { catalogue } = followed
  const { step, at, arrival, whereabouts } = wayStep
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
      ...deliveryOf(followed, wayStep),
      ...(arrival === undefined
        ? {}
        : {
            place: placeOf({ ...arrival, ...at }),
            handled_at: isoTime(arrival.timeMs),
            revision,
          }),
    },
  ]
}

/** Delivery of the event that left the graph by a step. */
function deliveryOf(
  { account, line, handed }: FollowedLine,
  { step, at, arrival, pipeline }: WayStep & { readonly pipeline: string },
): { readonly delivery?: ExplainedDeliveryRecord } {
  const { node, event } = step
  const left = (arrival ?? line).handed.find(
    each => each.pipeline === pipeline && each.node === node && each.event === event,
  )
  const delivery = left && handed.of({ source: at, account, pipeline, node, position: left.position })
  if (delivery === undefined) return {}
  return { delivery: deliveryRecord(delivery) }
}

function deliveryRecord(delivery: Delivery): ExplainedDeliveryRecord {
  switch (delivery.state) {
    case 'dropped':
      return { state: 'dropped' }
    case 'not kept':
      return { state: 'not_kept' }
    case 'waiting':
      return { state: 'waiting', ...batchMembers(delivery.batch) }
    case 'delivered':
    case 'given up': {
      const { batch, attempts, atMs, failure } = delivery
      return {
        state: failure === undefined ? 'delivered' : 'given_up',
        ...batchMembers(batch),
        attempts,
        at: isoTime(atMs),
        ...(failure !== undefined && { error: failure }),
      }
    }
  }
}

function batchMembers(batch: FoundBatch | undefined) {
  return batch === undefined ? {} : { batch_id: batch.id, batch: batch.number }
}

function outcomeOf(
  outcome: WayStep['step']['outcome'],
  whereabouts: WayStep['whereabouts'],
): ExplainedStepRecord['outcome'] {
  if (whereabouts === 'under way') return 'under_way'
  if (whereabouts === 'not kept') return 'not_kept'
  return outcome
}

/** Fate of a line in all pipelines, and in the default graph, in one sentence. */
function accountSummary(
  catalogue: Catalogue,
  { stored, gathered, excluded }: Ends,
  pipelines: AccountExplainedLineRecord['pipelines'],
): string {
  const endsIn = (id: string) => {
    const [count, windows] = [stored, gathered].map(all => all.filter(each => each.pipeline === id).length)
    return [
      ...(count ? [`stored ${times(count)}`] : []),
      ...(windows
        ? [`was the last of a window, and the result of that window is stored ${times(windows)}`]
        : []),
      ...excluded
        .filter(({ pipeline }) => pipeline === id)
        .map(({ reason }) => `not stored${ruleOf(reason)}`),
    ]
  }
  const said = pipelines.flatMap(pipeline => {
    const name = `"${pipeline.title}", revision ${pipeline.revision}`
    if (pipeline.dropped_by_pause) return `${name}: paused, and dropped the line`
    if (pipeline.paused) return `${name}: paused, so it left the line alone`
    if (!pipeline.took_it) return []
    const fate = [...endsIn(pipeline.pipeline_id), ...pipeline.steps.flatMap(step => endOf(catalogue, step))]
    return `${name}: ${fate.length === 0 ? 'nothing left it' : fate.join('; ')}`
  })
  const byDefault = endsIn('')
  if (byDefault.length > 0) said.push(`Without a pipeline: ${byDefault.join('; ')}`)
  return said.length === 0 ? 'No pipeline reads the entrance of the line.' : `${said.join('. ')}.`
}

function summaryOf(
  catalogue: Catalogue,
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
  if (pipeline.dropped_by_pause) return `The pipeline was paused, and dropped the line${others}.`
  if (pipeline.paused) return `The pipeline was paused, so it left the line alone${others}.`
  if (!pipeline.took_it)
    return `Revision ${pipeline.revision} does not read the entrance of the line${others}.`
  const said = pipeline.steps.flatMap(step => endOf(catalogue, step))
  if (byThis > 0) said.unshift(`stored ${times(byThis)}`)
  if (gatheredByThis > 0)
    said.push(`was the last of a window, and the result of that window is stored ${times(gatheredByThis)}`)
  return `Revision ${pipeline.revision}: ${said.length === 0 ? 'nothing left it' : said.join('; ')}${others}.`
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`
}

/** End of the way of an event at a node; empty when it went on, or is stored. */
function endOf(
  catalogue: Catalogue,
  { kind, type, title, node_id: id, outcome, reason, read, errors, delivery }: ExplainedStepRecord,
): string[] {
  const name = title === null ? `${type} ${id}` : `${type} "${title}" (${id})`
  switch (outcome) {
    case 'dropped':
      return [`dropped by ${name}${ruleOf(reason)}`]
    case 'failed':
      return [`failed at ${name}: ${errors.map(saidIn).join(', ')}`]
    case 'held': {
      const waitsFor = catalogue.processorOf(type)?.windows?.waitsFor
      return [
        waitsFor === undefined
          ? `began a window at ${name}, and continues in the result of that window`
          : `is held at ${name}, and waits for ${waitsFor}`,
      ]
    }
    case 'merged':
      return [`was merged with others at ${name}, and continues in the result of that window`]
    case 'moved':
      return []
    case 'under_way':
      return [`on its way from ${name} to where its key is counted, where it has not arrived yet`]
    case 'not_kept':
      return [`went on from ${name} where its key is counted; the log of then is not kept there`]
    case 'passed':
      if (kind === 'sink' && sends(catalogue, type)) return [`handed over to ${name}${saidOf(delivery)}`]
      return read ? [] : [`left ${name} by an output that no node reads`]
  }
}

/** Fate of an event that was handed over, as the end of a sentence. */
function saidOf(delivery: ExplainedDeliveryRecord | undefined): string {
  if (delivery === undefined) return ''
  const { state, batch_id: id, at, error } = delivery
  switch (state) {
    case 'delivered':
      return `, delivered in batch ${id} at ${at}`
    case 'given_up':
      return `, given up with batch ${id} at ${at}: ${error === undefined ? '' : saidIn(error)}`
    case 'waiting':
      return id === undefined ? ', where it waits' : `, where it waits in batch ${id}`
    case 'dropped':
      return ', and dropped when its pipeline was deleted'
    case 'not_kept':
      return '; the log that would show its delivery is not kept'
  }
}

/** Whether the events of a destination leave by requests. */
function sends(catalogue: Catalogue, type: string): boolean {
  const destination = catalogue.destinationOf(type)
  return destination?.delivery === 'requests' && destination.transport !== NO_TRANSPORT
}

/** An error as part of a sentence. */
function saidIn({ code, message }: { readonly code: string; readonly message: string }): string {
  return `${code}: ${message.replace(/\.$/, '')}`
}

function ruleOf(reason: object | undefined): string {
  const { rule } = (reason ?? {}) as { readonly rule?: unknown }
  return typeof rule === 'string' ? `: ${rule}` : ''
}
