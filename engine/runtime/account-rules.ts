import type { JsonObject } from '../../schemas/json.ts'
import type { LineRulesCut, QuotaCut, QuotaPeriodCut } from '../configuration/deployed.ts'
import { noCounts } from '../graph/node-counters.ts'
import { type LinePlace, recordOf, rowOfLine } from '../line-record.ts'
import type { SearchedRecord } from '../query-language/evaluate.ts'
import type { StoredLine } from '../store/stored-line.ts'
import { compileLineTest, type JudgedLine, type LineTest, searchedRecord } from './line-rules.ts'
import type { NodeActivity } from './node-activity.ts'

/** Why a line is not stored. */
export interface Exclusion {
  /** Node id under which such lines are counted, beside the destination that they would have left by. */
  readonly node: string
  /** `rule` says it in words. */
  readonly reason: JsonObject
}

interface ExclusionTest extends Exclusion {
  readonly matches: LineTest
}

interface RetentionTest {
  readonly days: number
  readonly matches: LineTest
}

interface QuotaInForce {
  readonly untilMs: number
  readonly tests: readonly ExclusionTest[]
}

/**
 * What lines of one account meet on one partition before they are stored: exclusion rules, a quota that is used up,
 * rules on how long they are kept (ingestion, search and usage, section 9, steps 3 to 5).
 */
export class AccountRules {
  #exclusions: readonly ExclusionTest[] = []
  #quotas: readonly QuotaInForce[] = []
  #retention: readonly RetentionTest[] = []
  /** By node, since the last call of `takeActivity`. */
  readonly #activity = new Map<string, NodeActivity>()
  /** False for most accounts: their lines pay nothing. */
  anyHold = false

  set({ exclusions, retentionRules }: LineRulesCut): void {
    this.#exclusions = exclusions.map(({ id, title, ...conditions }) => ({
      node: `exclusion-${id}`,
      reason: { rule: `exclusion rule ${title === '' ? '' : `"${title}" `}(${id})`, rule_id: id },
      matches: compileLineTest(conditions),
    }))
    this.#retention = retentionRules.map(({ days, ...conditions }) => ({
      days,
      matches: compileLineTest(conditions),
    }))
    this.#noteHold()
  }

  setQuota({ periods }: QuotaCut): void {
    this.#quotas = periods.map(period => ({ untilMs: period.untilMs, tests: quotaTests(period) }))
    this.#noteHold()
  }

  /** Whether anything acts, or may act later than a log time. */
  meansSomething(timeMs: number): boolean {
    return (
      this.#exclusions.length + this.#retention.length > 0 ||
      this.#quotas.some(({ untilMs }) => timeMs < untilMs)
    )
  }

  /**
   * Settles how long a line is kept, and in which pool it counts.
   *
   * @param line filled, with the retention of the plan
   * @param bytes of its event
   * @returns why it is not stored; undefined: it is
   */
  judge(line: StoredLine, place: LinePlace, bytes: number): Exclusion | undefined {
    const judged = judgedLine(line, place)
    const exclusion = this.#exclusionOf(judged, line.timeMs)
    if (exclusion === undefined) {
      const rule = this.#retention.find(({ matches }) => matches(judged))
      if (rule === undefined) return undefined
      line.retentionDays = Math.min(rule.days, line.retentionDays)
      line.poolDays = rule.days
      return undefined
    }
    this.#count(exclusion.node, bytes)
    return exclusion
  }

  /** What was left out since the last call, by node. */
  *takeActivity(): Iterable<readonly [node: string, activity: NodeActivity]> {
    yield* this.#activity
    this.#activity.clear()
  }

  #exclusionOf(judged: JudgedLine, timeMs: number): Exclusion | undefined {
    const excluded = this.#exclusions.find(({ matches }) => matches(judged))
    if (excluded !== undefined) return excluded
    for (const { untilMs, tests } of this.#quotas) {
      if (timeMs >= untilMs) continue
      const beyond = tests.find(({ matches }) => matches(judged))
      if (beyond !== undefined) return beyond
    }
    return undefined
  }

  #count(node: string, bytes: number): void {
    const activity = this.#activity.get(node) ?? noCounts()
    this.#activity.set(node, activity)
    activity.eventsIn++
    activity.dropped++
    activity.bytesIn += bytes
    activity.droppedBytes += bytes
  }

  #noteHold(): void {
    this.anyHold = this.#exclusions.length + this.#quotas.length + this.#retention.length > 0
  }
}

/** Its rules first: they tell more. */
function quotaTests({ period, discards, rules }: QuotaPeriodCut): ExclusionTest[] {
  const tests = rules.map(
    ({ number, ...conditions }): ExclusionTest => ({
      node: `quota-${period}-${number}`,
      reason: { rule: `rule ${number} of the ${period} quota`, quota: period, rule_number: number },
      matches: compileLineTest(conditions),
    }),
  )
  if (discards)
    tests.push({
      node: `quota-${period}`,
      reason: { rule: `the ${period} quota is used up`, quota: period },
      matches: () => true,
    })
  return tests
}

function judgedLine(line: StoredLine, place: LinePlace): JudgedLine {
  let searched: SearchedRecord | undefined
  return {
    host: line.host,
    app: line.app,
    level: line.level,
    searched() {
      searched ??= searchedRecord(recordOf(rowOfLine(line, place)))
      return searched
    },
  }
}
