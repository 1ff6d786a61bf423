import type { Command, Help } from 'commander'
import { summaryOf } from '../summary.ts'
import { asTyped, paragraph, request, termList } from './roff.ts'

export interface PageHead {
  readonly version: string
  /** Day of the page, such as 2026-01-31. */
  readonly day: string
  /** Text that the help of a command has after its options. */
  readonly notesOf: (command: Command) => string
}

/** Name of the page of a command: `weir`, or `weir-search`. */
export function pageName(command: Command): string {
  return command.parent === null ? command.name() : `${command.parent.name()}-${command.name()}`
}

/** Manual page of the program, or of one of its commands with its verbs, in the macros man(7). */
export function manPage(command: Command, { version, day, notesOf }: PageHead): string {
  const help = command.createHelp()
  const name = pageName(command)
  const notes = sectionsOf(notesOf(command))
  const isProgram = command.parent === null
  const children = help.visibleCommands(command)
  const verbs = isProgram ? [] : children
  const lines = [
    `.TH ${name.toUpperCase()} 1 ${day} "weir ${version}" "Weir manual"`,
    '.SH NAME',
    // No escape but that of the hyphen: indexes of manual pages read this line.
    `${name.replaceAll('-', '\\-')} \\- ${summaryOf(command)}`,
    '.SH SYNOPSIS',
    ...asTyped([help.commandUsage(command)]),
    '.SH DESCRIPTION',
    ...paragraph([help.commandDescription(command)]),
    ...notes.texts,
    ...section('ARGUMENTS', argumentList(command, help)),
    ...section('OPTIONS', optionList(command, help)),
    ...section(
      'COMMANDS',
      termList(children.map(child => [help.subcommandTerm(child), `${summaryOf(child)}.`])),
    ),
    ...verbs.flatMap(verb => verbSection(verb, notesOf)),
    ...section('EXAMPLES', notes.examples),
    ...section('EXIT STATUS', notes.exitCodes),
    '.SH SEE ALSO',
    ...paragraph([seeAlso(command, help)]),
  ]
  // A section begins with a paragraph by itself.
  const needed = lines.filter((line, at) => line !== '.PP' || !lines[at - 1]?.startsWith('.SH'))
  return `${needed.join('\n')}\n`
}

/** A verb of a command, with its own verbs. */
function verbSection(verb: Command, notesOf: (command: Command) => string): string[] {
  const help = verb.createHelp()
  const notes = sectionsOf(notesOf(verb))
  return [
    request('SH', pathOf(verb)),
    ...asTyped([help.commandUsage(verb)]),
    ...paragraph([help.commandDescription(verb)]),
    ...notes.texts,
    ...argumentList(verb, help),
    ...optionList(verb, help),
    ...notes.examples,
    ...notes.exitCodes,
    ...help
      .visibleCommands(verb)
      .filter(child => child.name() !== 'help')
      .flatMap(child => verbSection(child, notesOf)),
  ]
}

function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`
}

function section(title: string, content: readonly string[]): string[] {
  return content.length === 0 ? [] : [request('SH', title), ...content]
}

function argumentList(command: Command, help: Help): string[] {
  return termList(
    help
      .visibleArguments(command)
      .map(argument => [`<${help.argumentTerm(argument)}>`, help.argumentDescription(argument)]),
  )
}

function optionList(command: Command, help: Help): string[] {
  return termList(
    help.visibleOptions(command).map(option => [help.optionTerm(option), help.optionDescription(option)]),
  )
}

function seeAlso(command: Command, help: Help): string {
  const { parent } = command
  if (parent !== null) return `${pageName(parent)}(1), which has the options of all commands`
  return help
    .visibleCommands(command)
    .filter(child => child.name() !== 'help')
    .map(child => `${pageName(child)}(1)`)
    .join(', ')
}

interface Notes {
  readonly texts: readonly string[]
  readonly examples: readonly string[]
  readonly exitCodes: readonly string[]
}

/** Sorts the paragraphs of a help: a paragraph whose lines are indented is printed as typed, others are filled. */
function sectionsOf(text: string): Notes {
  const notes = { texts: [] as string[], examples: [] as string[], exitCodes: [] as string[] }
  const paragraphs = text.split(/\n{2,}/).map(each => each.split('\n').filter(line => line.trim() !== ''))
  for (const lines of paragraphs) {
    const [first] = lines
    if (first === undefined) continue
    if (first === 'Examples:') notes.examples.push(...asTyped(lines.slice(1)))
    else if (first.startsWith('Exit codes:'))
      notes.exitCodes.push(...paragraph([first.replace(/^Exit codes: /, ''), ...lines.slice(1)]))
    else notes.texts.push(...(first.startsWith(' ') ? asTyped(lines) : paragraph(lines)))
  }
  return notes
}
