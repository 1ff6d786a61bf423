import type { Condition, Expression } from './condition.ts'

/** Conditions of one test of a query on a value; undefined when no value of this kind can match. */
export interface ValueTest {
  readonly text: (value: Expression) => Condition | undefined
  /** A cheap test that every matching text passes; undefined without one. */
  readonly plain: ((value: Expression) => Condition) | undefined
  readonly number: (value: Expression) => Condition | undefined
  /**
   * Matching integers that a double cannot represent; undefined when values are compared in order, or when no integer
   * matches by its text.
   */
  readonly bigIntegers: BigIntegers | undefined
  /** The one matching id, when a query names a whole id. */
  readonly wholeId: string | undefined
}

export interface BigIntegers {
  readonly digits: readonly string[]
  /** Holds for the number nearest to one of them, and therefore for its neighbours; undefined without digits. */
  readonly number: (value: Expression) => Condition | undefined
}

/** Path of a record in the store: conditions for the rows that have it, and for those whose value matches a test. */
export interface StoredField {
  /** Whether every record has it. */
  readonly always: boolean
  readonly present: Condition
  passes(test: ValueTest): Condition
  /**
   * Condition on columns that are cheap to read, which holds for every row whose value matches; undefined without one.
   */
  mayPass(test: ValueTest): Condition | undefined
  /** Whether a matching text is among the texts that a term searches (query language, section 4.2). */
  readonly searched: boolean
  /** Names in the maps of table `lines`; absent when values may be elsewhere, too. */
  readonly mapped?: readonly string[]
}
