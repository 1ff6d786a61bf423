import { SECOND_BEHAVIOUR } from '../../../schemas/log/behaviour-numbers.ts'
import type { ReplayedEvents } from '../../../schemas/log/dead-letters.ts'
import type { Position } from '../../../schemas/log/position.ts'
import { RECORD_BYTES } from '../../../schemas/log/record-size.ts'
import { type RekeyedPart, rekeyedType } from '../../../schemas/log/rekeyed.ts'
import { partitionOfAccount } from '../../../schemas/log/topics.ts'
import type { Event } from '../../event/event.ts'
import { sharedBytes } from '../../event/event-columns.ts'
import type { Catalogue } from '../../nodes/contract/catalogue.ts'
import { behaviourOfCut } from '../cuts/registry.ts'
import { type DeadLetter, deadLetterValues } from '../dead-letters/dead-letter.ts'
import { behaviourOfEvents } from '../event-behaviour.ts'
import type { FoldPartition } from './key-placement.ts'
import { type HandingNode, OutgoingMail } from './outgoing-mail.ts'
import { type EventRun, encodedRun, isSamePlace, type WaitingPlace } from './rekeyed-part.ts'
import type { Target } from './target.ts'

/** A record for another partition. */
export interface OutgoingRecord extends Target {
  readonly value: Buffer
  /** True: it only ends lanes of the outbox (`weir.outbox`), and is not needed without one. */
  readonly endsLanes?: boolean
}

export type SentPart = EventRun | { readonly part: RekeyedPart; readonly bytes: number }

/** Parts sent to one partition, in order. */
export interface Mail {
  readonly target: Target
  readonly account: string
  readonly parts: SentPart[]
}

interface DeadLetterMail {
  readonly letters: DeadLetter[]
  readonly replays: ReplayedEvents[]
}

/**
 * Parts that a fold has sent to other partitions and that were not taken yet. They are appended in rounds, one after the
 * other, and within a round in order for each partition. Repeated parts are dropped one by one by their positions, so
 * their division into records has no effect.
 */
export class FoldMail {
  readonly #catalogue: Catalogue
  readonly #own: FoldPartition
  #rounds: Map<string, Mail>[] = [new Map()]
  /** Dead letters by account. They are not part of the rounds, because nothing waits for them. */
  #deadLetters = new Map<string, DeadLetterMail>()
  /** Records for the outbox, by account. They are not part of the rounds, either. */
  #outgoing = new Map<string, OutgoingMail>()

  constructor(catalogue: Catalogue, own: FoldPartition) {
    this.#catalogue = catalogue
    this.#own = own
  }

  get empty(): boolean {
    return (
      this.#rounds.length === 1 &&
      this.#rounds[0]?.size === 0 &&
      this.#deadLetters.size + this.#outgoing.size === 0
    )
  }

  addEvent(target: Target, account: string, place: WaitingPlace, event: Event, position: Position): void {
    const entrance = event.origin?.batch.entrance ?? ''
    const { parts } = this.#mail(target, account)
    const last = parts.at(-1)
    if (last !== undefined && 'events' in last && isSamePlace(last, { place, entrance })) {
      last.events.push(event)
      last.positions.push(position)
      return
    }
    parts.push({ place, entrance, events: [event], positions: [position] })
  }

  /** @param bytes approximate size of the part */
  add(target: Target, account: string, part: RekeyedPart, bytes: number): void {
    this.#mail(target, account).parts.push({ part, bytes })
  }

  addDeadLetter(account: string, letter: DeadLetter): void {
    this.#deadLetterMail(account).letters.push(letter)
  }

  addReplay(account: string, replay: ReplayedEvents): void {
    this.#deadLetterMail(account).replays.push(replay)
  }

  /** Hands an event over to the lanes of this partition. */
  addOutgoing(account: string, from: HandingNode, event: Event, position: Position): void {
    this.#outgoingMail(account).add(from, event, position)
  }

  /** Hands over that a pipeline is deleted. */
  addDeletion(account: string, pipeline: string, position: Position): void {
    this.#outgoingMail(account).delete(pipeline, position)
  }

