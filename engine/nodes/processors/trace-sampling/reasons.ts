import type { JsonObject } from '../../../../schemas/json.ts'

/** Rules that leave out spans, for explanations. */
export const NO_CONDITION: JsonObject = { rule: 'the root of its trace met no condition' }
export const NO_ROOM: JsonObject = {
  rule: 'too many spans, or spans of too many traces, waited for their root',
}
export const NO_ROOT: JsonObject = { rule: 'the root of its trace did not come in time' }
export const DECIDED: JsonObject = {
  rule: 'its trace is dropped: its root was not kept, or too many spans waited for it',
}

/** @param rate one of how many traces is kept */
export function notFirst({ rate }: { readonly rate: number }): JsonObject {
  return { rule: 'its trace was not the first of the turn of the condition that its root met', rate }
}
