import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import { type FileText, parseFile } from '../../../api/pipeline/file/file-text.ts'
import type { Problem } from '../../../engine/event/problem.ts'
import { CommandError, EXIT } from '../command-error.ts'
import { printable } from '../table.ts'
import { type World, write } from '../world.ts'

/** A pipeline's file on the disk. */
export interface PipelineSource extends FileText {
  readonly path: string
}

/** Path that stands for standard input, which is YAML or JSON. */
const STANDARD_INPUT = '-'
const FILE_NAME = /\.(ya?ml|json)$/

/**
 * Paths of files of pipelines: of a folder, those in it whose names end with .yaml, .yml or .json.
 *
 * @throws CommandError for a folder without such files; the system's error for a path that cannot be read
 */
export async function sourcePaths(given: readonly string[]): Promise<string[]> {
  const paths: string[] = []
  for (const path of given) {
    const isFolder = path !== STANDARD_INPUT && (await stat(path)).isDirectory()
    const names = isFolder ? (await readdir(path)).filter(name => FILE_NAME.test(name)).toSorted() : []
    if (isFolder && names.length === 0)
      throw new CommandError(EXIT.usage, `${path} has no files of pipelines (.yaml, .yml or .json).`)
    paths.push(...(isFolder ? names.map(name => join(path, name)) : [path]))
  }
  return paths
}

/** @throws the system's error when it cannot be read */
export async function readSource(path: string, { stdin }: World): Promise<PipelineSource> {
  const read = path === STANDARD_INPUT ? await textOf(stdin) : await readFile(path, 'utf8')
  const text = read.replace(/^\uFEFF/, '')
  return { path, ...parseFile(text, path.endsWith('.json') ? 'json' : 'yaml') }
}

/** Writes each finding with file, line if known, and pointer, in the form that editors and people read. */
export async function writeFindings(
  { path, lineOf }: PipelineSource,
  problems: readonly Problem[],
  world: World,
): Promise<void> {
  const lines = problems.map(({ instancePath, message }) => {
    const line = lineOf(instancePath)
    const place = line === undefined ? path : `${path}:${line}`
    return printable(`${place}: ${`${instancePath} ${message}`.trim()}`)
  })
  await write(world.stderr, `${lines.join('\n')}\n`)
}
