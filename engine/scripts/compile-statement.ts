import type { Steps } from '../steps.ts'
import {
  type Code,
  compileExpression,
  compileTest,
  keyOf,
  type Test,
  variableOf,
} from './compile-expression.ts'
import { elementAt, type Key, memberOf, undoPushes, withWritten } from './members.ts'
import { type Names, type Variable, variablesIn } from './names.ts'
import { OPERATIONS } from './operators.ts'
import { ScriptProblem } from './script-problem.ts'
import type { ScriptRun } from './script-run.ts'
import { ScriptArray, type ScriptValue, VOID, type Void } from './script-value.ts'
import type {
  AssignmentTree,
  BinaryOperator,
  DeclarationTree,
  Expression,
  ForTree,
  IfTree,
  NameExpression,
  PathTree,
  ReturnTree,
  Statement,
} from './syntax-tree.ts'

/** A compiled statement. @returns whether it ended the call @throws ScriptStop */
type Doing = (run: ScriptRun) => boolean

/** Place to which a value can be assigned. */
interface Target {
  /** Keys on the way to the place; VOID: it has none. */
  readonly keys: (run: ScriptRun) => readonly Key[] | Void
  readonly read: (keys: readonly Key[], run: ScriptRun) => ScriptValue
  readonly write: (keys: readonly Key[], value: ScriptValue, run: ScriptRun) => void
  readonly steps: number
}

const NO_KEYS: readonly Key[] = []

/** Compiles the statements of the function in steps. @throws ScriptProblem */
export function* compilingBody(statements: readonly Statement[], names: Names): Steps<Doing> {
  for (const name of variablesIn(statements)) names.declare(name, 'var')
  return yield* compilingAll(statements, names)
}

/** Compiles statements of one scope, whose names are known in all of it. */
function* compilingAll(statements: readonly Statement[], names: Names): Steps<Doing> {
  for (const statement of statements)
    if (statement.kind === 'declaration' && statement.form !== 'var')
      names.declare(statement.name, statement.form, statement.value)
  const doings: Doing[] = []
  for (const statement of statements) {
    yield* names.pauseIfDue()
    doings.push(yield* compilingStatement(statement, names))
  }
  const [only] = doings
  if (doings.length === 1 && only !== undefined) return only
  return run => {
    for (let index = 0; index < doings.length; index++) if ((doings[index] as Doing)(run)) return true
    return false
  }
}

function* compilingStatement(tree: Statement, names: Names): Steps<Doing> {
  switch (tree.kind) {
    case 'block':
      return yield* names.within(compilingAll(tree.statements, names))
    case 'declaration':
      return compileDeclaration(tree, names)
    case 'assignment':
      return compileAssignment(tree, names)
    case 'if':
      return yield* compilingIf(tree, names)
    case 'for':
      return yield* compilingFor(tree, names)
    case 'return':
      return compileReturn(tree, names)
    case 'expression':
      return doing(compileExpression(tree.expression, names), () => {})
  }
}

/**
 * Evaluates an expression and uses its value. Where it cannot be computed the statement does nothing, and elements that it has
 * added to arrays are removed.
 */
function doing({ evaluate, steps }: Code, use: (value: ScriptValue, run: ScriptRun) => void): Doing {
  return run => {
    run.spend(steps + 1)
    const value = evaluate(run)
    if (value === VOID) undoPushes(run)
    else use(value, run)
    if (run.pushed.length > 0) run.pushed.length = 0
    return false
  }
}

function compileDeclaration({ form, name, value }: DeclarationTree, names: Names): Doing {
  const { slot } = variableOf(name.name, name.at, names)
  const isVar = form === 'var'
  const setNull = (run: ScriptRun) => {
    if (!isVar) run.slots[slot] = null
  }
  if (value === undefined)
    return run => {
      run.spend(1)
      setNull(run)
      return false
    }
  const assign = doing(compileExpression(value, names), (given, run) => {
    run.slots[slot] = given
  })
  return run => {
    // The variable is new in each round of a loop.
    setNull(run)
    return assign(run)
  }
}

function compileAssignment({ targets: trees, operator, value: tree }: AssignmentTree, names: Names): Doing {
  const targets = trees.map(target => compileTarget(target, names))
  const { evaluate, steps } = compileExpression(tree, names)
  const total = targets.reduce((sum, target) => sum + target.steps, steps)
  const [only] = targets
  if (operator !== '=' && only !== undefined) return compileUpdate(only, operator, { evaluate, steps: total })
  const write = (run: ScriptRun): boolean => {
    const places: (readonly Key[])[] = []
    for (const { keys } of targets) {
      const place = keys(run)
      if (place === VOID) return false
      places.push(place)
    }
    const value = evaluate(run)
    if (value === VOID) return false
    for (let index = targets.length - 1; index >= 0; index--)
      targets[index]?.write(places[index] as readonly Key[], value, run)
    return true
  }
  return run => {
    run.spend(total + 1)
    if (!write(run)) undoPushes(run)
    if (run.pushed.length > 0) run.pushed.length = 0
    return false
  }
}

