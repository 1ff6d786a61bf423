import { ScriptProblem } from './script-problem.ts'
import { tokenAfter } from './script-tokens.ts'
import type { BinaryOperator, ChainTree, Expression, NameTree, ObjectTree, PathStep } from './syntax-tree.ts'
import { notAvailable, type TokenReader } from './token-reader.ts'

/** Words that name nothing. */
const RESERVED: ReadonlySet<string> = new Set(
  `break case catch class const continue debugger default delete do else enum export extends false finally for function if
  import in instanceof new null return super switch this throw true try typeof var void while with let static yield await
  implements interface package private protected public`.split(/\s+/),
)

const LITERALS: Readonly<Record<string, null | boolean>> = {
  true: true,
  false: false,
  null: null,
  undefined: null,
}

/** Operators by rank, those first that bind least. */
const RANKS: readonly Readonly<Record<string, BinaryOperator | '&&' | '||'>>[] = [
  { '||': '||' },
  { '&&': '&&' },
  { '===': '===', '!==': '!==', '==': '===', '!=': '!==' },
  { '<': '<', '<=': '<=', '>': '>', '>=': '>=' },
  { '+': '+', '-': '-' },
  { '*': '*', '/': '/' },
]

/** Reads an expression of the subset. @throws ScriptProblem */
export function readExpression(reader: TokenReader): Expression {
  return reader.nested(() => {
    const test = readOperations(reader, 0)
    if (!reader.take('?')) return test
    const then = readExpression(reader)
    reader.expect(':')
    return { kind: 'ternary', test, then, otherwise: readExpression(reader) }
  })
}

/** Reads a name that a script may give. */
export function readName(reader: TokenReader): NameTree {
  const { kind, text, start } = reader.token
  if (kind === 'punctuation' && (text === '[' || text === '{')) throw notAvailable('destructuring', start)
  if (kind !== 'name') throw reader.unexpected()
  if (RESERVED.has(text) || Object.hasOwn(LITERALS, text))
    throw new ScriptProblem(`the name "${text}" is taken`, start)
  reader.next()
  return { name: text, at: start }
}

function readOperations(reader: TokenReader, rank: number): Expression {
  const operators = RANKS[rank]
  if (operators === undefined) return readUnary(reader)
  const first = readOperations(reader, rank + 1)
  const rest: { operator: BinaryOperator | '&&' | '||'; operand: Expression }[] = []
  for (let operator = operatorAt(reader, operators); operator !== undefined; ) {
    reader.next()
    rest.push({ operator, operand: readOperations(reader, rank + 1) })
    operator = operatorAt(reader, operators)
  }
  const [second] = rest
  if (second === undefined) return first
  if (second.operator === '&&' || second.operator === '||')
    return {
      kind: 'logical',
      operator: second.operator,
      operands: [first, ...rest.map(({ operand }) => operand)],
    }
  return { kind: 'chain', first, rest: rest as ChainTree['rest'] }
}

function operatorAt<Operator>(
  { token: { kind, text } }: TokenReader,
  operators: Readonly<Record<string, Operator>>,
): Operator | undefined {
  return kind === 'punctuation' && Object.hasOwn(operators, text) ? operators[text] : undefined
}

function readUnary(reader: TokenReader): Expression {
  const { kind, text } = reader.token
  if (kind !== 'punctuation' || (text !== '-' && text !== '!')) return readPath(reader)
  reader.next()
  return { kind: 'unary', operator: text, operand: reader.nested(() => readUnary(reader)) }
}

function readPath(reader: TokenReader): Expression {
  const base = readBase(reader)
  const steps: PathStep[] = []
  for (let step = readStep(reader); step !== undefined; step = readStep(reader)) steps.push(step)
  return steps.length === 0 ? base : { kind: 'path', base, steps }
}

function readStep(reader: TokenReader): PathStep | undefined {
  const { start: at } = reader.token
  if (reader.take('.')) {
    const { kind, text, start } = reader.token
    if (kind !== 'name') throw reader.unexpected()
    reader.next()
    return { kind: 'member', name: text, at: start }
  }
  if (reader.take('[')) {
    const key = readExpression(reader)
    reader.expect(']')
    return { kind: 'element', key, at }
  }
  if (reader.is('(')) return { kind: 'call', values: readValues(reader), at }
  if (reader.is('`') || reader.is('?.')) throw reader.unexpected()
  return undefined
}

