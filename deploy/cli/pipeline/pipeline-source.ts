import { readFile } from 'node:fs/promises'
import { type FileText, parseFile } from '../../../api/pipeline/file/file-text.ts'
import type { Problem } from '../../../engine/event/problem.ts'
import { printable } from '../table.ts'
import { type World, write } from '../world.ts'

/** A pipeline's file on the disk. */
export interface PipelineSource extends FileText {
  readonly path: string
}

/** @throws the system's error when it cannot be read */
export async function readSource(path: string): Promise<PipelineSource> {
  const text = (await readFile(path, 'utf8')).replace(/^\uFEFF/, '')
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
