/**
 * Members of a line that few lines of a batch differ in, as words of columns `facts` and `tag_list`. Each part ends with a
 * separator, or begins behind one; in a part, separator and escape are escaped.
 */
const SEPARATOR = '\x1f'
const ESCAPE = '\x1e'
const ESCAPED = { [ESCAPE]: `${ESCAPE}0`, [SEPARATOR]: `${ESCAPE}1` } as const

export interface LineFacts {
  readonly file: string
  readonly env: string
  readonly mac: string
  readonly ip: string
  readonly remote: string
}

export function factsText({ file, env, mac, ip, remote }: LineFacts): string {
  return [file, env, mac, ip, remote].map(escaped).join(SEPARATOR)
}

export function factsOf(text: string): LineFacts {
  const [file = '', env = '', mac = '', ip = '', remote = ''] = text.split(SEPARATOR).map(unescaped)
  return { file, env, mac, ip, remote }
}

/** Each tag has a separator behind it, so that an empty text means no tags. */
export function tagsText(tags: readonly string[]): string {
  return tags.map(tag => escaped(tag) + SEPARATOR).join('')
}

export function tagsOf(text: string): string[] {
  return text.split(SEPARATOR).slice(0, -1).map(unescaped)
}

function escaped(part: string): string {
  return part.includes(ESCAPE) || part.includes(SEPARATOR)
    ? part.replaceAll(ESCAPE, ESCAPED[ESCAPE]).replaceAll(SEPARATOR, ESCAPED[SEPARATOR])
    : part
}

function unescaped(part: string): string {
  return part.includes(ESCAPE)
    ? part.replaceAll(ESCAPED[SEPARATOR], SEPARATOR).replaceAll(ESCAPED[ESCAPE], ESCAPE)
    : part
}
