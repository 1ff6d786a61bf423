import { Command } from 'commander'
import type { ExitCode } from '../command-error.ts'
import type { World } from '../world.ts'

/** Commands for pipelines as files. Their modules are loaded on demand, so that other commands start without them. */
export function pipelineFileCommands(world: World, finish: (code: ExitCode) => void): Command[] {
  return [
    new Command('export')
      .description('Print a pipeline as a file, with the secrets of its nodes in plain text.')
      .argument('<id>', 'id or title of the pipeline')
      .option('--json', 'print JSON instead of YAML')
      .action(async (id: string, options: { json?: true }) => {
        const { exportFile } = await import('./pipeline-apply.ts')
        await exportFile(id, options.json ? 'json' : 'yaml', world)
      }),
    new Command('diff')
      .description(
        'Show the changes that "apply" would make. Exit code 1: there are changes, 0: there are none.',
      )
      .argument('<file>', 'file of the pipeline, YAML or (.json) JSON')
      .action(async (file: string) => {
        const { diff } = await import('./pipeline-apply.ts')
        finish(await diff(file, world))
      }),
    new Command('apply')
      .description('Change the nodes and alerts of a pipeline to those of its file.')
      .argument('<file>', 'file of the pipeline, YAML or (.json) JSON')
      .option('--publish', 'also publish the result')
      .option('--yes', 'apply changes without a question')
      .action(async (file: string, options: { publish?: true; yes?: true }) => {
        const { apply } = await import('./pipeline-apply.ts')
        finish(await apply(file, options, world))
      }),
    new Command('test')
      .description('Run the tests in files of pipelines, without a server.')
      .argument('<file...>', 'files of pipelines, YAML or (.json) JSON')
      .action(async (files: string[]) => {
        const { testFiles } = await import('./pipeline-tests.ts')
        finish(await testFiles(files, world))
      }),
  ]
}
