import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { BUNDLE_ENTRY, BUNDLE_FOLDER, BUNDLE_RECORD, freshBundle, sourcesDigest } from './program-bundle.mjs'

const SOURCES = ['deploy/cli/program.ts', 'package-lock.json']

let project: string

function write(path: string, text: string): void {
  mkdirSync(dirname(join(project, path)), { recursive: true })
  writeFileSync(join(project, path), text)
}

beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'weir-project-'))
  for (const path of SOURCES) write(path, path)
  const digest = sourcesDigest(project, SOURCES)
  write(join(BUNDLE_FOLDER, BUNDLE_RECORD), JSON.stringify({ digest, sources: SOURCES }))
})
afterEach(() => rmSync(project, { recursive: true }))

test('the bundle of the present sources is the program', () => {
  expect(freshBundle(project)).toBe(join(project, BUNDLE_FOLDER, BUNDLE_ENTRY))
})

test.each(SOURCES)('after a change of %s, even of one byte, the sources are the program', path => {
  write(path, path.replace('p', 'q'))
  expect(freshBundle(project)).toBeUndefined()
})

test.each(SOURCES)('without %s, the sources are the program', path => {
  rmSync(join(project, path))
  expect(freshBundle(project)).toBeUndefined()
})

test.each(['', '{"digest":', 'null', '{}'])('a record %j is the one of no bundle', record => {
  write(join(BUNDLE_FOLDER, BUNDLE_RECORD), record)
  expect(freshBundle(project)).toBeUndefined()
})
