import { readdirSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import { type ServedCommandLine, servedCommandLine } from '../support/served-command-line.ts'

const FOLDER = new URL('../../docs/examples/', import.meta.url)
const FILES = readdirSync(FOLDER).filter(name => name.endsWith('.yaml'))

interface ExampleFile {
  readonly processors: readonly { readonly type: string }[]
  readonly tests?: readonly { readonly name: string }[]
}

const example = (name: string) => parse(readFileSync(new URL(name, FOLDER), 'utf8')) as ExampleFile

let weir: ServedCommandLine
beforeAll(async () => {
  weir = await servedCommandLine()
})
afterAll(() => weir.close())

test.each(FILES)('%s passes its tests, and can be applied and published', async name => {
  const path = new URL(name, FOLDER).pathname
  const { tests = [] } = example(name)
  expect(tests.length).toBeGreaterThan(0)
  const tested = await weir.line.run(['pipeline', 'test', path])
  const summary = tested.out.split('\n').at(-2)
  expect([tested.err, summary, tested.code]).toEqual(['', `${tests.length} passed, 0 failed`, 0])
  const applied = await weir.run(['pipeline', 'apply', path, '--publish'])
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
