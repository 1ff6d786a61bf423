import { lengthOf, memberOf, push } from './members.ts'
import type { Names, Variable } from './names.ts'
import { COMPARISONS, negated, OPERATIONS } from './operators.ts'
import { NEW_DATE, SCRIPT_FUNCTIONS } from './script-functions.ts'
import { ScriptProblem } from './script-problem.ts'
import { type ScriptRun, VALUE_BYTES } from './script-run.ts'
import { textOf } from './script-text.ts'
import { isTrue, ScriptArray, ScriptObject, type ScriptValue, VOID, type Void } from './script-value.ts'
import { STRING_METHODS } from './string-methods.ts'
import type {
  ArrayTree,
  ChainTree,
  Expression,
  LogicalTree,
  NewTree,
  ObjectTree,
  PathStep,
  PathTree,
  TernaryTree,
} from './syntax-tree.ts'

/** A compiled expression. */
export interface Code {
  readonly evaluate: (run: ScriptRun) => ScriptValue | Void
  /** Steps of all its parts that are always evaluated; who evaluates it takes them first. */
  readonly steps: number
}

/** A compiled condition. */
export interface Test {
  readonly holds: (run: ScriptRun) => boolean
  /** @see Code.steps */
  readonly steps: number
}

/** A step of a path. */
type Follow = (value: ScriptValue, run: ScriptRun) => ScriptValue | Void

/** @throws ScriptProblem */
export function compileExpression(tree: Expression, names: Names): Code {
  switch (tree.kind) {
    case 'literal': {
      const { value } = tree
      return { evaluate: () => value, steps: 1 }
    }
    case 'name': {
      const { slot } = variableOf(tree.name, tree.at, names)
      return { evaluate: run => run.slots[slot] as ScriptValue, steps: 1 }
    }
    case 'array':
      return compileArray(tree, names)
    case 'object':
      return compileObject(tree, names)
    case 'path':
      return compilePath(tree, names)
    case 'new':
      return compileNew(tree, names)
    case 'unary':
      return tree.operator === '-' ? compileMinus(tree.operand, names) : compileNot(tree.operand, names)
    case 'chain':
      return compileChain(tree, names)
    case 'logical':
      return compileLogical(tree, names)
    case 'ternary':
      return compileTernary(tree, names)
  }
}

/**
 * Compiles a condition: a comparison of types on which it does not work is false, and so is a value that cannot be computed.
 *
 * @throws ScriptProblem
 */
export function compileTest(tree: Expression, names: Names): Test {
  if (tree.kind === 'unary' && tree.operator === '!') {
    const { holds, steps } = compileTest(tree.operand, names)
    return { holds: run => !holds(run), steps: steps + 1 }
  }
  if (tree.kind === 'logical') return compileLogicalTest(tree, names)
  const { evaluate, steps } = compileExpression(tree, names)
  if (isComparison(tree)) return { holds: run => evaluate(run) === true, steps }
  return {
    holds: run => {
      const value = evaluate(run)
      return value !== VOID && isTrue(value)
    },
    steps,
  }
}

export function variableOf(name: string, at: number, names: Names): Variable {
  const variable = names.find(name)
  if (variable === undefined) throw new ScriptProblem(`"${name}" is not available, and not declared`, at)
  return variable
}

function isComparison(tree: Expression): boolean {
  return tree.kind === 'chain' && tree.rest.every(({ operator }) => COMPARISONS.has(operator))
}

function compileAll(trees: readonly Expression[], names: Names): Code[] {
  return trees.map(tree => compileExpression(tree, names))
}

function stepsOf(codes: readonly Code[]): number {
  return codes.reduce((sum, { steps }) => sum + steps, 0)
}

/** Evaluates all of them in order, up to the first that is VOID. */
function evaluateAll(codes: readonly Code[], run: ScriptRun): ScriptValue[] | Void {
  const values: ScriptValue[] = []
  for (const { evaluate } of codes) {
    const value = evaluate(run)
    if (value === VOID) return VOID
    values.push(value)
  }
  return values
}

function compileArray({ elements }: ArrayTree, names: Names): Code {
  const codes = compileAll(elements, names)
  return {
    evaluate: run => {
      const values = evaluateAll(codes, run)
      if (values === VOID) return VOID
      run.make(VALUE_BYTES * (1 + values.length))
      const array = new ScriptArray(undefined, 0)
      array.elements = values
      return array
    },
    steps: 1 + stepsOf(codes),
  }
}

