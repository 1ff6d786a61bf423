import { Command, Option } from 'commander'
import { jsonText } from '../../../engine/json/json-text.ts'
import type { JsonObject } from '../../../schemas/json.ts'
import { PAUSE_MODES, type PauseMode } from '../../../schemas/pipeline.ts'
import { canAsk, isAgreed } from '../agreement.ts'
import type { ApiClient } from '../api-client.ts'
import { CommandError, EXIT, type ExitCode } from '../command-error.ts'
import { printable } from '../table.ts'
import { type World, write } from '../world.ts'
import { client, type Pipeline, pipelineId } from './pipeline-access.ts'

const PAUSE_HELP = `
What becomes of lines during the pause:
  store  They are not handled. Without another pipeline that reads log
         ingestion they are stored unfiltered. This is the default.
  hold   Senders are answered 503 and keep their lines.
  drop   They are taken and dropped.

Pausing a paused pipeline with another mode changes its mode.`

interface Answer extends JsonObject {
  data: Pipeline
  meta: JsonObject & { effects?: { message: string }[] }
}

interface PauseOptions {
  readonly mode?: PauseMode
  readonly yes?: true
  readonly json?: true
}

export function pauseCommands(world: World, finish: (code: ExitCode) => void): Command[] {
  return [
    new Command('pause')
      .description('Pause a pipeline. It keeps its state until it is resumed.')
      .argument('<id>', 'id or title of the pipeline')
      .addOption(new Option('--mode <mode>', 'what becomes of lines meanwhile').choices(PAUSE_MODES))
      .option('--yes', 'pause without a question about lines or their senders')
      .option('--json', 'print the pipeline as a JSON object')
      .addHelpText('after', PAUSE_HELP)
      .action(async (id: string, options: PauseOptions) => finish(await pause(id, options, world))),
    new Command('resume')
      .description('Resume a paused pipeline.')
      .argument('<id>', 'id or title of the pipeline')
      .option('--json', 'print the pipeline as a JSON object')
      .action(async (id: string, options: PauseOptions) => resume(id, options, world)),
  ]
}

async function pause(wanted: string, { mode, yes, json }: PauseOptions, world: World): Promise<ExitCode> {
  const api = client(world)
  const id = await pipelineId(api, wanted)
  const { data: before, meta } = await sent(api, id, 'pause', { dry_run: 'true', mode })
  const warnings = (meta.effects ?? []).map(({ message }) => `${message}.`)
  if (warnings.length > 0 && !yes) {
    if (!canAsk(world))
      throw new CommandError(
        EXIT.usage,
        `${before.title} was not paused. ${warnings.join(' ')} Use --yes to pause it all the same.`,
      )
    await write(world.stdout, `${printable(warnings.join(' '))}\n`)
    if (!(await isAgreed(`Pause ${printable(before.title)}?`, world))) {
      await write(world.stdout, 'Nothing was changed.\n')
      return EXIT.partly
    }
  }
  const { data: pipeline } = await sent(api, id, 'pause', { mode })
  const { pause_mode: shown } = pipeline
  const how = typeof shown === 'string' && shown !== 'store' ? ` with mode ${shown}` : ''
  const sentences = [
    `Paused ${pipeline.title}${how}.`,
    ...warnings,
    `To resume it: weir pipeline resume ${id}`,
  ]
  await writeAnswer(pipeline, sentences.join(' '), json, world)
  return EXIT.done
}

async function resume(wanted: string, { json }: PauseOptions, world: World): Promise<void> {
  const api = client(world)
  const { data: pipeline } = await sent(api, await pipelineId(api, wanted), 'resume')
  await writeAnswer(pipeline, `${pipeline.title} runs.`, json, world)
}

async function sent(
  api: ApiClient,
  id: string,
  what: 'pause' | 'resume',
  query: Readonly<Record<string, string | undefined>> = {},
): Promise<Answer> {
  const path = `/v3/pipeline/${encodeURIComponent(id)}/${what}`
  return (await api.json(path, { method: 'POST', query, body: {} })) as Answer
}

async function writeAnswer(
  pipeline: Pipeline,
  sentence: string,
  json: true | undefined,
  world: World,
): Promise<void> {
  await write(world.stdout, json ? `${jsonText(pipeline)}\n` : `${printable(sentence)}\n`)
}
