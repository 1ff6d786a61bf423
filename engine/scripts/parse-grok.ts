import type { CountedWork } from '../expressions/counted-work.ts'
import { type GrokExpression, grokExpression } from '../expressions/grok/grok-expression.ts'
import { grokPatternProblem } from '../expressions/grok/grok-pattern.ts'
import { grokSteps, MAX_GROK_STEPS } from '../expressions/grok/grok-size.ts'
import type { Names } from './names.ts'
import { ScriptProblem } from './script-problem.ts'
import { MAX_SEARCH_UNITS, type ScriptRun, TOO_MUCH_SEARCHED, VALUE_BYTES } from './script-run.ts'
import { ScriptObject, type ScriptValue } from './script-value.ts'

/** Steps of a call, and of each label. */
const CALL_STEPS = 10
const LABEL_STEPS = 2
/** Units per step of a pattern's program for building it. */
const BUILD_UNITS = 128

type ParseGrok = (values: readonly ScriptValue[], run: ScriptRun) => ScriptValue

/**
 * Prepares `parseGrok(text, pattern)`: an object of the labelled captures, or null when nothing matches or the pattern is not valid.
 * Each call builds the expression of its pattern, and pays for that. Components, sections 5.11 and 9.4.
 */
export function parseGrok(): ParseGrok {
  return ([text = null, pattern = null], run) => {
    if (typeof text !== 'string' || typeof pattern !== 'string') return null
    run.spend(CALL_STEPS + pattern.length)
    if (grokPatternProblem(pattern) !== undefined) return null
    return parsed(text, () => grokExpression(pattern), BUILD_UNITS * grokSteps(pattern), run)
  }
}

/**
 * Prepares calls with a pattern that is known when the script is compiled.
 *
 * @param at position of the call
 * @throws ScriptProblem when the patterns of the script are too large together
 */
export function parseKnownGrok(pattern: string, names: Names, at: number): ParseGrok {
  names.patternSteps += grokSteps(pattern)
  if (names.patternSteps > MAX_GROK_STEPS)
    throw new ScriptProblem('the grok patterns of the script are too large together', at)
  if (grokPatternProblem(pattern) !== undefined) return () => null
  const expression = grokExpression(pattern)
  return ([text = null], run) => {
    if (typeof text !== 'string') return null
    run.spend(CALL_STEPS)
    return parsed(text, () => expression, 0, run)
  }
}

/** @param buildUnits cost of the expression, which is made only if it can be paid */
function parsed(
  text: string,
  expressionOf: () => GrokExpression,
  buildUnits: number,
  run: ScriptRun,
): ScriptValue {
  const found = run.search(() => new GrokSearch(text, expressionOf, buildUnits, run.searchUnits))
  run.searchUnits += found.units
  if (found.captures === undefined) throw TOO_MUCH_SEARCHED
  if (found.captures === null) return null
  const object = new ScriptObject(undefined, 0)
  const texts = expressionOf().textsOf(text, found.captures)
  run.spend(texts.length * LABEL_STEPS)
  for (const [label, captured] of texts) {
    run.make(label.length + captured.length + VALUE_BYTES)
    object.put(label, captured)
  }
  return object
}

type Search = ReturnType<GrokExpression['find']>

interface Found {
  /** Null: no match. Undefined: the search exceeded the units of the call. */
  readonly captures: ReturnType<Search['run']>
  readonly units: number
}

/** Search for a pattern within the units of a call of a script. */
class GrokSearch implements CountedWork<Found> {
  readonly #text: string
  readonly #expressionOf: () => GrokExpression
  readonly #buildUnits: number
  readonly #mostUnits: number
  #search: Search | undefined

  /** @param used units that the call has used before */
  constructor(text: string, expressionOf: () => GrokExpression, buildUnits: number, used: number) {
    this.#text = text
    this.#expressionOf = expressionOf
    this.#buildUnits = buildUnits
    this.#mostUnits = MAX_SEARCH_UNITS - used
  }

  get characters(): number {
    return this.#text.length
  }

  get units(): number {
    return this.#buildUnits + (this.#search?.units ?? 0)
  }

  get work(): number {
    return this.#buildUnits + (this.#search?.work ?? 0)
  }

  run(untilUnits: number, untilWork = Number.POSITIVE_INFINITY): Found | undefined {
    const until = Math.min(untilUnits, this.#mostUnits + 1)
    if (this.units < until) {
      this.#search ??= this.#expressionOf().find(this.#text)
      const captures = this.#search.run(until - this.#buildUnits, untilWork - this.#buildUnits)
      if (captures !== undefined) return { captures, units: this.units }
    }
    return this.units > this.#mostUnits ? { captures: undefined, units: this.units } : undefined
  }

  end(): void {
    this.#search?.end()
  }
}