function compileObject({ members }: ObjectTree, names: Names): Code {
  const keys = compileAll(
    members.map(({ key }) => key),
    names,
  )
  const values = compileAll(
    members.map(({ value }) => value),
    names,
  )
  return {
    evaluate: run => {
      run.make(VALUE_BYTES)
      const object = new ScriptObject(undefined, 0)
      for (const [index, { evaluate }] of keys.entries()) {
        const key = keyOf(evaluate(run), run)
        const value = (values[index] as Code).evaluate(run)
        if (key === VOID || value === VOID) return VOID
        const name = String(key)
        run.make(name.length + VALUE_BYTES)
        object.put(name, value)
      }
      return object
    },
    steps: 1 + stepsOf(keys) + stepsOf(values),
  }
}

/** Key of a member that is written. A value of another type has no place. */
export function keyOf(value: ScriptValue | Void, run: ScriptRun): string | number | Void {
  if (typeof value === 'number') return value
  if (typeof value === 'bigint') return String(value)
  if (typeof value !== 'string') return VOID
  run.read(value.length)
  return value
}

function compilePath({ base, steps }: PathTree, names: Names): Code {
  const called = base.kind === 'name' && names.find(base.name) === undefined ? base.name : undefined
  if (called !== undefined) {
    const [first, second] = steps
    const isMember = first?.kind === 'member'
    const name = isMember ? `${called}.${first.name}` : called
    const call = isMember ? second : first
    if (call?.kind !== 'call' || base.kind !== 'name') return compileExpression(base, names)
    const code = compileFunction(name, call.values, base.at, names)
    return followed(code, steps.slice(isMember ? 2 : 1), names)
  }
  return followed(compileExpression(base, names), steps, names)
}

/** Code of a path from a value on. */
function followed(base: Code, steps: readonly PathStep[], names: Names): Code {
  const follows: Follow[] = []
  let total = base.steps
  for (let index = 0; index < steps.length; index++) {
    const step = steps[index] as PathStep
    const next = steps[index + 1]
    let compiled: { readonly follow: Follow; readonly steps: number }
    if (step.kind === 'member' && next?.kind === 'call') {
      compiled = compileMethod(step.name, next.values, step.at, names)
      index++
    } else {
      compiled = compileStep(step, names)
    }
    follows.push(compiled.follow)
    total += compiled.steps
  }
  const { evaluate } = base
  const [only] = follows
  if (only === undefined) return base
  if (follows.length === 1)
    return {
      evaluate: run => {
        const value = evaluate(run)
        return value === VOID ? VOID : only(value, run)
      },
      steps: total,
    }
  return {
    evaluate: run => {
      let value = evaluate(run)
      for (let index = 0; index < follows.length; index++) {
        if (value === VOID) return VOID
        value = (follows[index] as Follow)(value, run)
      }
      return value
    },
    steps: total,
  }
}

function compileStep(step: PathStep, names: Names): { readonly follow: Follow; readonly steps: number } {
  switch (step.kind) {
    case 'member': {
      const { name } = step
      if (name === 'length') return { follow: lengthOf, steps: 1 }
      return {
        follow: (value, run) =>
          value instanceof ScriptObject ? value.get(name) : memberOf(value, name, run),
        steps: 1,
      }
    }
    case 'element': {
      const { evaluate, steps } = compileExpression(step.key, names)
      return {
        follow: (value, run) => {
          const key = evaluate(run)
          if (key === VOID) return VOID
          if (typeof key === 'string') run.read(key.length)
          return memberOf(value, key, run)
        },
        steps: steps + 1,
      }
    }
    case 'call':
      throw new ScriptProblem('a call of a value is not available', step.at)
  }
}

function compileMethod(
  name: string,
  trees: readonly Expression[],
  at: number,
  names: Names,
): { readonly follow: Follow; readonly steps: number } {
  const values = compileAll(trees, names)
  const steps = 2 + stepsOf(values)
  if (name === 'toString') {
    checkValues(`method "${name}"`, { fewest: 0, most: 0 }, trees.length, at)
    return { follow: textOf, steps }
  }
  if (name === 'push')
    return {
      follow: (value, run) => {
        const added = evaluateAll(values, run)
        return added === VOID || !(value instanceof ScriptArray) ? VOID : push(value, added, run)
      },
      steps,
    }
  const method = STRING_METHODS.get(name)
  if (method === undefined) throw new ScriptProblem(`the method "${name}" is not available`, at)
  checkValues(`method "${name}"`, method, trees.length, at)
  const { apply } = method
  return {
    follow: (value, run) => {
      const given = evaluateAll(values, run)
      return given === VOID || typeof value !== 'string' ? VOID : apply(value, given, run)
    },
    steps,
  }
}

function compileFunction(name: string, trees: readonly Expression[], at: number, names: Names): Code {
  const called = SCRIPT_FUNCTIONS.get(name)
  if (called === undefined) throw new ScriptProblem(`"${name}" is not available`, at)
  checkValues(`function "${name}"`, called, trees.length, at)
  const apply =
    called.withConstants?.(
      trees.map(tree => constantText(tree, names)),
      names,
      at,
    ) ?? called.apply
  return calling(apply, compileAll(trees, names))
}

