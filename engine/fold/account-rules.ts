import type { JsonObject } from '../../schemas/json.ts'
import { FIFTH_BEHAVIOUR } from '../../schemas/log/behaviour-numbers.ts'
import type { LineRulesCut, QuotaCut, QuotaPeriodCut } from '../../schemas/log/cuts.ts'
import type { CostMeter } from '../expressions/cost-meter.ts'
import { noCounts } from '../graph/node-counters.ts'
import { type LinePlace, recordOf, rowOfLine } from '../lines/line-record.ts'
import type { StoredLine } from '../lines/stored-line.ts'
import type { SearchedRecord } from '../query-language/evaluate.ts'
import {
  compileLineTest,
  type JudgedLine,
  type LineTest,
  RuleJudgement,
  searchedRecord,
} from './line-rules.ts'
import type { NodeActivity } from './node-activity.ts'

/** Why a line is not stored. */
export interface Exclusion {
  /** Node id under which such lines are counted, beside the destination that they would have left by. */
  readonly node: string
  /** `rule` says it in words. */
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

/** What is known of an event whose line rules judge. */
export interface Judging {
  readonly bytes: number
  /** Counts what the rules cost. */
  readonly meter: CostMeter
}

/** Node id under which lines are counted that go on because the rules cost too much. */
const CUT_NODE = 'rules-not-judged'

/**
 * What lines of one account meet on one partition before they are stored: exclusion rules, a quota that is used up,
 * rules on how long they are kept (ingestion, search and usage, section 9, steps 3 to 5). Rules that drop a line
 * entirely are met as it arrives, too: before what pipelines do with it, and on the record that tails judge.
 */
export class AccountRules {
  #exclusions: readonly ExclusionTest[] = []
  #quotas: readonly QuotaInForce[] = []
  #retention: readonly RetentionTest[] = []
  #onArrival: readonly ArrivalTest[] = []
  /** By node, since the last call of `takeActivity`. */
  readonly #activity = new Map<string, NodeActivity>()
  /** False for most accounts: their lines pay nothing. */
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

  /** Whether a line may be dropped as it arrives: `judgeArrival` needs no asking otherwise. */
  get anyOnArrival(): boolean {
    return this.#onArrival.length > 0
  }

  /**
   * @param line as the default graph would store it
   * @returns why it goes no further, not even to a pipeline; undefined: it does
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
   * Settles how long a line is kept, and in which pool it counts. Before the fifth behaviour a rule could not keep a line
   * longer than the plan, and the pool said days that did not hold.
   *
   * @param line filled, with the retention of the plan
   * @param judging with the behaviour number in force
   * @returns why it is not stored; undefined: it is
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

  /** What was left out since the last call, by node. */
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

/** Its rules first: they tell more. */
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
