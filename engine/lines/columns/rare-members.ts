import type { RareMembers } from '../../../schemas/log/line-batch.ts'
import { eventParser, parsingExactJson } from '../../json/exact-json.ts'
import { findingNesting } from '../../json/json-source.ts'
import type { Steps } from '../../steps.ts'
import type { LineBatchView } from './line-batch-view.ts'

/** Rare members of this size are parsed in steps, in bytes: a parse in one go takes some milliseconds. */
export const LONG_RARE_BYTES = 64 * 1024

/** Levels of arrays and objects that a value noted as shallow has at most. The body of a request has 256, three of them around it. */
export const SHALLOW_LEVELS = 254
/** Arrays and objects that need no walk to see that they are shallow. It decides nothing. */
const SHALLOW = new WeakSet<object>()

/** Whether a value is known to have at most `SHALLOW_LEVELS`; false: nobody has looked. */
export function isKnownShallow(value: object): boolean {
  return SHALLOW.has(value)
}

/** Long rare members that were parsed in steps, by the indexes of their lines. They decide nothing. */
const READ = new WeakMap<LineBatchView, ReadonlyMap<number, RareMembers>>()

/** Members of a line that few senders use, with all digits of integers; undefined without such members. */
export function rareMembersOf(batch: LineBatchView, index: number): RareMembers | undefined {
  if (batch.rareBytes(index) >= LONG_RARE_BYTES) {
    const read = READ.get(batch)?.get(index)
    if (read !== undefined) return read
  }
  const text = batch.restText(index)
  return text === '' ? undefined : (eventParser(batch.forms.isExact)(text) as RareMembers)
}

/**
 * Parses the long rare members of lines in steps. Until `forgetRareMembers`, `rareMembersOf` returns them without a parse. Nothing
 * may change them.
 *
 * @param indexes of the lines
 */
export function* readingRareMembers(batch: LineBatchView, indexes: readonly number[]): Steps {
  if (batch.hasTextsAlone || batch.isPushed || !batch.forms.isExact) return
  const read = new Map<number, RareMembers>()
  for (const index of indexes)
    if (batch.rareBytes(index) >= LONG_RARE_BYTES) {
      yield
      const text = batch.restText(index)
      const rare = (yield* parsingExactJson(text)) as RareMembers
      // Each of them is within an object.
      if ((yield* findingNesting(text)) - 1 <= SHALLOW_LEVELS) noteShallow(rare)
      read.set(index, rare)
    }
  if (read.size > 0) READ.set(batch, read)
}

function noteShallow({ label, annotation, other = {} }: RareMembers): void {
  for (const value of [label, annotation, ...Object.values(other)])
    if (typeof value === 'object' && value !== null) SHALLOW.add(value)
}

export function forgetRareMembers(batch: LineBatchView): void {
  READ.delete(batch)
}
