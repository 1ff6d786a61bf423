import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'yaml'
import type { JsonValue } from '../../schemas/json.ts'
import { runWeir } from './program.ts'
import type { RunningWeir } from './running-weir.ts'

const FOLDER = new URL('../../docs/examples/', import.meta.url)

interface ExampleFile {
  readonly title: string
  readonly destinations: readonly { readonly name: string; config: object }[]
}

/**
 * Publishes a file of docs/examples by the command line, as another pipeline each time.
 *
 * @param changed options in place of those of the file, such as the address of a receiver, by the name of the destination.
 * Undefined: the option is left out.
 */
export async function publishExample(
  weir: RunningWeir,
  name: string,
  changed: Readonly<Record<string, Readonly<Record<string, JsonValue | undefined>>>>,
): Promise<void> {
  const file = parse(await readFile(new URL(name, FOLDER), 'utf8')) as ExampleFile
  for (const [destination, options] of Object.entries(changed)) {
    const found = file.destinations.find(each => each.name === destination)
    if (found === undefined) throw new Error(`${name} has no destination "${destination}"`)
    found.config = { ...found.config, ...options }
  }
  const folder = await mkdtemp(join(tmpdir(), 'weir-example-'))
  try {
    const path = join(folder, 'example.json')
    await writeFile(path, JSON.stringify({ ...file, title: `${file.title} ${randomUUID()}` }))
    const { code, err } = await runWeir(['pipeline', 'apply', path, '--publish'], weir.environment)
    if (code !== 0) throw new Error(`${name}: ${err}`)
  } finally {
    await rm(folder, { recursive: true })
  }
}
