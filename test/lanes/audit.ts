import { HandedEvents, handedParts } from '../../engine/delivery/fold/handed-events.ts'
import { type Lane, type LaneCounts, NO_BATCH, RETRYING } from '../../engine/delivery/fold/lane.ts'
import type { Shipment } from '../../engine/delivery/sending/remote.ts'
import { type DeadLetter, lettersIn } from '../../engine/fold/dead-letters/dead-letter.ts'
import { PRESENT_FORMS } from '../../engine/lines/columns/value-forms.ts'
import { controlType } from '../../schemas/log/control.ts'
import { deadLettersType } from '../../schemas/log/dead-letters.ts'
import { deliveryReportsType } from '../../schemas/log/delivery-reports.ts'
import { outgoingType } from '../../schemas/log/outgoing.ts'
import { DEAD_LETTER_TOPIC, OUTBOX_TOPIC } from '../../schemas/log/topics.ts'
import { schemaIdOf } from '../../schemas/log/wire-format.ts'
import { must } from '../simulation/broken-promise.ts'
import { newDice } from '../support/dice.ts'
import { ACCOUNT, textOf } from '../support/outgoing.ts'
import type { LanesWorld } from './lanes-world.ts'
import type { PlannedNode } from './plan.ts'
import { replayedLanes } from './replayed-lanes.ts'
import { isBad } from './simulated-remotes.ts'

/** The lines that one node must deliver, in the order in which they were handed over. */
interface Expected {
  readonly node: PlannedNode
  readonly lines: readonly string[]
  /** Whether its pipeline was deleted, so that any of them may be dropped. */
  readonly isDeleted: boolean
}

/** Checks every promise of deliveries on a world that has come to rest. @throws BrokenPromise */
export function audit(world: LanesWorld): void {
  must(world.alarms.length === 0, 'nothing unexplained happens', () => world.alarms.join('\n'))
  const letters = lettersOf(world)
  for (const expected of expectedOf(world)) {
    auditDeliveries(world, expected, letters)
    auditShipments(world, expected.node)
    auditCounts(world, expected, letters)
    auditErrors(world, expected.node)
  }
  auditReports(world, letters)
  auditTroubles(world)
  auditTicks(world)
  auditReplay(world)
}

function expectedOf(world: LanesWorld): Expected[] {
  const lines = new Map<string, Set<string>>()
  const deleted = new Set<string>()
  for (const { value } of world.broker.archive(OUTBOX_TOPIC, 0)) {
    if (schemaIdOf(value) !== outgoingType.id) continue
    for (const part of handedParts(outgoingType.decode(value), PRESENT_FORMS)) {
      if (part instanceof HandedEvents) {
        const known = lines.get(part.node) ?? new Set()
        lines.set(part.node, known)
        for (const event of part.events) known.add(textOf(event))
      } else deleted.add(part.pipeline)
    }
  }
  return world.plan.nodes.map(node => ({
    node,
    lines: [...(lines.get(node.node) ?? [])],
    isDeleted: deleted.has(node.pipeline),
  }))
}

/** Dead letters by their lines. */
function lettersOf(world: LanesWorld): Map<string, DeadLetter> {
  const letters = new Map<string, DeadLetter>()
  const names = new Map<string, string>()
  for (const { value } of world.broker.archive(DEAD_LETTER_TOPIC, 0)) {
    for (const part of deadLettersType.decode(value).parts) {
      if (!('weir.FailedEvents' in part)) continue
      for (const letter of lettersIn(part['weir.FailedEvents'])) {
        const line = textOf(letter.event)
        const name = `${letter.offset} ${letter.row}`
        const known = letters.get(line)
        must(
          known === undefined || `${known.offset} ${known.row}` === name,
          'an event has one dead letter',
          () => `${line} has ${name} and ${known?.offset} ${known?.row}`,
        )
        must((names.get(name) ?? line) === line, 'a name has one letter', () => `${name} names ${line}`)
        letters.set(line, letter)
        names.set(name, line)
      }
    }
  }
  return letters
}

