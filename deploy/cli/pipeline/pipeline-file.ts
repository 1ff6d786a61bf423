import { Command } from 'commander'
import type { ExitCode } from '../command-error.ts'
import type { World } from '../world.ts'

const FILES = 'files of pipelines, YAML or (.json) JSON; a folder: those in it; "-": standard input'

/** Commands for pipelines as files. Their modules are loaded on demand, so that other commands start without them. */
export function pipelineFileCommands(world: World, finish: (code: ExitCode) => void): Command[] {
  return [
    new Command('export')
      .description('Print a pipeline as a file, with the secrets of its nodes in plain text.')
      .argument('<id>', 'id or title of the pipeline')
      .option('--json', 'print JSON instead of YAML')
      .option('--id', 'print its id, too: the file then stays with this pipeline if its title changes')
      .action(async (id: string, { json, id: withId = false }: { json?: true; id?: boolean }) => {
        const { exportFile } = await import('./pipeline-apply.ts')
        await exportFile(id, { format: json ? 'json' : 'yaml', withId }, world)
      }),
    new Command('diff')
      .description(
        'Show the changes that "apply" would make. Exit code 1: there are changes, 0: there are none.',
      )
      .argument('<file...>', FILES)
      .action(async (files: string[]) => {
        const { diff, eachFile } = await import('./pipeline-apply.ts')
        finish(await eachFile(files, file => diff(file, world), world))
      }),
    new Command('apply')
      .description('Change the nodes and alerts of a pipeline to those of its file.')
      .argument('<file...>', FILES)
      .option('--publish', 'also publish the result')
      .option('--yes', 'apply changes without a question')
      .action(async (files: string[], options: { publish?: true; yes?: true }) => {
        const { apply, eachFile } = await import('./pipeline-apply.ts')
        finish(await eachFile(files, file => apply(file, options, world), world))
      }),
    new Command('test')
      .description('Run the tests in files of pipelines, without a server.')
      .argument('<file...>', FILES)
      .action(async (files: string[]) => {
        const { testFiles } = await import('./pipeline-tests.ts')
        finish(await testFiles(files, world))
      }),
  ]
}
