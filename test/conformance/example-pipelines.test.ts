import { readdirSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import { type CommandLine, commandLine } from '../support/command-line.ts'
import { type TestInstallation, testInstallation } from '../support/test-installation.ts'

const FOLDER = new URL('../../docs/examples/', import.meta.url)
const FILES = readdirSync(FOLDER).filter(name => name.endsWith('.yaml'))

interface ExampleFile {
  readonly processors: readonly { readonly type: string }[]
  readonly tests?: readonly { readonly name: string }[]
}

const example = (name: string) => parse(readFileSync(new URL(name, FOLDER), 'utf8')) as ExampleFile

let line: CommandLine
let installation: TestInstallation
let env: Record<string, string>
beforeAll(async () => {
  line = await commandLine()
  installation = await testInstallation()
  env = {
    WEIR_URL: await installation.app.listen({ port: 0, host: '127.0.0.1' }),
    WEIR_ACCESS_TOKEN: installation.credentials.accessToken,
  }
})
afterAll(async () => {
  await installation.app.close()
  await line.close()
})

test.each(FILES)('%s passes its tests, and can be applied and published', async name => {
  const path = new URL(name, FOLDER).pathname
  const { tests = [] } = example(name)
  expect(tests.length).toBeGreaterThan(0)
  const tested = await line.run(['pipeline', 'test', path])
  const summary = tested.out.split('\n').at(-2)
  expect([tested.err, summary, tested.code]).toEqual(['', `${tests.length} passed, 0 failed`, 0])
  const applied = await line.run(['pipeline', 'apply', path, '--publish'], { env })
  expect([applied.err, applied.code]).toEqual(['', 0])
  expect(applied.out).toContain('\nPublished ')
})

test('every processor that runs is part of an example', () => {
  const used = new Set(FILES.flatMap(name => example(name).processors.map(({ type }) => type)))
  expect(CATALOGUE.processors.map(({ type }) => type).filter(type => !used.has(type))).toEqual([])
})

test("the operator's guide names every example", () => {
  const guide = readFileSync(new URL('../operations.md', FOLDER), 'utf8')
  for (const name of FILES) expect(guide).toContain(`(examples/${name})`)
})
