import { ScriptProblem } from './script-problem.ts'
import type { DeclarationKind, NameTree, Statement } from './syntax-tree.ts'

/** Place of a variable in `ScriptRun.slots`. */
export interface Variable {
  readonly slot: number
  readonly isConstant: boolean
}

/** Variables of a script by name. Each declaration has a slot of its own, since a script calls nothing twice at once. */
export class Names {
  readonly #scopes: Map<string, Variable>[] = [new Map()]
  #slots = 0

  /** Number of slots. */
  get slots(): number {
    return this.#slots
  }

  /** @throws ScriptProblem when the scope has another one of that name */
  declare({ name, at }: NameTree, form: DeclarationKind | 'parameter'): Variable {
    const scope = form === 'var' ? this.#scopes[0] : this.#scopes.at(-1)
    const known = scope?.get(name)
    // In JavaScript, a repeated parameter hides the one before, and `var` declares a name once.
    if (known !== undefined && form === 'var') return known
    if (known !== undefined && form !== 'parameter')
      throw new ScriptProblem(`the name "${name}" is declared twice`, at)
    const variable = { slot: this.#slots++, isConstant: form === 'const' }
    scope?.set(name, variable)
    return variable
  }

  find(name: string): Variable | undefined {
    return this.#scopes.findLast(scope => scope.has(name))?.get(name)
  }

  /** Works within a scope of its own. */
  within<Result>(work: () => Result): Result {
    this.#scopes.push(new Map())
    const result = work()
    this.#scopes.pop()
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
