import { Command } from 'commander'
import type { ExitCode } from '../command-error.ts'
import type { World } from '../world.ts'

/** Pipelines as files. What they need is loaded when they run: other commands start without it. */
export function pipelineFileCommands(world: World, finish: (code: ExitCode) => void): Command[] {
  return [
    new Command('export')
      .description('Print a pipeline as a file, with the secrets of its nodes in clear.')
      .argument('<id>', 'id or title of the pipeline')
      .option('--json', 'as JSON; YAML otherwise')
      .action(async (id: string, options: { json?: true }) => {
        const { exportFile } = await import('./pipeline-apply.ts')
        await exportFile(id, options.json ? 'json' : 'yaml', world)
      }),
    new Command('diff')
      .description('Tell what "apply" would change. Exit code 1: something, 0: nothing.')
      .argument('<file>', 'file of the pipeline, YAML or (.json) JSON')
      .action(async (file: string) => {
        const { diff } = await import('./pipeline-apply.ts')
        finish(await diff(file, world))
      }),
    new Command('apply')
      .description('Make the nodes and alerts of a pipeline what its file says.')
      .argument('<file>', 'file of the pipeline, YAML or (.json) JSON')
      .option('--publish', 'let them run, too')
      .option('--yes', 'do not ask before something is changed')
      .action(async (file: string, options: { publish?: true; yes?: true }) => {
        const { apply } = await import('./pipeline-apply.ts')
        finish(await apply(file, options, world))
      }),
    new Command('test')
      .description('Run the tests that files of pipelines hold, without a server.')
      .argument('<file...>', 'files of pipelines, YAML or (.json) JSON')
      .action(async (files: string[]) => {
        const { testFiles } = await import('./pipeline-tests.ts')
        finish(await testFiles(files, world))
      }),
  ]
}
