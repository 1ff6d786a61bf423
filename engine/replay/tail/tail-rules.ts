import type { JsonObject } from '../../../schemas/json.ts'
import type { LineConditions } from '../../../schemas/log/cuts.ts'
import type { ConfigurationView, Entity } from '../../configuration/kind.ts'
import { type LineRules, lineRules } from '../../configuration/kinds/line-rules.ts'
import { type QuotaState, quotaStates } from '../../configuration/kinds/quotas.ts'
import { freeMeter, NO_NUMBER } from '../../expressions/cost-meter.ts'
import { compileLineTest, judgedRecord, type LineTest, RuleJudgement } from '../../fold/line-rules.ts'

interface HidingTest {
  /** UNIX ms. */
  readonly untilMs: number
  readonly hides: LineTest
}

const NONE: readonly HidingTest[] = []

/**
 * What tails do not see: lines that an active rule drops entirely. They do see what only the store leaves out
 * (ingestion, search and usage, section 9, steps 2 to 4). It follows the configuration as this process knows it.
 */
export class TailRules {
  readonly #configuration: ConfigurationView
  readonly #meter = freeMeter()
  /** An entity is replaced when it changes, so what is compiled of it can be kept with it. */
  readonly #compiled = new WeakMap<object, readonly HidingTest[]>()

  constructor(configuration: ConfigurationView) {
    this.#configuration = configuration
  }

  /** Whether any line of the account may be hidden: `sees` needs no asking otherwise. */
  hidesAny(account: string): boolean {
    return this.#tests(account).some(tests => tests.length > 0)
  }

  /**
   * A rule that costs too much hides nothing.
   *
   * @param record of the line, as a search would give it
   * @param timeMs when it was taken
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
