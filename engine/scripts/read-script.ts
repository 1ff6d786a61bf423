import type { Steps } from '../steps.ts'
import { readExpression, readName } from './read-expression.ts'
import { ScriptProblem } from './script-problem.ts'
import type {
  AssignmentOperator,
  AssignmentTree,
  DeclarationKind,
  Expression,
  FunctionTree,
  NameTree,
  Statement,
} from './syntax-tree.ts'
import { notAvailable, TokenReader } from './token-reader.ts'

const DECLARATIONS: readonly string[] = ['let', 'const', 'var'] satisfies DeclarationKind[]
const ASSIGNMENTS: readonly string[] = ['=', '+=', '-=', '*=', '/='] satisfies AssignmentOperator[]

/**
 * Reads a script in steps. It is one function in a subset of JavaScript: components, section 5.11. Names are not
 * resolved.
 *
 * @throws ScriptProblem with the first construct outside the subset
 */
export function* readingScript(text: string): Steps<FunctionTree> {
  const reader = new TokenReader(text)
  if (reader.is('async')) throw reader.unexpected()
  reader.expect('function')
  if (reader.is('*')) throw notAvailable('a generator', reader.token.start)
  readName(reader)
  reader.expect('(')
  const parameters: NameTree[] = []
  while (!reader.take(')')) {
    if (parameters.length > 0) {
      reader.expect(',')
      if (reader.take(')')) break
    }
    parameters.push(readName(reader))
    if (reader.is('=')) throw notAvailable('a default of a parameter', reader.token.start)
  }
  const body = yield* readingBlock(reader)
  while (reader.take(';'));
  if (reader.token.kind !== 'end')
    throw new ScriptProblem('something follows the function', reader.token.start)
  return { parameters, body }
}

/** Reads statements with the braces around them. */
function readingBlock(reader: TokenReader): Steps<Statement[]> {
  return reader.nesting(readingStatements(reader))
}

function* readingStatements(reader: TokenReader): Steps<Statement[]> {
  reader.expect('{')
  const statements: Statement[] = []
  while (!reader.take('}')) {
    yield* reader.pauseIfDue()
    statements.push(...(yield* readingStatement(reader)))
  }
  return statements
}

/** Reads the statement after `if` or `for`. */
function readingBody(reader: TokenReader): Steps<Statement> {
  return reader.nesting(readingOnlyStatement(reader))
}

function* readingOnlyStatement(reader: TokenReader): Steps<Statement> {
  const { kind, text, start } = reader.token
  if (kind === 'name' && (text === 'let' || text === 'const'))
    throw new ScriptProblem(`"${text}" needs braces around it`, start)
  return { kind: 'block', statements: yield* readingStatement(reader) }
}

/** Reads one statement; a declaration of several names gives several, an empty one none. */
function* readingStatement(reader: TokenReader): Steps<Statement[]> {
  if (reader.take(';')) return []
  const { kind, text, start: at } = reader.token
  if (kind === 'punctuation' && text === '{')
    return [{ kind: 'block', statements: yield* readingBlock(reader) }]
  if (kind === 'name') {
    if (DECLARATIONS.includes(text)) return readDeclarations(reader)
    if (text === 'if') return [yield* readingIf(reader)]
    if (text === 'for') return [yield* readingFor(reader)]
    if (text === 'return') {
      reader.next()
      const isBare = reader.token.isOnNewLine || reader.is(';') || reader.is('}')
      const value = isBare ? undefined : readExpression(reader)
      reader.endStatement()
      return [{ kind: 'return', value, at }]
    }
  }
  const statement = readAssignment(reader)
  reader.endStatement()
  return [statement]
}

function readDeclarations(reader: TokenReader): Statement[] {
  const form = reader.next().text as DeclarationKind
  const statements: Statement[] = []
  do {
    const name = readName(reader)
    const value = reader.take('=') ? readExpression(reader) : undefined
    if (form === 'const' && value === undefined)
      throw new ScriptProblem(`the constant "${name.name}" needs a value`, name.at)
    statements.push({ kind: 'declaration', form, name, value })
  } while (reader.take(','))
  reader.endStatement()
  return statements
}

function* readingIf(reader: TokenReader): Steps<Statement> {
  const branches: { test: Expression; body: Statement }[] = []
  do {
    yield* reader.pauseIfDue()
    reader.expect('if')
    reader.expect('(')
    const test = readExpression(reader)
    reader.expect(')')
    branches.push({ test, body: yield* readingBody(reader) })
    if (!reader.take('else')) return { kind: 'if', branches, otherwise: undefined }
  } while (reader.is('if'))
  return { kind: 'if', branches, otherwise: yield* readingBody(reader) }
}

function* readingFor(reader: TokenReader): Steps<Statement> {
  const { start } = reader.next()
  reader.expect('(')
  const { kind, text } = reader.token
  const form =
    kind === 'name' && DECLARATIONS.includes(text) ? (reader.next().text as DeclarationKind) : undefined
  if (reader.token.kind === 'punctuation' && reader.is(';')) throw notAvailable('a "for (;;)" loop', start)
  const name = readName(reader)
  if (reader.is('in')) throw notAvailable('a "for…in" loop', start)
  if (!reader.take('of')) throw notAvailable('a "for (;;)" loop', start)
  const list = readExpression(reader)
  reader.expect(')')
  return { kind: 'for', form, name, list, body: yield* readingBody(reader) }
}

/** Reads an expression, or an assignment to one or more targets. */
function readAssignment(reader: TokenReader): Statement {
  const targets: AssignmentTree['targets'][number][] = []
  let operator: AssignmentOperator = '='
  for (;;) {
    const { start: at } = reader.token
    const expression = readExpression(reader)
    const { kind, text, start } = reader.token
    if (expression.kind === 'name' && reader.is(':')) throw notAvailable('a label', at)
    if (kind !== 'punctuation' || !ASSIGNMENTS.includes(text))
      return targets.length === 0
        ? { kind: 'expression', expression }
        : { kind: 'assignment', targets, operator, value: expression }
    if (targets.length > 0 && (operator !== '=' || text !== '=')) throw reader.unexpected()
    if (!isTarget(expression)) throw new ScriptProblem('nothing can be assigned to this', at)
    operator = text as AssignmentOperator
    targets.push(expression)
    reader.next()
    if (reader.token.kind === 'end') throw new ScriptProblem('it ends too early', start)
  }
}

function isTarget(expression: Expression): expression is AssignmentTree['targets'][number] {
  if (expression.kind === 'name') return true
  return (
    expression.kind === 'path' &&
    expression.base.kind === 'name' &&
    expression.steps.every(({ kind }) => kind !== 'call')
  )
}
