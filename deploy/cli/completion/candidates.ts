import type { Argument, Command, Option } from 'commander'
import { summaryOf } from '../summary.ts'

/** A word that may follow, with its meaning. */
export interface Candidate {
  readonly word: string
  readonly about?: string
}

/** Place of a value that only the server, or the user's own files, know. */
export interface NamePlace {
  /** Command without the program's name, such as `pipeline show`. */
  readonly command: string
  /** Index of the argument, or long form of the option. */
  readonly at: number | string
  /** Arguments before it. */
  readonly before: readonly string[]
}

export type FindNames = (place: NamePlace) => Promise<readonly Candidate[]>

/**
 * Words that may stand at the end of a command line.
 *
 * @param words of the command line without the program's name; the last one is the beginning of the word, maybe empty
 */
export async function candidates(
  program: Command,
  words: readonly string[],
  findNames: FindNames,
): Promise<readonly Candidate[]> {
  const last = words.at(-1) ?? ''
  const state = reached(program, words.slice(0, -1))
  const [, long, start] = /^(--[^=]+)=(.*)$/.exec(last) ?? []
  const optionOf = (word: string) =>
    state.isPlain ? undefined : optionsOf(state.command).find(each => isNamed(each, word))
  if (long !== undefined && start !== undefined) {
    const values = await valuesOf(optionOf(long), state, findNames)
    return starting(values, start).map(({ word, ...rest }) => ({ word: `${long}=${word}`, ...rest }))
  }
  if (state.open !== undefined) return starting(await valuesOf(state.open, state, findNames), last)
  if (last.startsWith('-') && !state.isPlain) return starting(optionNames(state.command), last)
  const children = visibleChildren(state.command)
  if (children.length > 0 && state.values.length === 0)
    return starting(
      children.map(child => ({ word: child.name(), about: summaryOf(child) })),
      last,
    )
  return starting(await argumentsOf(state, findNames), last)
}

interface Reached {
  readonly command: Command
  /** Arguments of the command so far. */
  readonly values: readonly string[]
  /** Option whose value is next. */
  readonly open: Option | undefined
  /** True after `--`, where a hyphen begins no option. */
  readonly isPlain: boolean
}

function reached(program: Command, words: readonly string[]): Reached {
  let [command, open, isPlain] = [program, undefined as Option | undefined, false]
  const values: string[] = []
  for (const word of words) {
    if (open !== undefined) open = undefined
    else if (word === '--' && !isPlain) isPlain = true
    else if (word.startsWith('-') && !isPlain) {
      const option = optionsOf(command).find(each => isNamed(each, word))
      open = option?.required ? option : undefined
    } else {
      const child = values.length === 0 ? command.commands.find(each => each.name() === word) : undefined
      if (child === undefined) values.push(word)
      else command = child
    }
  }
  return { command, values, open, isPlain }
}

function isNamed({ short, long }: Option, word: string): boolean {
  return word === long || word === short
}

/** Options of a command and of those above it. */
function optionsOf(command: Command): readonly Option[] {
  return [...command.options, ...(command.parent === null ? [] : optionsOf(command.parent))]
}

function optionNames(command: Command): readonly Candidate[] {
  const options = optionsOf(command).filter(({ hidden }) => !hidden)
  const names = options.map(({ long, short, description }) => ({
    word: long ?? short ?? '',
    about: description,
  }))
  return [...names, { word: '--help', about: 'display help for command' }]
}

async function valuesOf(
  option: Option | undefined,
  { command, values }: Reached,
  findNames: FindNames,
): Promise<readonly Candidate[]> {
  if (option === undefined) return []
  if (option.argChoices !== undefined) return option.argChoices.map(word => ({ word }))
  return findNames({ command: pathOf(command), at: option.long ?? '', before: values })
}

async function argumentsOf(
  { command, values }: Reached,
  findNames: FindNames,
): Promise<readonly Candidate[]> {
  const { registeredArguments: known } = command
  const argument: Argument | undefined =
    known[values.length] ?? (known.at(-1)?.variadic ? known.at(-1) : undefined)
  if (argument === undefined) return []
  if (argument.argChoices !== undefined) return argument.argChoices.map(word => ({ word }))
  return findNames({ command: pathOf(command), at: known.indexOf(argument), before: values })
}

function visibleChildren(command: Command): readonly Command[] {
  return command.createHelp().visibleCommands(command)
}

function pathOf(command: Command): string {
  const above = command.parent === null || command.parent.parent === null ? [] : [pathOf(command.parent)]
  return [...above, command.name()].join(' ')
}

function starting(all: readonly Candidate[], start: string): readonly Candidate[] {
  return all.filter(({ word }) => word.startsWith(start))
}
