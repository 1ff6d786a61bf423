import type { JsonObject } from '../../schemas/json.ts'
import type { Event, LineOrigin } from '../event/event.ts'
import { type WordMember, wordMemberAt } from '../event/word-member.ts'
import { type ColumnProcess, type JudgeLines, NO_LINE } from '../nodes/contract/column-form.ts'
import type { Processor } from '../nodes/contract/define-processor.ts'

/** Preparing the columns of a batch is not worth it for fewer events. */
const FEWEST_EVENTS = 32

type LineBatch = LineOrigin['batch']

/** Judges events of a node that are untouched lines of one batch, by the columns of the batch. */
export class LineJudge {
  readonly #process: ColumnProcess
  readonly #members: ReadonlyMap<string, WordMember>
  #batch: LineBatch | undefined
  #judge: JudgeLines | undefined
  #lines = new Uint32Array(0)
  #outcomes = new Uint8Array(0)

  /** @param members members to which the paths of the process lead, by path */
  constructor(processLines: ColumnProcess, members: ReadonlyMap<string, WordMember>) {
    this.#process = processLines
    this.#members = members
  }

  /**
   * Judges the events from one index to another.
   *
   * @returns their outcomes, valid until the next call; undefined: all of them are undecided
   */
  outcomesOf(events: readonly Event[], from: number, until: number): Uint8Array | undefined {
    const count = until - from
    const batch = events[from]?.origin?.batch
    if (count < FEWEST_EVENTS || batch === undefined || batch.isPushed) return undefined
    if (this.#lines.length < count) {
      this.#lines = new Uint32Array(count)
      this.#outcomes = new Uint8Array(count)
    }
    const lines = this.#lines
    for (let index = 0; index < count; index++) {
      const event = events[from + index] as Event
      const { origin } = event
      lines[index] = origin?.batch === batch && event.untouched ? origin.index : NO_LINE
    }
    this.#judgeOf(batch)(lines, count, this.#outcomes)
    return this.#outcomes
  }

  /** Forgets the batch of the run. */
  close(): void {
    this.#batch = undefined
    this.#judge = undefined
  }

  #judgeOf(batch: LineBatch): JudgeLines {
    if (this.#judge !== undefined && this.#batch === batch) return this.#judge
    const columns = new Map(
      [...this.#members].map(([path, member]) => [path, batch.wordsOf(member)] as const),
    )
    this.#batch = batch
    this.#judge = this.#process(columns)
    return this.#judge
  }
}

/** @returns undefined when the processor needs events with these options */
export function lineJudge({ columns, state }: Processor, config: JsonObject): LineJudge | undefined {
  const paths = state === undefined ? columns?.paths(config) : undefined
  if (columns === undefined || paths === undefined) return undefined
  const members = new Map<string, WordMember>()
  for (const path of paths) {
    const member = wordMemberAt(path)
    if (member === undefined) return undefined
    members.set(path, member)
  }
  return new LineJudge(columns.compile(config), members)
}
