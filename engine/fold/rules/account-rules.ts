import type { JsonObject } from '../../../schemas/json.ts'
import { FIFTH_BEHAVIOUR } from '../../../schemas/log/behaviour-numbers.ts'
import type { LineRulesCut, QuotaCut, QuotaPeriodCut } from '../../../schemas/log/cuts.ts'
import type { CostMeter } from '../../expressions/cost-meter.ts'
import { noCounts } from '../../graph/node-counters.ts'
import { type LinePlace, recordOf, rowOfLine } from '../../lines/stored-line/line-record.ts'
import type { StoredLine } from '../../lines/stored-line/stored-line.ts'
import type { SearchedRecord } from '../../query-language/evaluate.ts'
import type { NodeActivity } from '../node-activity.ts'
import {
  compileLineTest,
  type JudgedLine,
  type LineTest,
  RuleJudgement,
  searchedRecord,
} from './line-rules.ts'

/** Reason why a line is not stored. */
export interface Exclusion {
  /** Node id under which such lines are counted, in addition to the destination that they did not reach. */
  readonly node: string
  /** Its member `rule` names the rule in words. */
  readonly reason: JsonObject
}

interface ExclusionTest extends Exclusion {
  readonly entirely: boolean
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

interface ArrivalTest {
  /** Log time, UNIX ms. */
  readonly untilMs: number
  readonly test: ExclusionTest
}

/** Facts about an event whose line is judged by rules. */
export interface Judging {
  readonly bytes: number
  /** Counts the cost of the rules. */
  readonly meter: CostMeter
}

/** Node id under which lines are counted that continue because the rules cost too much. */
const CUT_NODE = 'rules-not-judged'

/**
 * Rules that lines of one account meet on one partition before they are stored: ingestion, search and usage, section 9,
 * steps 3 to 5. They are exclusion rules, an exhausted quota, and retention rules. A rule that drops a line entirely is
 * also applied when the line arrives, before any pipeline. It is also applied to the record that tails judge.
 */
export class AccountRules {
  #exclusions: readonly ExclusionTest[] = []
  #quotas: readonly QuotaInForce[] = []
  #retention: readonly RetentionTest[] = []
  #onArrival: readonly ArrivalTest[] = []
  /** Activity by node, since the last call of `takeActivity`. */
  readonly #activity = new Map<string, NodeActivity>()
  /** False for most accounts, whose lines then cost nothing. */
  anyHold = false

  set({ exclusions, retentionRules }: LineRulesCut): void {
    this.#exclusions = exclusions.map(({ id, title, entirely = false, ...conditions }) => ({
      entirely,
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

  /** Whether a line may be dropped on arrival; otherwise `judgeArrival` need not be called. */
  get anyOnArrival(): boolean {
    return this.#onArrival.length > 0
  }

  /**
   * @param line in the form in which the default graph would store it
   * @returns the reason why no pipeline receives the line; undefined: they do
   */
  judgeArrival(
    line: JudgedLine,
    { timeMs, bytes, meter }: Judging & { readonly timeMs: number },
  ): Exclusion | undefined {
    const judgement = new RuleJudgement(line, meter)
    const found = this.#onArrival.find(
      ({ untilMs, test }) => timeMs < untilMs && judgement.meets(test.matches),
    )
    if (found !== undefined) this.#count(found.test.node, bytes)
    else if (judgement.isCut) this.#countCut(bytes)
    return found?.test
  }

  /**
   * Sets the retention of a line and the pool that counts it. Before the fifth behaviour a rule could not exceed the
   * plan's retention, although the pool had the longer time.
   *
   * @param line filled, with the retention of the plan
   * @param judging with the behaviour number in force
   * @returns the rule that keeps it from being stored; undefined: it is stored
   */
  judge(
    line: StoredLine,
    place: LinePlace,
    { bytes, meter, behaviour }: Judging & { readonly behaviour: number },
  ): Exclusion | undefined {
    const judgement = new RuleJudgement(judgedLine(line, place, behaviour >= FIFTH_BEHAVIOUR), meter)
    const exclusion = this.#exclusionOf(judgement, line.timeMs)
    if (exclusion === undefined) {
      const rule = this.#retention.find(({ matches }) => judgement.meets(matches))
      if (judgement.isCut) this.#countCut(bytes)
      if (rule === undefined) return undefined
      line.retentionDays = behaviour < FIFTH_BEHAVIOUR ? Math.min(rule.days, line.retentionDays) : rule.days
      line.poolDays = rule.days
      return undefined
    }
    this.#count(exclusion.node, bytes)
    return exclusion
  }

  /** Yields the activity of exclusion rules since the last call, by node. */
  *takeActivity(): Iterable<readonly [node: string, activity: NodeActivity]> {
    yield* this.#activity
    this.#activity.clear()
  }

  #exclusionOf(judgement: RuleJudgement, timeMs: number): Exclusion | undefined {
    const excluded = this.#exclusions.find(({ matches }) => judgement.meets(matches))
    if (excluded !== undefined) return excluded
    for (const { untilMs, tests } of this.#quotas) {
      if (timeMs >= untilMs) continue
      const beyond = tests.find(({ matches }) => judgement.meets(matches))
      if (beyond !== undefined) return beyond
    }
    return undefined
  }

  #count(node: string, bytes: number): void {
    const activity = this.#activityOf(node)
    activity.eventsIn++
    activity.dropped++
    activity.bytesIn += bytes
    activity.droppedBytes += bytes
  }

  #countCut(bytes: number): void {
    const activity = this.#activityOf(CUT_NODE)
    activity.eventsIn++
    activity.eventsOut++
    activity.bytesIn += bytes
    activity.bytesOut += bytes
  }

  #activityOf(node: string): NodeActivity {
    const activity = this.#activity.get(node) ?? noCounts()
    this.#activity.set(node, activity)
    return activity
  }

  #noteHold(): void {
    this.#onArrival = [
      ...entirelyOf(this.#exclusions, Number.POSITIVE_INFINITY),
      ...this.#quotas.flatMap(({ untilMs, tests }) => entirelyOf(tests, untilMs)),
    ]
    this.anyHold = this.#exclusions.length + this.#quotas.length + this.#retention.length > 0
  }
}

function entirelyOf(tests: readonly ExclusionTest[], untilMs: number): ArrivalTest[] {
  return tests.filter(({ entirely }) => entirely).map(test => ({ untilMs, test }))
}

/** The rules of the quota are first, because they give more detail. */
function quotaTests({ period, discards, rules }: QuotaPeriodCut): ExclusionTest[] {
  const tests = rules.map(
    ({ number, entirely = false, ...conditions }): ExclusionTest => ({
      entirely,
      node: `quota-${period}-${number}`,
      reason: { rule: `rule ${number} of the ${period} quota`, quota: period, rule_number: number },
      matches: compileLineTest(conditions),
    }),
  )
  if (discards)
    tests.push({
      entirely: false,
      node: `quota-${period}`,
      reason: { rule: `the ${period} quota is used up`, quota: period },
      matches: () => true,
    })
  return tests
}

function judgedLine(line: StoredLine, place: LinePlace, isExact: boolean): JudgedLine {
  let searched: SearchedRecord | undefined
  return {
    host: line.host,
    app: line.app,
    level: line.level,
    searched() {
      searched ??= searchedRecord(recordOf(rowOfLine(line, place), isExact))
      return searched
    },
  }
}
