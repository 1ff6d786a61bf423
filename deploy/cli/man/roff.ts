/** Characters with a meaning of their own in roff, or that a formatter would replace by a typographic one. */
const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\e',
  '-': '\\-',
  "'": '\\(aq',
  '`': '\\(ga',
  '^': '\\(ha',
  '~': '\\(ti',
  '"': '\\(dq',
}

/** Text of one line, in which nothing is a request or an escape. */
export function roffText(text: string): string {
  // A line that begins with a dot would be a request.
  return text.replace(/[\\\-'`^~"]/g, character => ESCAPES[character] ?? character).replace(/^\./, '\\&.')
}

/** A request of the macros man(7). Arguments may contain blanks. */
export function request(name: string, ...given: readonly string[]): string {
  return [`.${name}`, ...given.map(each => `"${roffText(each)}"`)].join(' ')
}

export function bold(text: string): string {
  return `\\fB${roffText(text)}\\fR`
}

/** A paragraph whose lines are filled. */
export function paragraph(lines: readonly string[]): string[] {
  return ['.PP', ...lines.map(roffText)]
}

/** Lines that are printed as they are. */
export function asTyped(lines: readonly string[]): string[] {
  return ['.PP', '.EX', ...lines.map(line => `\\&${roffText(line)}`), '.EE']
}

/** A list of terms with their meanings. */
export function termList(items: readonly (readonly [term: string, meaning: string])[]): string[] {
  return items.flatMap(([term, meaning]) => ['.TP', bold(term), roffText(meaning) || '\\&'])
}