/** Reads the values of a call, with their brackets. */
function readValues(reader: TokenReader): Expression[] {
  reader.expect('(')
  return readList(reader, ')', () => readExpression(reader))
}

/** Reads parts up to a closing bracket; a comma may follow the last. */
function readList<Part>(reader: TokenReader, end: string, read: () => Part): Part[] {
  const parts: Part[] = []
  while (!reader.take(end)) {
    if (parts.length > 0) {
      if (!reader.take(',')) throw reader.unexpected()
      if (reader.take(end)) break
    }
    parts.push(read())
  }
  return parts
}

function readBase(reader: TokenReader): Expression {
  const { kind, text, value, start: at } = reader.token
  if (kind === 'number' || kind === 'string') {
    reader.next()
    return { kind: 'literal', value: value as string | number | bigint }
  }
  if (kind === 'name') return readWord(reader)
  if (reader.take('[')) {
    const readElement = () => {
      if (reader.is(',')) throw notAvailable('a hole in a list', reader.token.start)
      return readExpression(reader)
    }
    return { kind: 'array', elements: readList(reader, ']', readElement) }
  }
  if (reader.take('{')) return { kind: 'object', members: readList(reader, '}', () => readMember(reader)) }
  if (reader.take('(')) {
    if (reader.is(')')) throw notAvailable('an arrow function', at)
    const expression = readExpression(reader)
    if ((reader.is(',') || reader.is(')')) && isArrowFunction(reader))
      throw notAvailable('an arrow function', at)
    reader.expect(')')
    return expression
  }
  if (text === '/=') throw notAvailable('a regular expression', at)
  if (text === '+') throw notAvailable('the operator "+" before a value', at)
  throw reader.unexpected()
}

function readWord(reader: TokenReader): Expression {
  const { text, start: at } = reader.token
  if (Object.hasOwn(LITERALS, text)) {
    reader.next()
    return { kind: 'literal', value: LITERALS[text] ?? null }
  }
  if (text === 'async') {
    const { text: nextText, isOnNewLine } = reader.peek()
    if (nextText === 'function' && !isOnNewLine) throw reader.unexpected()
  }
  if (text === 'new') {
    reader.next()
    const { name } = readName(reader)
    return { kind: 'new', name: { name, at }, values: reader.is('(') ? readValues(reader) : [] }
  }
  if (RESERVED.has(text) && text !== 'let' && text !== 'static') throw reader.unexpected()
  const name = readName(reader)
  if (reader.is('=>')) throw notAvailable('an arrow function', at)
  return { kind: 'name', ...name }
}

function readMember(reader: TokenReader): ObjectTree['members'][number] {
  const { kind, text, value, start } = reader.token
  if (reader.take('[')) {
    const key = readExpression(reader)
    reader.expect(']')
    return { key, value: readMemberValue(reader, start) }
  }
  if (kind !== 'name' && kind !== 'string' && kind !== 'number') throw reader.unexpected()
  const next = reader.peek()
  const key: Expression = { kind: 'literal', value: kind === 'name' ? text : String(value) }
  if (kind === 'name' && next.kind === 'punctuation' && (next.text === ',' || next.text === '}'))
    return { key, value: readWord(reader) }
  reader.next()
  if ((text === 'get' || text === 'set') && next.kind !== 'punctuation')
    throw notAvailable(`the "${text}" function of an object`, start)
  return { key, value: readMemberValue(reader, start) }
}

/** @param at of the member */
function readMemberValue(reader: TokenReader, at: number): Expression {
  if (reader.is('(')) throw notAvailable('a function of an object', at)
  reader.expect(':')
  return readExpression(reader)
}

/** Whether an arrow follows the closing bracket around the present token, which is that bracket or a comma before it. */
function isArrowFunction({ text, token }: TokenReader): boolean {
  let levels = 1
  for (let next = token; next.kind !== 'end'; next = tokenAfter(text, next.end)) {
    if (next.kind !== 'punctuation') continue
    if (next.text === '(') levels++
    else if (next.text === ')' && --levels === 0) return tokenAfter(text, next.end).text === '=>'
  }
  return false
}