/** Compiles `+=` and its like. */
function compileUpdate(target: Target, operator: string, { evaluate, steps }: Code): Doing {
  const apply = OPERATIONS[operator.slice(0, 1) as BinaryOperator]
  const update = (run: ScriptRun): boolean => {
    const keys = target.keys(run)
    if (keys === VOID) return false
    const before = target.read(keys, run)
    const value = evaluate(run)
    if (value === VOID) return false
    const after = apply(before, value, run)
    if (after === VOID) return false
    target.write(keys, after, run)
    return true
  }
  return run => {
    run.spend(steps + target.steps + 1)
    if (!update(run)) undoPushes(run)
    if (run.pushed.length > 0) run.pushed.length = 0
    return false
  }
}

function compileTarget(tree: NameExpression | PathTree, names: Names): Target {
  if (tree.kind === 'name') {
    const { slot } = assignable(tree, names)
    return {
      keys: () => NO_KEYS,
      read: (_keys, run) => run.slots[slot] as ScriptValue,
      write: (_keys, value, run) => {
        run.slots[slot] = value
      },
      steps: 1,
    }
  }
  const { name, at } = tree.base as NameExpression
  const { slot, isConstant } = variableOf(name, at, names)
  const keyCodes = tree.steps.map(step =>
    step.kind === 'member' ? step.name : compileExpression((step as { key: Expression }).key, names),
  )
  const fixed = keyCodes.every(key => typeof key === 'string') ? keyCodes : undefined
  return {
    keys: fixed === undefined ? run => keysAt(keyCodes, run) : () => fixed,
    read: (keys, run) => {
      let value = run.slots[slot] as ScriptValue
      for (const key of keys) value = memberOf(value, key, run)
      return value
    },
    write: (keys, value, run) => {
      const root = run.slots[slot] as ScriptValue
      const written = withWritten(root, keys, value, run)
      // Only a variable without a value gets another one, which a constant cannot.
      if (written !== root && !isConstant) run.slots[slot] = written
    },
    steps: keyCodes.reduce((sum, key) => sum + 2 + (typeof key === 'string' ? 0 : key.steps), 1),
  }
}

function keysAt(codes: readonly (string | Code)[], run: ScriptRun): readonly Key[] | Void {
  const keys: Key[] = []
  for (const code of codes) {
    const key = typeof code === 'string' ? code : keyOf(code.evaluate(run), run)
    if (key === VOID) return VOID
    keys.push(key)
  }
  return keys
}

/** A variable to which a value can be assigned. */
function assignable({ name, at }: NameExpression, names: Names): Variable {
  const variable = variableOf(name, at, names)
  if (variable.isConstant) throw new ScriptProblem(`"${name}" is a constant`, at)
  return variable
}

function* compilingIf({ branches, otherwise }: IfTree, names: Names): Steps<Doing> {
  const compiled: { readonly test: Test; readonly body: Doing }[] = []
  for (const { test, body } of branches) {
    yield* names.pauseIfDue()
    compiled.push({ test: compileTest(test, names), body: yield* compilingStatement(body, names) })
  }
  const other = otherwise && (yield* compilingStatement(otherwise, names))
  return run => {
    for (let index = 0; index < compiled.length; index++) {
      const { test, body } = compiled[index] as { readonly test: Test; readonly body: Doing }
      run.spend(test.steps + 1)
      const holds = test.holds(run)
      if (run.pushed.length > 0) run.pushed.length = 0
      if (holds) return body(run)
    }
    return other === undefined ? false : other(run)
  }
}

/** Elements that the body adds to the array get their turn, too. */
function* compilingFor(tree: ForTree, names: Names): Steps<Doing> {
  const { evaluate, steps } = compileExpression(tree.list, names)
  const { slot, doBody } = yield* names.within(compilingRound(tree, names))
  return run => {
    run.spend(steps + 1)
    const array = evaluate(run)
    if (array === VOID) undoPushes(run)
    if (run.pushed.length > 0) run.pushed.length = 0
    if (!(array instanceof ScriptArray)) return false
    for (let index = 0; index < array.length; index++) {
      run.spend(2)
      run.slots[slot] = elementAt(array, index, run)
      if (doBody(run)) return true
    }
    return false
  }
}

/** Compiles a round of a loop, within a scope of its own. */
function* compilingRound(
  { form, name, body }: ForTree,
  names: Names,
): Steps<{ readonly slot: number; readonly doBody: Doing }> {
  if (form === 'let' || form === 'const') names.declare(name, form)
  const { slot } =
    form === undefined ? assignable({ kind: 'name', ...name }, names) : variableOf(name.name, name.at, names)
  return { slot, doBody: yield* compilingStatement(body, names) }
}

function compileReturn({ value, at }: ReturnTree, names: Names): Doing {
  const { evaluate, steps } = value === undefined ? NOTHING : compileExpression(value, names)
  return run => {
    run.spend(steps + 1)
    const result = evaluate(run)
    if (result === VOID) undoPushes(run)
    if (run.pushed.length > 0) run.pushed.length = 0
    if (result === VOID) return false
    run.result = result
    run.returnedAt = at
    return true
  }
}

const NOTHING: Code = { evaluate: () => null, steps: 0 }
