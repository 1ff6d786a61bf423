import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const FOLDER = new URL('./avro/', import.meta.url)

/** Written anew by `npm run docs`: a schema is edited in its own file. */
test('the module has every schema as its file has it', async () => {
  const files = readdirSync(FOLDER).filter(name => name.endsWith('.avsc'))
  const members = files
    .toSorted()
    .map(name => `  '${name}': \`${readFileSync(new URL(name, FOLDER), 'utf8')}\`,`)
  const module = [
    '/** The files of `avro/`, so that nothing is read when the program is loaded. Made by `npm run docs`. */',
    'export const AVRO_SCHEMAS = {',
    ...members,
    '} as const',
    '',
  ].join('\n')
  await expect(module).toMatchFileSnapshot('./avro-schemas.ts')
})
