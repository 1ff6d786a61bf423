import { Help, type HelpConfiguration } from 'commander'
import { summaryOf } from '../summary.ts'

/** Spaces before a term, and between it and its description. */
const INDENT = '  '
const USUAL_WIDTH = 80
/** Part of the width that terms take; a longer term has a line of its own. */
const TERM_SHARE = 0.36
const HANGING = 4

/** Form of the lists in a help: on a narrow terminal, too, nothing is cut in the middle of a word. */
export const HELP_LAYOUT: HelpConfiguration = {
  showGlobalOptions: true,
  // Commander leaves descriptions in one line where fewer places remain.
  minWidthToWrap: 1,
  subcommandDescription: summaryOf,

  padWidth(command, help) {
    const most = Math.floor((help.helpWidth ?? USUAL_WIDTH) * TERM_SHARE)
    return Math.min(Help.prototype.padWidth.call(help, command, help), most)
  },

  formatItem(term, termWidth, description, help) {
    if (help.displayWidth(term) <= termWidth || description === '')
      return Help.prototype.formatItem.call(help, term, termWidth, description, help)
    const before = ' '.repeat(termWidth + 2 * INDENT.length)
    const width = (help.helpWidth ?? USUAL_WIDTH) - before.length
    return `${INDENT}${term}\n${before}${help.boxWrap(description, width).replaceAll('\n', `\n${before}`)}`
  },
}

const BOX = Object.assign(new Help(), { minWidthToWrap: 1 })

/**
 * Wraps lines that are wider than the terminal. A paragraph is filled anew; an indented line, such as an example, and
 * the usage of a command are continued with a deeper indent.
 *
 * @param text a whole help, or the text after its lists
 */
export function fitted(text: string, width: number): string {
  const isWide = (line: string) => BOX.displayWidth(line) > width
  if (!text.split('\n').some(isWide)) return text
  if (text.startsWith('Usage:'))
    return text
      .split('\n')
      .map(line => (isWide(line) ? continued(line, width) : line))
      .join('\n')
  return paragraphsOf(text)
    .map(paragraph => {
      if (!paragraph.some(isWide)) return paragraph.join('\n')
      const joined = paragraph.join(' ')
      return joined.startsWith(' ') ? continued(joined, width) : BOX.boxWrap(joined, width)
    })
    .join('\n')
}

/** Lines in paragraphs: an indented or an empty line is one by itself. */
function paragraphsOf(text: string): string[][] {
  const paragraphs: string[][] = []
  let isOpen = false
  for (const line of text.split('\n')) {
    const isText = /^\S/.test(line)
    if (isText && isOpen) paragraphs.at(-1)?.push(line)
    else paragraphs.push([line])
    isOpen = isText
  }
  return paragraphs
}

function continued(line: string, width: number): string {
  const indent = line.length - line.trimStart().length
  const deeper = ' '.repeat(indent + HANGING)
  const lines = BOX.boxWrap(line.trimStart(), width - deeper.length).replaceAll('\n', `\n${deeper}`)
  return `${' '.repeat(indent)}${lines}`
}
