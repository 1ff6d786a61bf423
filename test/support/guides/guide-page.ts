/** Shell block of a guide that runs against the program. */
export interface Example {
  readonly kind: 'example'
  /** Line of the page at which the block begins, from 1. */
  readonly line: number
  readonly commands: string
  /** Exit statuses of the last command that are as expected. */
  readonly statuses: readonly number[]
  /** Output that the guide shows; undefined when it shows none. */
  output: string | undefined
}

/** Block that a reader saves as a file. */
export interface SavedFile {
  readonly kind: 'file'
  readonly line: number
  readonly name: string
  readonly text: string
}

/** Block that cannot run in a test, such as the configuration of another program. */
export interface Elsewhere {
  readonly kind: 'elsewhere'
  readonly line: number
  readonly language: string
  readonly text: string
}

export type Block = Example | SavedFile | Elsewhere

const BLOCK = /(?:^<!-- (?<mark>[^\n]*?) -->\n\n?)?^```(?<language>\w*)\n(?<text>.*?)^```$/gms
/** Beginning of a comment that says how to treat a block. */
const MARK = /^<!-- (?:file|elsewhere|exits)\b/
const SAVED_AS = /^file: (\S+)$/
const ELSEWHERE = /^elsewhere: \S/
const EXIT_STATUSES = /^exits with (\d+(?: or \d+)*)$/

/**
 * Fenced blocks of a guide, in order. A comment before a block says how a test treats it:
 *
 * - `<!-- file: NAME -->`: the block is saved as a file for later examples.
 * - `<!-- elsewhere: REASON -->`: the block does not run.
 * - `<!-- exits with N -->`, or `N or M`: exit status of the last command, if it is not 0.
 *
 * Every other block in `sh` runs, and a block in `text` behind it is its output.
 *
 * @throws when the treatment of a block is not clear
 */
export function blocksOf(page: string): readonly Block[] {
  const blocks: Block[] = []
  for (const { groups, index } of page.matchAll(BLOCK)) {
    const { mark = '', language = '', text = '' } = groups ?? {}
    const line = page.slice(0, index).split('\n').length
    const previous = blocks.at(-1)
    const name = SAVED_AS.exec(mark)?.[1]
    const statuses = EXIT_STATUSES.exec(mark)?.[1]?.split(' or ').map(Number)
    if (name !== undefined) blocks.push({ kind: 'file', line, name, text })
    else if (ELSEWHERE.test(mark)) blocks.push({ kind: 'elsewhere', line, language, text })
    else if (language === 'sh' && (mark === '' || statuses !== undefined))
      blocks.push({ kind: 'example', line, commands: text, statuses: statuses ?? [0], output: undefined })
    else if (
      language === 'text' &&
      mark === '' &&
      previous?.kind === 'example' &&
      previous.output === undefined
    )
      previous.output = text
    else throw new Error(`The treatment of the block in line ${line} is not clear.`)
  }
  const marks = page.split('\n').filter(line => MARK.test(line))
  const marked = [...page.matchAll(BLOCK)].filter(([block]) => MARK.test(block))
  if (marked.length !== marks.length)
    throw new Error('A comment that says how to treat a block is not directly before one.')
  return blocks
}

/** Values that differ in each run, with the text that stands for them. */
const VARYING: readonly (readonly [RegExp, string])[] = [
  [/\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)/g, '<time>'],
  [/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, '<time>'],
  [/\d{4}-\d\d-\d\d/g, '<day>'],
  [/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g, '<id>'],
  [/\b[\da-f]{8}:\d+:\d+:\d+/g, '<batch>'],
  [/\b[\da-f]{10}\b/g, '<short id>'],
  [/\b127\.0\.0\.1:\d+/g, '<address>'],
]

function withoutVarying(text: string): string {
  let masked = text
  for (const [pattern, name] of VARYING) masked = masked.replaceAll(pattern, name)
  return masked
    .split('\n')
    .map(line => line.trimEnd())
    .join('\n')
    .trim()
}

/**
 * Whether an output is the one that a guide shows. Times, days and ids may differ. `…` stands for the rest of a word or line, and on a line of
 * its own for any number of lines.
 */
export function isShown(output: string, shown: string): boolean {
  const pattern = withoutVarying(shown)
    .split('\n')
    .map(line => (line.trim() === '…' ? '(?:.*\n)*?' : `${anyWhereDots(line)}\n`))
    .join('')
  return new RegExp(`^${pattern}$`).test(`${withoutVarying(output)}\n`)
}

/** Pattern of a line in which dots stand for any text, and the widths of columns do not matter. */
function anyWhereDots(line: string): string {
  return line
    .split('…')
    .map(part => part.split(/ +/).map(RegExp.escape).join(' +'))
    .join('.*')
}