  /** Ends a round: later parts, for any partition, are appended only when all earlier ones are durable. */
  endRound(): void {
    if (this.#rounds.at(-1)?.size !== 0) this.#rounds.push(new Map())
  }

  /** Takes all parts, round by round. */
  take(): OutgoingRecord[][] {
    const rounds = this.#rounds.map(round => [...round.values()].flatMap(mail => this.#records(mail)))
    const letters = [...this.#deadLetters].flatMap(([account, mail]) =>
      this.#deadLetterRecords(account, mail),
    )
    rounds.push([...letters, ...this.#outgoingRecords()])
    this.discard()
    return rounds.filter(records => records.length > 0)
  }

  /** Takes all parts between partitions, for callers that deliver them without a log. The others are dropped. */
  takeMail(): Mail[] {
    const mails = new Map<string, Mail>()
    for (const round of this.#rounds) {
      for (const [key, mail] of round) {
        const earlier = mails.get(key)
        mails.set(key, earlier === undefined ? mail : { ...mail, parts: [...earlier.parts, ...mail.parts] })
      }
    }
    this.discard()
    return [...mails.values()]
  }

  /** Drops all parts; for observers that send nothing. */
  discard(): void {
    this.#rounds = [new Map()]
    this.#deadLetters = new Map()
    this.#outgoing = new Map()
  }

  #mail(target: Target, account: string): Mail {
    const round = this.#rounds.at(-1) as Map<string, Mail>
    const key = `${target.topic} ${target.partition} ${account}`
    let mail = round.get(key)
    if (mail === undefined) {
      mail = { target, account, parts: [] }
      round.set(key, mail)
    }
    return mail
  }

  #deadLetterMail(account: string): DeadLetterMail {
    let mail = this.#deadLetters.get(account)
    if (mail === undefined) {
      mail = { letters: [], replays: [] }
      this.#deadLetters.set(account, mail)
    }
    return mail
  }

  #outgoingMail(account: string): OutgoingMail {
    const mail = this.#outgoing.get(account) ?? new OutgoingMail(account)
    this.#outgoing.set(account, mail)
    return mail
  }

  /** The lanes of a partition have the number of the partition that hands over. */
  #outgoingRecords(): OutgoingRecord[] {
    const { partition } = this.#own
    return [...this.#outgoing.values()].flatMap(mail =>
      Array.from(mail.values(this.#own), value => ({ topic: 'outbox' as const, partition, ...value })),
    )
  }

  #deadLetterRecords(account: string, { letters, replays }: DeadLetterMail): OutgoingRecord[] {
    const partition = partitionOfAccount(account, this.#own.partitions)
    return deadLetterValues(account, letters, replays).map(value => {
      return { topic: 'deadLetters', partition, value }
    })
  }

  #records({ target, account, parts }: Mail): OutgoingRecord[] {
    const records: OutgoingRecord[] = []
    let waiting: RekeyedPart[] = []
    let waitingBytes = 0
    let behaviour = SECOND_BEHAVIOUR
    const close = () => {
      if (waiting.length === 0) return
      const { topic: sourceTopic, partition: sourcePartition } = this.#own
      const value = rekeyedType.encode(
        { behaviour, sourceTopic, sourcePartition, account, parts: waiting },
        waitingBytes + 4096,
      )
      records.push({ ...target, value })
      waiting = []
      waitingBytes = 0
      behaviour = SECOND_BEHAVIOUR
    }
    for (const part of parts) {
      for (const { encoded, bytes } of 'events' in part
        ? eventParts(part, account)
        : [{ encoded: part.part, bytes: part.bytes }]) {
        if (waitingBytes + bytes > RECORD_BYTES) close()
        waiting.push(encoded)
        waitingBytes += bytes
        behaviour = Math.max(behaviour, behaviourOf(this.#catalogue, part))
      }
    }
    close()
    return records
  }
}

/** Behaviour number that a program needs to read the part. */
function behaviourOf(catalogue: Catalogue, part: SentPart): number {
  if ('events' in part) return behaviourOfEvents(part.events)
  if (!('weir.ForwardedCut' in part.part)) return SECOND_BEHAVIOUR
  return behaviourOfCut(catalogue, part.part['weir.ForwardedCut'])
}

/** Divides a run of events into pieces that fit into a record. */
function* eventParts(
  { place, entrance, events, positions }: EventRun,
  account: string,
): Generator<{ encoded: RekeyedPart; bytes: number }> {
  let first = 0
  let bytes = 0
  for (let end = 1; end <= events.length; end++) {
    const event = events[end - 1] as Event
    bytes += event.bytes + sharedBytes(event) + 64
    if (end < events.length && bytes < RECORD_BYTES) continue
    const run = { place, entrance, events: events.slice(first, end), positions: positions.slice(first, end) }
    const encoded = encodedRun(run, account)
    yield {
      encoded: { 'weir.RekeyedEvents': encoded },
      bytes: encoded.lines.length + 12 * run.events.length,
    }
    first = end
    bytes = 0
  }
}
