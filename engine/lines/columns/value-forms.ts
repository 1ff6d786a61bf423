import { BEHAVIOUR, FIFTH_BEHAVIOUR, TWELFTH_BEHAVIOUR } from '../../../schemas/log/behaviour-numbers.ts'

/** Forms of the values that are read from a batch. Behaviours changed them, and events are read by the one in force. */
export interface ValueForms {
  /** Whether keys keep their order, and numbers beyond a double their text: since the fifth behaviour. */
  readonly isExact: boolean
  /** Whether times have the fewest fraction digits that keep them (components, section 1.2): since the twelfth behaviour. */
  readonly hasCanonicalTimes: boolean
}

const FIRST_FORMS: ValueForms = { isExact: false, hasCanonicalTimes: false }
const EXACT_FORMS: ValueForms = { isExact: true, hasCanonicalTimes: false }
const CANONICAL_FORMS: ValueForms = { isExact: true, hasCanonicalTimes: true }

/** The forms under a behaviour number; equal forms are one object. */
export function valueFormsOf(behaviour: number): ValueForms {
  if (behaviour >= TWELFTH_BEHAVIOUR) return CANONICAL_FORMS
  return behaviour >= FIFTH_BEHAVIOUR ? EXACT_FORMS : FIRST_FORMS
}

/** The forms of values that this program itself reads beside a log. */
export const PRESENT_FORMS = valueFormsOf(BEHAVIOUR)
