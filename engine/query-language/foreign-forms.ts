/** Form of another query language, which is ordinary text in this one. */
export interface ForeignForm {
  /** Part of the query, as it was written. */
  readonly form: string
  /** Sentence that says what the form is not, and what to write. */
  readonly remedy: string
}

/** Phrases, in which every character stands for itself. A quote within a word does not begin one. */
const PHRASE = /"(?:\\.|[^"\\])*"|(?<![^\s(:=-])'(?:\\.|[^'\\])*'/g
const RANGE = /(?<![^\s(-])([\w.]+:)?\[\s*([^\s\],]+)\s+TO\s+([^\s\],]+)\s*\]/
const WORD = /(?<=^|[\s(])[^\s()"]+/g
const COMPARISON = /^-?([A-Za-z_][\w.]*)(>=|<=|!=|>|<)(-?\d[\w.]*)$/
const EXPRESSION = /^-?\/(.+)\/[a-z]*$/
/** Signs that only regular expressions have: paths have points and slashes, too. */
const ONLY_IN_EXPRESSIONS = /[.\])][*+?]|[\\^$|[{]/

/**
 * First form of another query language in a query: `/re/`, `a && b`, `a || b`, `ms>12` or `[1 TO 5]`. People who write one do not
 * look for its characters. In quotes these can be searched for.
 */
export function foreignForm(query: string): ForeignForm | undefined {
  const text = query.replace(PHRASE, phrase => '"'.repeat(phrase.length))
  const range = RANGE.exec(text)
  if (range !== null) return { form: range[0], remedy: rangeRemedy(range) }
  for (const [form] of text.matchAll(WORD)) {
    const remedy = wordRemedy(form)
    if (remedy !== undefined) return { form, remedy }
  }
  return undefined
}

function rangeRemedy([, name = 'name:', from, to]: RegExpExecArray): string {
  const bounds = [...(from === '*' ? [] : [`>=${from}`]), ...(to === '*' ? [] : [`<=${to}`])]
  return `Ranges have two comparisons: write ${name}${bounds.length === 0 ? '*' : `(${bounds.join(' ')})`}`
}

function wordRemedy(word: string): string | undefined {
  if (word === '&&') return 'A blank means AND: leave it out'
  if (word === '||') return 'Alternatives have a word between them: write OR'
  const [, name, operator, number] = COMPARISON.exec(word) ?? []
  if (name !== undefined)
    return operator === '!='
      ? `A minus means NOT: write -${name}:${number}`
      : `Comparisons follow a colon: write ${name}:${operator}${number}`
  const [, expression = ''] = EXPRESSION.exec(word) ?? []
  if (!ONLY_IN_EXPRESSIONS.test(expression)) return undefined
  const beginning = /[\p{L}\p{N}]{2,}/u.exec(expression)?.[0]
  const remedy = 'There are no regular expressions; a word also finds longer ones that begin with it'
  return beginning === undefined ? remedy : `${remedy}: write ${beginning}`
}