/** Each event is delivered, or was given up; in order. */
function auditDeliveries(
  { plan, remotes }: LanesWorld,
  { node, lines, isDeleted }: Expected,
  letters: ReadonlyMap<string, DeadLetter>,
): void {
  const accepted = new Set(
    remotes.accepted.filter(each => each.node === node.node).flatMap(each => each.lines),
  )
  const mayGiveUp = plan.giveUpAfterMs !== null
  for (const line of lines) {
    if (isDeleted) continue
    const isGivenUp = plan.keepsLetters ? letters.has(line) : isBad(line) || mayGiveUp
    must(accepted.has(line) || isGivenUp, 'no event is lost', () => `${line} of ${node.node}`)
    if (!isBad(line) && !mayGiveUp)
      must(!letters.has(line), 'a good event is not given up', () => `${line} of ${node.node}`)
    if (isBad(line) && plan.keepsLetters)
      must(letters.has(line), 'a bad event is given up', () => `${line} of ${node.node}`)
  }
  for (const line of accepted)
    must(lines.includes(line), 'only what was handed over is sent', () => `${line} to ${node.node}`)
  // Events that a busy remote wants again come behind others of their batch.
  if (node.judges === 'busy') return
  for (const split of new Set(lines.map(line => splitOf(node, line)))) {
    const own = (line: string) => splitOf(node, line) === split && !(mayGiveUp && letters.has(line))
    if (mayGiveUp && !plan.keepsLetters) continue
    const found = [...accepted].filter(own)
    const wanted = lines.filter(line => own(line) && accepted.has(line))
    must(
      found.join() === wanted.join(),
      'order is kept',
      () => `${found.join(', ')} instead of ${wanted.join(', ')}`,
    )
  }
}

function splitOf({ options }: PlannedNode, line: string): string {
  return options.splits ? (line.split(' ')[0] as string) : ''
}

/** A repeat is the same batch, and batches do not overlap. */
function auditShipments({ remotes }: LanesWorld, { node }: PlannedNode): void {
  const known = new Map<string, string>()
  const sets = new Map<string, ReadonlySet<string>>()
  for (const each of remotes.shipments) {
    if (each.node !== node) continue
    const { id } = each.shipment
    const text = contentOf(each.shipment)
    must(
      (known.get(id) ?? text) === text,
      'a repeat is the same',
      () => `${text} instead of ${known.get(id)}`,
    )
    known.set(id, text)
    sets.set(id, new Set(each.shipment.events.map(({ event }) => textOf(event))))
  }
  // Two parts of a batch may overlap, because a remote may want other events again after a restart.
  const all = [...sets.values()]
  const batches = all.filter(one => !all.some(other => isWithin(one, other)))
  const lines = new Set<string>()
  for (const batch of batches)
    for (const line of batch) {
      must(
        !lines.has(line),
        'batches do not overlap',
        () => `${line} is in two, one is ${[...batch].join(', ')}`,
      )
      lines.add(line)
    }
}

/** Whether a set is a smaller part of another. */
function isWithin(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return one.size < other.size && one.isSubsetOf(other)
}

function contentOf({ version, split, closedMs, events }: Shipment): string {
  const texts = events.map(
    ({ event, source, position: { offset, row } }) => `${textOf(event)} ${source} ${offset} ${row}`,
  )
  return `${version} ${split} ${closedMs}: ${texts.join(', ')}`
}

/** Handed over = delivered + given up + dropped, and nothing waits. */
function auditCounts(
  world: LanesWorld,
  { node, lines, isDeleted }: Expected,
  letters: ReadonlyMap<string, DeadLetter>,
): void {
  const lane = world.last.fold.lane(ACCOUNT, node.pipeline, node.node)
  const none = { handedOver: 0, delivered: 0, givenUp: 0, dropped: 0 }
  const { handedOver, delivered, givenUp, dropped }: LaneCounts = lane?.counts ?? none
  const found = () => `${node.node}: ${JSON.stringify(lane?.counts)} of ${lines.length}`
  must(handedOver === lines.length, 'each event is handed over once', found)
  must(
    handedOver === delivered + givenUp + dropped && waitingOf(lane) === 0,
    'the counts are complete',
    found,
  )
  must(isDeleted || dropped === 0, 'only a deletion drops events', found)
  if (!world.plan.keepsLetters) return
  const kept = lines.filter(line => letters.has(line)).length
  must(givenUp === kept, 'each event that is given up has a letter', () => `${found()}, ${kept} letters`)
}

