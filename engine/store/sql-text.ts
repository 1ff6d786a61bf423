import type { Statement } from './store.ts'

const PLAIN = /^[A-Za-z0-9 _.:/-]*$/

/**
 * A text as a SQL literal: every character that is not plainly harmless is written as the hexadecimal digits of
 * its UTF-8 bytes, so no text can end the literal.
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

// What may hold a brace that is no parameter: texts, quoted names, comments.
const TOKENS =
  /'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`|"(?:[^"\\]|\\.)*"|--[^\n]*|\/\*[\s\S]*?\*\/|\{\s*([A-Za-z_]\w*)\s*:\s*((?:[^{}'"]|'[^']*')+?)\s*\}/g

/**
 * Puts the parameters of a statement into its text, for the embedded engine: its own binding is not safe when two
 * statements with parameters run at once in one process, and its client therefore runs only one at a time.
 *
 * @param plainValue the value of a parameter of this type, where it is given in another form
 * @throws TypeError for a parameter that is missing or of a kind that has no literal here
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

/** Numbers, too, are given as texts: the cast then refuses what the type cannot hold, as a server does. */
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
