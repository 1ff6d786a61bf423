import type { Steps } from '../steps.ts'
import { ScriptProblem } from './script-problem.ts'
import type { DeclarationKind, Expression, NameTree, Statement } from './syntax-tree.ts'

/** Statements between two pauses: a millisecond or two. */
const STATEMENTS_PER_STEP = 512

/** Place of a variable in `ScriptRun.slots`. */
export interface Variable {
  readonly slot: number
  readonly isConstant: boolean
  /** Text of a constant that is declared with a literal. */
  readonly text: string | undefined
}

/** Variables of a script by name. Each declaration has a slot of its own, since a script calls nothing twice at once. */
export class Names {
  readonly #scopes: Map<string, Variable>[] = [new Map()]
  /** Variables of all scopes, by name; the last one hides the others. */
  readonly #visible = new Map<string, Variable[]>()
  #slots = 0
  /** Statements that were compiled since the last pause. */
  #statements = 0
  /** Steps of the grok patterns that the script has so far. */
  patternSteps = 0

  /** Number of slots. */
  get slots(): number {
    return this.#slots
  }

  /** @param value that of the declaration @throws ScriptProblem when the scope has another one of that name */
  declare({ name, at }: NameTree, form: DeclarationKind | 'parameter', value?: Expression): Variable {
    const scope = form === 'var' ? this.#scopes[0] : this.#scopes.at(-1)
    const known = scope?.get(name)
    // In JavaScript, a repeated parameter hides the one before, and `var` declares a name once.
    if (known !== undefined && form === 'var') return known
    if (known !== undefined && form !== 'parameter')
      throw new ScriptProblem(`the name "${name}" is declared twice`, at)
    const isConstant = form === 'const'
    const isText = isConstant && value?.kind === 'literal' && typeof value.value === 'string'
    const variable = { slot: this.#slots++, isConstant, text: isText ? String(value.value) : undefined }
    scope?.set(name, variable)
    const visible = this.#visible.get(name)
    if (visible === undefined) this.#visible.set(name, [variable])
    else visible.push(variable)
    return variable
  }

  /** Counts a statement, and pauses if there have been many since the last pause. */
  *pauseIfDue(): Steps {
    if (++this.#statements < STATEMENTS_PER_STEP) return
    this.#statements = 0
    yield
  }

  find(name: string): Variable | undefined {
    return this.#visible.get(name)?.at(-1)
  }

  /** Works within a scope of its own. */
  *within<Result>(work: Steps<Result>): Steps<Result> {
    const scope = new Map<string, Variable>()
    this.#scopes.push(scope)
    const result = yield* work
    this.#scopes.pop()
    for (const name of scope.keys()) this.#visible.get(name)?.pop()
    return result
  }
}

/** Declarations with `var` within statements, at any depth: they belong to the function. */
export function* variablesIn(statements: readonly Statement[]): Generator<NameTree> {
  for (const statement of statements) {
    switch (statement.kind) {
      case 'declaration':
        if (statement.form === 'var') yield statement.name
        break
      case 'block':
        yield* variablesIn(statement.statements)
        break
      case 'if':
        yield* variablesIn(statement.branches.map(({ body }) => body))
        if (statement.otherwise !== undefined) yield* variablesIn([statement.otherwise])
        break
      case 'for':
        if (statement.form === 'var') yield statement.name
        yield* variablesIn([statement.body])
        break
    }
  }
}
