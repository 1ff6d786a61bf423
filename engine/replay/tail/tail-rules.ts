import type { JsonObject } from '../../../schemas/json.ts'
import type { LineConditions } from '../../../schemas/log/cuts.ts'
import type { ConfigurationView, Entity } from '../../configuration/kind.ts'
import { type LineRules, lineRules } from '../../configuration/kinds/line-rules.ts'
import { type QuotaState, quotaStates } from '../../configuration/kinds/quotas.ts'
import { freeMeter, NO_NUMBER } from '../../expressions/cost-meter.ts'
import { compileLineTest, judgedRecord, type LineTest, RuleJudgement } from '../../fold/rules/line-rules.ts'

interface HidingTest {
  /** UNIX ms. */
  readonly untilMs: number
  readonly hides: LineTest
}

const NONE: readonly HidingTest[] = []

/**
 * Lines that tails do not show: those that an active rule drops entirely. Lines that are only left out of the store are
 * shown (ingestion, search and usage, section 9, steps 2 to 4). The rules are those of the configuration known to this
 * process.
 */
export class TailRules {
  readonly #configuration: ConfigurationView
  readonly #meter = freeMeter()
  /** An entity is replaced when it changes, so its compiled form can be cached. */
  readonly #compiled = new WeakMap<object, readonly HidingTest[]>()

  constructor(configuration: ConfigurationView) {
    this.#configuration = configuration
  }

  /** Units that the judgement of the last line has cost. */
  get spentUnits(): number {
    return this.#meter.spent
  }

  /** Whether any line of the account may be hidden; otherwise `sees` need not be called. */
  hidesAny(account: string): boolean {
    return this.#tests(account).some(tests => tests.length > 0)
  }

  /**
   * Whether a line is visible. A rule that costs too much hides nothing.
   *
   * @param record of the line, as a search would return it
   * @param timeMs time of its acceptance
   */
  sees(account: string, record: JsonObject, timeMs: number): boolean {
    this.#meter.begin(NO_NUMBER)
    const judgement = new RuleJudgement(judgedRecord(record), this.#meter)
    return !this.#tests(account).some(tests =>
      tests.some(({ untilMs, hides }) => timeMs < untilMs && judgement.meets(hides)),
    )
  }

  #tests(account: string): readonly (readonly HidingTest[])[] {
    return [
      this.#testsOf(this.#configuration.get(lineRules, account), testsOfRules),
      this.#testsOf(this.#configuration.get(quotaStates, account), testsOfQuota),
    ]
  }

  #testsOf<Value>(
    entity: Entity<Value> | undefined,
    compile: (value: Value) => readonly HidingTest[],
  ): readonly HidingTest[] {
    if (entity === undefined) return NONE
    let tests = this.#compiled.get(entity)
    if (tests === undefined) {
      tests = compile(entity.value)
      this.#compiled.set(entity, tests)
    }
    return tests
  }
}

function testsOfRules({ exclusions }: LineRules): HidingTest[] {
  return exclusions
    .filter(({ active, indexonly }) => active && !indexonly)
    .map(rule => hidingTest(rule, Number.POSITIVE_INFINITY))
}

function testsOfQuota({ inForce }: QuotaState): HidingTest[] {
  return inForce.flatMap(({ untilMs, rules }) =>
    rules.filter(({ indexonly }) => !indexonly).map(rule => hidingTest(rule, untilMs)),
  )
}

function hidingTest(conditions: LineConditions, untilMs: number): HidingTest {
  return { untilMs, hides: compileLineTest(conditions) }
}
