import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Command } from 'commander'
import { suggestion } from '../../../engine/nearest-word.ts'
import { utcDay } from '../../../engine/times/utc-day.ts'
import { VERSION } from '../../version.ts'
import { CommandError, EXIT } from '../command-error.ts'
import { note, type World, write } from '../world.ts'
import { manPage, type PageHead, pageName } from './man-page.ts'

const HELP = `
There is a page for the program, and one for each of its commands with its verbs. They are made from
the help of the commands.

Examples:
  weir man search | man -l -
  weir man --folder /usr/local/share/man/man1
  man weir-search`

export function manCommand(world: World, loadProgram: () => Promise<Command>): Command {
  return new Command('man')
    .summary('print the manual page of a command, or write all of them')
    .description('Print the manual page of weir or of a command, in the form that man(1) reads.')
    .argument('[command]', 'the command; default: the program itself')
    .option('--folder <folder>', 'write the pages of all commands into this folder')
    .addHelpText('after', HELP)
    .action(async (wanted: string | undefined, { folder }: { readonly folder?: string }) => {
      const program = await loadProgram()
      const head = { version: VERSION, day: utcDay(world.clock.wallMs()), notesOf }
      if (folder === undefined) await write(world.stdout, manPage(commandNamed(program, wanted), head))
      else await writePages(program, folder, head, world)
    })
}

function documented(program: Command): readonly Command[] {
  const commands = program.createHelp().visibleCommands(program)
  return [program, ...commands.filter(command => command.name() !== 'help')]
}

function commandNamed(program: Command, wanted: string | undefined): Command {
  const [, ...commands] = documented(program)
  const found = wanted === undefined ? program : commands.find(command => command.name() === wanted)
  if (found !== undefined) return found
  const near = suggestion(
    wanted ?? '',
    commands.map(command => command.name()),
  )
  throw new CommandError(EXIT.usage, `There is no command "${wanted}"${near || '; see "weir --help".'}`)
}

async function writePages(program: Command, folder: string, head: PageHead, world: World): Promise<void> {
  await mkdir(folder, { recursive: true })
  const commands = documented(program)
  for (const command of commands)
    await writeFile(join(folder, `${pageName(command)}.1`), manPage(command, head))
  await note(world, `Wrote ${commands.length} pages to ${folder}.`)
}

/** Text of `addHelpText`, which Commander hands out only when it prints a help. */
function notesOf(command: Command): string {
  let printed = ''
  const { writeOut } = command.configureOutput()
  command.configureOutput({
    writeOut: text => {
      printed += text
    },
  })
  command.outputHelp()
  if (writeOut !== undefined) command.configureOutput({ writeOut })
  return printed.slice(command.helpInformation().length)
}
