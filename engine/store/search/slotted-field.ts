import { literalPattern } from '../../query-language/token-pattern.ts'
import { anyOf, type Condition, column, type Expression, NEVER, named, numeral, sql } from './condition.ts'
import type { StoredField, ValueTest } from './field-contract.ts'
import type { SlotsInUse } from './slots-in-use.ts'
import type { SqlConstants } from './sql-constants.ts'

/**
 * Kinds of slots (engine/lines/slots): those with texts, those with numbers, and all of them.
 */
const TEXT_KINDS = 'tdb'
const NUMBER_KIND = 'n'
const SLOT_KINDS = 'tdnbo'
/** Text that is also the record's text for display, field `message`. */
const DISPLAY_KIND = 'd'
const DISPLAY_PATH = 'message'

const VALUE = named('v')
const NAMES = '^[^\\x00]*'

/** The value of a field in the slots of a line. */
export interface SlottedValue {
  /** Whether it is a text, or true or false. */
  readonly isText: Condition
  readonly isNumber: Condition
  /** Text of the value; any text for lines without one. */
  readonly text: Expression
  /** Number of its slot; any number for lines without one. */
  readonly slot: Expression
}

/**
 * The part of a field that is in slots. The engine computes expressions on a shape for each of the few different shapes, and reads
 * only the rows of lines that have the field.
 *
 * @param inUse slots that the lines use; absent: all of them
 */
export function slottedField(path: string, constants: SqlConstants, inUse?: SlotsInUse): StoredField {
  const value = slottedValue(path, constants)
  // The engine's other functions round some decimals to a neighbour of the nearest double.
  const passesNumber = (test: ValueTest) =>
    within(
      test.number(VALUE),
      condition => sql`(${value.isNumber} AND ${onValue(condition, sql`JSONExtractFloat(${value.text})`)})`,
    )
  // Where the slots of the field are known, only these are read. A line that has the field in another slot passes.
  const mayPassNumber = (test: ValueTest) => {
    if (inUse === undefined) return passesNumber(test)
    const isIn = (slot: number) => sql`${value.slot} = ${numeral(slot)}`
    const slots = inUse.withNumber(path)
    return within(test.number(VALUE), condition => {
      if (slots.length === 0) return value.isNumber
      const passes = onValue(condition, sql`JSONExtractFloat(${textIn(slots, value.slot)})`)
      return sql`(${value.isNumber} AND (NOT ${anyOf(slots.map(isIn))} OR ${passes}))`
    })
  }
  return {
    always: false,
    get present() {
      const names = sql`${column.shape}`
      return matches(
        names,
        `${NAMES}\\x02(?:${entry(`${TEXT_KINDS}${NUMBER_KIND}`, path)}\\x02|[${TEXT_KINDS}${NUMBER_KIND}]${literalPattern(path)}\\.)`,
        constants,
      )
    },
    passes: test =>
      anyOf([
        within(test.text(VALUE), condition => sql`(${value.isText} AND ${onValue(condition, value.text)})`),
        passesNumber(test),
      ]),
    mayPass: test => anyOf([within(test.text(VALUE), () => value.isText), mayPassNumber(test)]),
    searched: true,
  }
}

export function slottedValue(path: string, constants: SqlConstants): SlottedValue {
  const hasKind = (kinds: string) =>
    matches(column.shape, `${NAMES}\\x02${entry(kinds, path)}\\x02`, constants)
  const before = constants.text(`^([^\\x00]*)\\x02${entry(SLOT_KINDS, path)}\\x02`)
  const slot = sql`countMatches(regexpExtract(${column.shape}, ${before}, 1), ${constants.text(`\\x02[${SLOT_KINDS}]`)})`
  return {
    isText: hasKind(TEXT_KINDS),
    isNumber: hasKind(NUMBER_KIND),
    text: textIn([...column.slots.keys()], slot),
    slot,
  }
}

/** Text of one of the slots, of which there is at least one. */
function textIn(slots: readonly number[], slot: Expression): Expression {
  const cases = slots.map(each => sql`${slot} = ${numeral(each)}, ${column.slots[each] as Expression}`)
  return sql`multiIf(${cases.reduce((all, next) => sql`${all}, ${next}`)}, '')`
}

/** Pattern of a value of a field in the names of a shape. */
function entry(kinds: string, path: string): string {
  const ofPath = `[${kinds}]${literalPattern(path)}`
  return path === DISPLAY_PATH && kinds.includes(DISPLAY_KIND)
    ? `(?:${ofPath}|${DISPLAY_KIND}[^\\x00\\x02]*)`
    : ofPath
}

function matches(shape: Expression, pattern: string, constants: SqlConstants): Condition {
  return sql`match(${shape}, ${constants.text(pattern)})`
}

/** A condition on a lambda's `v`, whose value the engine computes once. */
function onValue(condition: Condition, value: Expression): Condition {
  return sql`arrayExists(v -> ${condition}, [${value}])`
}

function within(condition: Condition | undefined, place: (condition: Condition) => Condition): Condition {
  return condition === undefined || condition.kind === 'never' ? NEVER : place(condition)
}