/** Text of a literal, or of a constant that has one; undefined for other expressions. */
function constantText(tree: Expression, names: Names): string | undefined {
  if (tree.kind === 'name') return names.find(tree.name)?.text
  return tree.kind === 'literal' && typeof tree.value === 'string' ? tree.value : undefined
}

function compileNew({ name: { name, at }, values }: NewTree, names: Names): Code {
  if (name !== 'Date' || names.find(name) !== undefined)
    throw new ScriptProblem(`"new ${name}" is not available`, at)
  checkValues('function "new Date"', NEW_DATE, values.length, at)
  return calling(NEW_DATE.apply, compileAll(values, names))
}

function calling(
  apply: (values: readonly ScriptValue[], run: ScriptRun) => ScriptValue | Void,
  values: readonly Code[],
): Code {
  return {
    evaluate: run => {
      const given = evaluateAll(values, run)
      return given === VOID ? VOID : apply(given, run)
    },
    steps: 2 + stepsOf(values),
  }
}

function checkValues(
  what: string,
  { fewest, most }: { readonly fewest: number; readonly most: number },
  count: number,
  at: number,
): void {
  if (count >= fewest && count <= most) return
  const wanted = fewest === most ? `${most}` : `${fewest} to ${most}`
  throw new ScriptProblem(`the ${what} takes ${wanted} values, not ${count}`, at)
}

function compileMinus(operand: Expression, names: Names): Code {
  const { evaluate, steps } = compileExpression(operand, names)
  return {
    evaluate: run => {
      const value = evaluate(run)
      return value === VOID ? VOID : negated(value)
    },
    steps: steps + 1,
  }
}

function compileNot(operand: Expression, names: Names): Code {
  const { evaluate, steps } = compileExpression(operand, names)
  return {
    evaluate: run => {
      const value = evaluate(run)
      return value === VOID ? VOID : !isTrue(value)
    },
    steps: steps + 1,
  }
}

function compileChain({ first, rest }: ChainTree, names: Names): Code {
  const { evaluate: evaluateFirst, steps } = compileExpression(first, names)
  const operations = rest.map(({ operator, operand }) => {
    const code = compileExpression(operand, names)
    return { apply: OPERATIONS[operator], evaluate: code.evaluate, steps: code.steps + 1 }
  })
  const total = operations.reduce((sum, operation) => sum + operation.steps, steps)
  const [only] = operations
  if (operations.length === 1 && only !== undefined) {
    const { apply, evaluate } = only
    return {
      evaluate: run => {
        const left = evaluateFirst(run)
        const right = evaluate(run)
        return left === VOID || right === VOID ? VOID : apply(left, right, run)
      },
      steps: total,
    }
  }
  return {
    evaluate: run => {
      let left = evaluateFirst(run)
      for (const { apply, evaluate } of operations) {
        const right = evaluate(run)
        if (left === VOID || right === VOID) return VOID
        left = apply(left, right, run)
      }
      return left
    },
    steps: total,
  }
}

/** The steps of operands after the first are taken when they are evaluated. */
function compileLogical({ operator, operands }: LogicalTree, names: Names): Code {
  const codes = compileAll(operands, names)
  const isAnd = operator === '&&'
  return {
    evaluate: run => {
      let value: ScriptValue | Void = isAnd
      for (const [index, { evaluate, steps }] of codes.entries()) {
        if (index > 0) run.spend(steps)
        value = evaluate(run)
        if (value === VOID || isTrue(value) !== isAnd) return value
      }
      return value
    },
    steps: 1 + (codes[0]?.steps ?? 0),
  }
}

function compileLogicalTest({ operator, operands }: LogicalTree, names: Names): Test {
  const tests = operands.map(operand => compileTest(operand, names))
  const isAnd = operator === '&&'
  return {
    holds: run => {
      for (let index = 0; index < tests.length; index++) {
        const { holds, steps } = tests[index] as Test
        if (index > 0) run.spend(steps)
        if (holds(run) !== isAnd) return !isAnd
      }
      return isAnd
    },
    steps: 1 + (tests[0]?.steps ?? 0),
  }
}

function compileTernary({ test, then, otherwise }: TernaryTree, names: Names): Code {
  const { holds, steps } = compileTest(test, names)
  const [whenTrue, whenFalse] = [compileExpression(then, names), compileExpression(otherwise, names)]
  return {
    evaluate: run => {
      const branch = holds(run) ? whenTrue : whenFalse
      run.spend(branch.steps)
      return branch.evaluate(run)
    },
    steps: steps + 1,
  }
}
