/** Parts of a script after it was read. Positions are those in its text, in UTF-16 units. */

export interface FunctionTree {
  readonly parameters: readonly NameTree[]
  readonly body: readonly Statement[]
}

export interface NameTree {
  readonly name: string
  readonly at: number
}

export type Statement =
  | BlockTree
  | DeclarationTree
  | AssignmentTree
  | IfTree
  | ForTree
  | ReturnTree
  | ExpressionStatement

export interface BlockTree {
  readonly kind: 'block'
  readonly statements: readonly Statement[]
}

export type DeclarationKind = 'let' | 'const' | 'var'

export interface DeclarationTree {
  readonly kind: 'declaration'
  readonly form: DeclarationKind
  readonly name: NameTree
  readonly value: Expression | undefined
}

export type AssignmentOperator = '=' | '+=' | '-=' | '*=' | '/='

export interface AssignmentTree {
  readonly kind: 'assignment'
  /** More than one in `a = b = 1`; each is a name or a path that ends in a member. */
  readonly targets: readonly (NameExpression | PathTree)[]
  readonly operator: AssignmentOperator
  readonly value: Expression
}

export interface IfTree {
  readonly kind: 'if'
  /** Tests in order: that of `if`, and those of each `else if`. */
  readonly branches: readonly { readonly test: Expression; readonly body: Statement }[]
  readonly otherwise: Statement | undefined
}

export interface ForTree {
  readonly kind: 'for'
  /** Undefined: the name was declared before. */
  readonly form: DeclarationKind | undefined
  readonly name: NameTree
  readonly list: Expression
  readonly body: Statement
}

export interface ReturnTree {
  readonly kind: 'return'
  readonly value: Expression | undefined
  readonly at: number
}

export interface ExpressionStatement {
  readonly kind: 'expression'
  readonly expression: Expression
}

export type Expression =
  | LiteralTree
  | NameExpression
  | ArrayTree
  | ObjectTree
  | PathTree
  | NewTree
  | UnaryTree
  | ChainTree
  | LogicalTree
  | TernaryTree

export interface LiteralTree {
  readonly kind: 'literal'
  readonly value: string | number | bigint | boolean | null
}

export interface NameExpression extends NameTree {
  readonly kind: 'name'
}

export interface ArrayTree {
  readonly kind: 'array'
  readonly elements: readonly Expression[]
}

export interface ObjectTree {
  readonly kind: 'object'
  readonly members: readonly { readonly key: Expression; readonly value: Expression }[]
}

/** A value, and the steps that lead on from it: `a.b[0].trim()`. */
export interface PathTree {
  readonly kind: 'path'
  readonly base: Expression
  readonly steps: readonly PathStep[]
}

export type PathStep =
  | { readonly kind: 'member'; readonly name: string; readonly at: number }
  | { readonly kind: 'element'; readonly key: Expression; readonly at: number }
  | { readonly kind: 'call'; readonly values: readonly Expression[]; readonly at: number }

export interface NewTree {
  readonly kind: 'new'
  readonly name: NameTree
  readonly values: readonly Expression[]
}

export interface UnaryTree {
  readonly kind: 'unary'
  readonly operator: '-' | '!'
  readonly operand: Expression
}

export type BinaryOperator = '+' | '-' | '*' | '/' | '<' | '<=' | '>' | '>=' | '===' | '!=='

/** Operations of the same rank, done from left to right. `==` is read as `===`, and `!=` as `!==`. */
export interface ChainTree {
  readonly kind: 'chain'
  readonly first: Expression
  readonly rest: readonly { readonly operator: BinaryOperator; readonly operand: Expression }[]
}

export interface LogicalTree {
  readonly kind: 'logical'
  readonly operator: '&&' | '||'
  /** Two or more. */
  readonly operands: readonly Expression[]
}

export interface TernaryTree {
  readonly kind: 'ternary'
  readonly test: Expression
  readonly then: Expression
  readonly otherwise: Expression
}
