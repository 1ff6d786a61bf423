import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type CommandLine, commandLine } from '../../../test/support/command-line.ts'
import type { Shell } from './scripts.ts'

/** A line as a user types it before the tab key, the line after it, and the words that weir is asked about. */
const TYPED: readonly (readonly [typed: string, completed: string, asked: readonly string[]])[] = [
  ['weir pipeline show Sh', 'weir pipeline show Shop:\\ main ', ['pipeline', 'show', 'Sh']],
  ['weir pipeline show It', "weir pipeline show It\\'s ", ['pipeline', 'show', 'It']],
  ["weir pipeline show 'Sh", "weir pipeline show 'Shop: main' ", ['pipeline', 'show', 'Sh']],
  ['weir pipeline show "Shop: m', 'weir pipeline show "Shop: main" ', ['pipeline', 'show', 'Shop: m']],
  ['weir pipeline show Shop:', 'weir pipeline show Shop:\\ main ', ['pipeline', 'show', 'Shop:']],
  ['weir pipeline show Shop:\\ m', 'weir pipeline show Shop:\\ main ', ['pipeline', 'show', 'Shop: m']],
  ['weir pipeline show Shop\\:\\ m', 'weir pipeline show Shop:\\ main ', ['pipeline', 'show', 'Shop: m']],
  [
    "weir pipeline show 'Shop: main' Au",
    "weir pipeline show 'Shop: main' Audit ",
    ['pipeline', 'show', 'Shop: main', 'Au'],
  ],
  ['weir pipeline list --output=c', 'weir pipeline list --output=csv ', ['pipeline', 'list', '--output=c']],
  [
    'weir  --quiet pipeline  show A',
    'weir  --quiet pipeline  show Audit ',
    ['--quiet', 'pipeline', 'show', 'A'],
  ],
  // Where weir has no words, the shell offers files.
  ['weir pipeline apply sh', 'weir pipeline apply shop.yaml ', ['pipeline', 'apply', 'sh']],
]

/** Stands for the program: writes down its arguments, and prints the words of pipelines and forms that begin like the last one. */
const STAND_IN = `#!/bin/sh
for each; do printf '%s\\n' "$each"; done >> "$0.calls"
echo . >> "$0.calls"
for last; do :; done
case " $* " in
  *' apply '*) ;;
  *) printf '%s\\n' 'Shop: main|an id' "It's|another" Audit '--output=csv' | grep "^$last" | tr '|' '\\t' ;;
esac
`

let line: CommandLine
let environment: NodeJS.ProcessEnv
beforeEach(async () => {
  line = await commandLine()
  const programs = join(line.folder, 'bin')
  await mkdir(programs)
  await writeFile(join(programs, 'weir'), STAND_IN)
  await chmod(join(programs, 'weir'), 0o755)
  await writeFile(join(line.folder, 'shop.yaml'), '')
  environment = {
    PATH: `${programs}${delimiter}${process.env.PATH}`,
    HOME: line.folder,
    ZDOTDIR: line.folder,
    TERM: 'xterm',
  }
})
afterEach(() => line.close())

/** Leaves the script of a shell in the folder. @returns its path */
async function scriptOf(shell: Shell): Promise<string> {
  const path = join(line.folder, `weir.${shell}`)
  await writeFile(path, (await line.run(['completion', shell])).out)
  return path
}

/** Words about which the shell has asked, per call. */
async function asked(): Promise<string[][]> {
  const calls = await readFile(join(line.folder, 'bin', 'weir.calls'), 'utf8')
  return calls
    .split('\n.\n')
    .slice(0, -1)
    .map(call => call.split('\n').slice(2))
}

/** Completes each line in a shell at a terminal, in which Ctrl+T writes the line to a file. */
async function completed(command: readonly string[]): Promise<string[]> {
  const shell = spawn('script', ['-qec', command.join(' '), '/dev/null'], {
    cwd: line.folder,
    env: environment,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const shown = text(shell.stdout)
  shell.stdin.end(`${TYPED.map(([typed]) => `${typed}\t\u0014`).join('')}exit\r`)
  await once(shell, 'close')
  const lines = await readFile(join(line.folder, 'lines'), 'utf8').catch(() => '')
  return lines === '' ? [await shown] : lines.split('\n').slice(0, -1)
}

const hasTerminal = spawnSync('script', ['-qec', 'true', '/dev/null']).status === 0
function isHere(shell: Shell, needsTerminal: boolean): boolean {
  const isInstalled = spawnSync(shell, ['-c', 'true']).status === 0
  if (!isInstalled) console.warn(`Skipped: ${shell} is not installed, so its completion was not tried`)
  if (needsTerminal && !hasTerminal) console.warn(`Skipped: ${shell} needs "script" of util-linux`)
  return isInstalled && (hasTerminal || !needsTerminal)
}

describe('names with blanks, quotes and colons are completed', () => {
  test.skipIf(!isHere('bash', true))('by bash', async () => {
    const start = join(line.folder, 'start')
    await writeFile(
      start,
      `source ${await scriptOf('bash')}
bind 'set bell-style none'
bind -x '"\\C-t": printf "%s\\n" "$READLINE_LINE" >> lines; READLINE_LINE='
`,
    )
    expect(await completed(['bash', '--rcfile', start, '-i'])).toEqual(TYPED.map(([, after]) => after))
    expect(await asked()).toEqual(TYPED.map(([, , words]) => words))
  })

  test.skipIf(!isHere('zsh', true))('by zsh', async () => {
    await writeFile(
      join(line.folder, '.zshrc'),
      `autoload -U compinit; compinit -u -D
source ${await scriptOf('zsh')}
unsetopt beep list_beep
keep() { print -r -- "$BUFFER" >> lines; BUFFER= }
zle -N keep; bindkey '^T' keep; bindkey '^I' complete-word
`,
    )
    expect(await completed(['zsh', '-i'])).toEqual(TYPED.map(([, after]) => after))
    expect(await asked()).toEqual(TYPED.map(([, , words]) => words))
  })

  // Fish itself answers with the words, and quotes the chosen one.
  test.skipIf(!isHere('fish', false))('by fish', async () => {
    const script = await scriptOf('fish')
    const commands = TYPED.map(([typed]) => `complete -C ${JSON.stringify(typed)}; echo .`)
    const shell = spawn('fish', ['--no-config', '-c', `source ${script}; ${commands.join('; ')}`], {
      cwd: line.folder,
      env: environment,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const offered = (await text(shell.stdout)).split('\n.\n').slice(0, -1)
    const [shop, its, audit] = ['Shop: main\tan id', "It's\tanother", 'Audit']
    expect(offered).toEqual([
      ...[shop, its, shop, shop, shop, shop, shop],
      ...[audit, '--output=csv', audit, 'shop.yaml'],
    ])
    expect(await asked()).toEqual(TYPED.map(([, , words]) => words))
  })
})