/** Each event that is given up is in the store as an error, once. */
function auditErrors({ store, last }: LanesWorld, { pipeline, node }: PlannedNode): void {
  const givenUp = last.fold.lane(ACCOUNT, pipeline, node)?.counts.givenUp ?? 0
  const stored = store
    .rows('pipeline_errors')
    .filter(row => row.node === node && row.code !== 'E_DELIVERY_RETRYING')
    .reduce((sum, { count }) => sum + Number(count), 0)
  must(stored === givenUp, 'errors are stored once', () => `${node}: ${stored} instead of ${givenUp}`)
}

/** Letters stem from reports of the worker that had the partition, and of these from the first about a batch. */
function auditReports(world: LanesWorld, letters: ReadonlyMap<string, DeadLetter>): void {
  const offsets = new Set<number>()
  const answered = new Set<string>()
  let epoch = -1
  for (const { offset, value } of world.broker.archive(OUTBOX_TOPIC, 0)) {
    const id = schemaIdOf(value)
    if (id === controlType.id && 'weir.Owner' in controlType.decode(value).body) epoch = Number(offset)
    if (id !== deliveryReportsType.id) continue
    const record = deliveryReportsType.decode(value)
    if (record.epoch !== epoch) continue
    for (const { node, birth, batch } of record.reports) {
      const name = `${node} ${birth} ${batch}`
      if (!answered.has(name)) offsets.add(Number(offset))
      answered.add(name)
    }
  }
  for (const [line, { offset }] of letters)
    must(offsets.has(offset), 'only the owner of the partition gives up', () => `${line} by report ${offset}`)
}

/** An operator is told once of each trouble: between two times the remote has taken a request. */
function auditTroubles({ broker, heard }: LanesWorld): void {
  const told = new Map<string, number>()
  const values = new Set<string>()
  let epoch = -1
  for (const { offset, value } of broker.archive(OUTBOX_TOPIC, 0)) {
    const id = schemaIdOf(value)
    if (id === controlType.id && 'weir.Owner' in controlType.decode(value).body) epoch = Number(offset)
    if (id !== deliveryReportsType.id) continue
    const record = deliveryReportsType.decode(value)
    // An append whose answer is lost is repeated.
    const isRepeat = values.has(value.toString('latin1'))
    values.add(value.toString('latin1'))
    if (record.epoch !== epoch || isRepeat) continue
    for (const { node, batch, failures } of record.reports) {
      if (batch !== NO_BATCH || !failures.some(({ code }) => code === RETRYING)) continue
      const before = told.get(node) ?? 0
      const answers = heard.filter(each => each.node === node && each.end <= Number(offset)).length
      must(
        before <= answers,
        'a trouble is told once',
        () => `${node}: ${before + 1} after ${answers} answers`,
      )
      told.set(node, before + 1)
    }
  }
}

/** A tick names a deadline that has passed. */
function auditTicks({ broker, steppedBackMs }: LanesWorld): void {
  for (const { value, appendTimeMs } of broker.archive(OUTBOX_TOPIC, 0)) {
    if (schemaIdOf(value) !== controlType.id) continue
    const { body } = controlType.decode(value)
    if (!('weir.Tick' in body)) continue
    const { deadlineMs } = body['weir.Tick']
    const found = () => `${deadlineMs} at ${appendTimeMs}`
    must(deadlineMs <= appendTimeMs + steppedBackMs, 'time does not run ahead of the clock', found)
  }
}

function waitingOf(lane: Lane | undefined): number {
  return lane?.waiting ?? 0
}

/** The log alone gives the batches that were sent, and the state of the last worker. */
function auditReplay(world: LanesWorld): void {
  const records = world.broker.archive(OUTBOX_TOPIC, 0)
  const dice = newDice(world.plan.seed ^ 0x1a2e)
  const { fold, batches } = replayedLanes(world.logId, records, () => dice.chance(0.7))
  const last = world.last.fold.checkpoint()
  must(fold.checkpoint().equals(last), 'a replay gives the same state', () => 'checkpoints differ')
  const sent = new Set(world.remotes.shipments.map(({ shipment }) => shipment.id))
  for (const [node, ids] of batches)
    for (const id of ids)
      must(sent.has(id), 'a replay gives the same batches', () => `${id} of ${node} was not sent`)
}
