import type { Command } from 'commander'

/** The command in a list of commands: its own summary, or the first sentence of its description in the same style. */
export function summaryOf(command: Command): string {
  const summary = command.summary()
  if (summary !== '') return summary
  const [sentence = ''] = command.description().split(/(?<=\.) |\.$/)
  return `${sentence.charAt(0).toLowerCase()}${sentence.slice(1).replace(/\.$/, '')}`
}
