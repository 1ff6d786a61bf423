import { Argument, Command } from 'commander'
import { printable } from '../table.ts'
import { type World, write } from '../world.ts'
import { candidates } from './candidates.ts'
import { namesFor } from './names.ts'
import { SCRIPTS, SHELLS, type Shell } from './scripts.ts'

const HELP = `
Completes commands, options and their values, and names of pipelines, tokens, applications and contexts,
for which it asks the server.

Examples:
  source <(weir completion bash)                                      in ~/.bashrc
  source <(weir completion zsh)                                       in ~/.zshrc, after compinit
  weir completion fish > ~/.config/fish/completions/weir.fish`

export function completionCommand(world: World): Command {
  return new Command('completion')
    .summary('print the completion script of a shell')
    .description('Print the script by which a shell completes commands of weir.')
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .addHelpText('after', HELP)
    .action(async (shell: Shell) => write(world.stdout, SCRIPTS[shell]))
}

/** Command that the scripts call. @param load the program with the commands that a line may name */
export function completeCommand(world: World, load: (words: readonly string[]) => Promise<Command>): Command {
  return new Command('complete')
    .description('Print the words that may stand at the end of a command line, with their meanings.')
    .argument('[words...]', 'words after "weir"; the last one may be the beginning of a word')
    .action(async (words: string[]) => {
      const found = await candidates(await load(words), words, place => namesFor(place, world))
      const lines = found.map(({ word, about }) =>
        printable(about === undefined ? word : `${word}\t${about}`),
      )
      await write(world.stdout, lines.map(line => `${line}\n`).join(''))
    })
}
