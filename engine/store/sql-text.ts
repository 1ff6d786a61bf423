import type { Statement } from './statement.ts'

const PLAIN = /^[A-Za-z0-9 _.:/-]*$/

/**
 * A text as a SQL literal. Every character that is not clearly harmless is written as the hexadecimal digits of its UTF-8
 * bytes, so a text cannot end the literal.
 */
export function textLiteral(text: string): string {
  if (PLAIN.test(text)) return `'${text}'`
  let literal = "'"
  for (const byte of Buffer.from(text)) {
    const character = String.fromCharCode(byte)
    literal += PLAIN.test(character) ? character : `\\x${byte.toString(16).padStart(2, '0')}`
  }
  return `${literal}'`
}

// Tokens that may contain a brace without a parameter: texts, quoted names, comments.
const TOKENS =
  /'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`|"(?:[^"\\]|\\.)*"|--[^\n]*|\/\*[\s\S]*?\*\/|\{\s*([A-Za-z_]\w*)\s*:\s*((?:[^{}'"]|'[^']*')+?)\s*\}/g

/**
 * Puts the parameters of a statement into its text, for the embedded engine. The engine's own binding is unsafe when
 * two statements with parameters run at once in one process. Its client therefore runs only one at a time.
 *
 * @param plainValue returns the value of a parameter of this type that is given in another form
 * @throws TypeError for a missing parameter, or one without a literal here
 */
export function bindParameters(
  { sql, parameters = {} }: Statement,
  plainValue: (given: unknown, type: string) => unknown = given => given,
): string {
  return sql.replace(TOKENS, (token: string, name: string | undefined, type: string | undefined) => {
    if (name === undefined || type === undefined) return token
    if (!Object.hasOwn(parameters, name)) throw new TypeError(`parameter ${name} is not given`)
    return typedLiteral(plainValue(parameters[name], type), type)
  })
}

function typedLiteral(value: unknown, type: string): string {
  if (type === 'String' && typeof value === 'string') return textLiteral(value)
  return `CAST(${literal(value)}, ${textLiteral(type)})`
}

/** Numbers are written as texts, too: the cast then refuses values that the type cannot hold, as a server does. */
function literal(value: unknown): string {
  if (value === null) return 'NULL'
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  switch (typeof value) {
    case 'string':
      return textLiteral(value)
    case 'number':
    case 'bigint':
      return textLiteral(String(value))
    case 'boolean':
      return value ? "'1'" : "'0'"
    default:
      throw new TypeError(`no literal for a parameter of type ${typeof value}`)
  }
}
