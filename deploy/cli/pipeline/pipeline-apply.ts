import { inFile } from '../../../api/pipeline/file/file-nodes.ts'
import { printFile } from '../../../api/pipeline/file/file-printer.ts'
import type { FileFormat } from '../../../api/pipeline/file/file-text.ts'
import { type Problem, pointerTo } from '../../../engine/event/problem.ts'
import { FILE_LISTS, type PipelineFile } from '../../../schemas/http/pipeline/pipeline-file.ts'
import type { FileDifference } from '../../../schemas/http/pipeline/revision-api.ts'
import { canAsk, isAgreed } from '../agreement.ts'
import { type ApiClient, ApiRefusal } from '../api-client.ts'
import { EXIT, type ExitCode } from '../command-error.ts'
import { apiAddress } from '../connection.ts'
import { printable } from '../table.ts'
import { note, type World, write } from '../world.ts'
import {
  client,
  data,
  type Pipeline,
  pipelineId,
  publicationSentence,
  publishPipeline,
} from './pipeline-access.ts'
import { type PipelineSource, readSource, sourcePaths, writeFindings } from './pipeline-source.ts'
import { portableFile } from './portable-file.ts'

const IMPORT = '/v3/pipeline/import'

/** @param withId whether the file names this very pipeline, and not any with its title */
export async function exportFile(
  wanted: string,
  { format, withId }: { readonly format: FileFormat; readonly withId: boolean },
  world: World,
): Promise<void> {
  const api = client(world)
  const id = await pipelineId(api, wanted)
  const answer = await api.json(`/v3/pipeline/${encodeURIComponent(id)}/export`, {
    query: { format: 'json' },
  })
  const { id: named, ...file } = portableFile(answer as PipelineFile, apiAddress(world).url)
  await write(world.stdout, printFile({ ...(withId && { id: named }), ...file }, format))
}

/**
 * Handles files one after the other. An invalid one does not keep the others from being handled.
 *
 * @param given files, folders, and `-` for standard input
 * @returns highest of the exit codes
 */
export async function eachFile(
  given: readonly string[],
  handle: (path: string) => Promise<ExitCode>,
  world: World,
): Promise<ExitCode> {
  const paths = await sourcePaths(given)
  let worst: ExitCode = EXIT.done
  for (const path of paths) {
    if (paths.length > 1) await note(world, `${path}:`)
    const code = await handle(path)
    if (code > worst) worst = code
  }
  return worst
}

export async function diff(path: string, world: World): Promise<ExitCode> {
  const source = await readSource(path, world)
  const difference = await differenceOf(source, client(world), world)
  if (difference === undefined) return EXIT.usage
  if (!difference.changed) return EXIT.done
  await write(world.stdout, textOf(difference))
  return EXIT.partly
}

export async function apply(
  path: string,
  { publish = false, yes = false }: { publish?: boolean; yes?: boolean },
  world: World,
): Promise<ExitCode> {
  const api = client(world)
  const source = await readSource(path, world)
  const difference = await differenceOf(source, api, world)
  if (difference === undefined) return EXIT.usage
  if (difference.changed) {
    await write(world.stdout, textOf(difference))
    if (!yes && canAsk(world) && !(await isAgreed('Apply these changes?', world))) {
      await write(world.stdout, 'Nothing was changed.\n')
      return EXIT.partly
    }
  }
  const { data: pipeline } = (await api.json(IMPORT, { method: 'PUT', body: source.value ?? null })) as {
    data: Pipeline
  }
  await write(world.stdout, `${printable(sentenceOf(pipeline, difference.changed, publish))}\n`)
  if (!publish) return EXIT.done
  try {
    const published = await publishPipeline(api, pipeline.id, false)
    await write(world.stdout, `${printable(publicationSentence(published))}\n`)
    return EXIT.done
  } catch (error) {
    if (!(error instanceof ApiRefusal) || error.problems.length === 0) throw error
    await writeFindings(source, error.problems.map(await inFileOf(pipeline.id, api)), world)
    return EXIT.usage
  }
}

/** Prepares findings about the nodes of a publication, so that they lead into the file of its pipeline. */
async function inFileOf(pipeline: string, api: ApiClient): Promise<(problem: Problem) => Problem> {
  const pointers = new Map<string, string>()
  for (const [list, kind] of Object.entries(FILE_LISTS)) {
    // Nodes of each kind are in the order of the file.
    const nodes = (await data(api, `/v3/pipeline/${encodeURIComponent(pipeline)}/${kind}`)) as {
      id: string
    }[]
    for (const [index, { id }] of nodes.entries()) pointers.set(id, pointerTo(`/${list}`, index))
  }
  return ({ instancePath, message }) => {
    const [, , id = '', ...rest] = instancePath.split('/')
    const pointer = pointers.get(id)
    if (pointer === undefined) return { instancePath, message }
    return { instancePath: `${pointer}${inFile(rest.map(step => `/${step}`).join(''))}`, message }
  }
}

function sentenceOf(
  { id, title, has_changes: hasChanges }: Pipeline,
  changed: boolean,
  publish: boolean,
): string {
  const done = changed ? `Changed ${title}.` : `Nothing to change: ${title} agrees with the file.`
  return hasChanges === true && !publish ? `${done} To run it: weir pipeline publish ${id}` : done
}

/** Differences between a file and the pipeline; undefined when the file is not valid and all findings were printed. */
async function differenceOf(
  source: PipelineSource,
  api: ApiClient,
  world: World,
): Promise<FileDifference | undefined> {
  if (source.value === undefined) {
    await writeFindings(source, source.problems, world)
    return undefined
  }
  try {
    const answer = await api.json(IMPORT, {
      method: 'PUT',
      query: { dry_run: 'true' },
      body: source.value ?? null,
    })
    return (answer as unknown as { data: FileDifference }).data
  } catch (error) {
    if (!(error instanceof ApiRefusal) || error.problems.length === 0) throw error
    await writeFindings(source, error.problems, world)
    return undefined
  }
}

function textOf({ text }: FileDifference): string {
  return text.map(line => `${printable(line)}\n`).join('')
}
