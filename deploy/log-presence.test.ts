import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { DataDirectory } from './data-directory.ts'
import { assertLogPresent } from './log-presence.ts'

let folder: string
let directory: DataDirectory

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'weir-presence-'))
  directory = DataDirectory.open(folder)
})
afterEach(() => {
  directory.close()
  rmSync(folder, { recursive: true })
})

const topic = (name: string) => join(folder, 'log', name)

function addTopics(): void {
  for (const name of ['weir.ingest', 'weir.checkpoints', 'weir.config'])
    mkdirSync(topic(name), { recursive: true })
}

test('a lost folder of the log is named by a start and by a verification, and is not created', () => {
  addTopics()
  writeFileSync(join(folder, 'credentials.json'), '{}')
  for (const use of ['serve', 'inspect'] as const) assertLogPresent(directory, use)
  rmSync(topic('weir.ingest'), { recursive: true })
  for (const use of ['serve', 'inspect'] as const)
    expect(() => assertLogPresent(directory, use)).toThrow(
      `${topic('weir.ingest')} is missing, and so is the log that was there: move it back to its place, or restore a backup`,
    )
  rmSync(topic('weir.config'), { recursive: true })
  expect(() => assertLogPresent(directory, 'serve')).toThrow(
    `${topic('weir.ingest')} and ${topic('weir.config')} are missing`,
  )
  expect(existsSync(topic('weir.ingest'))).toBe(false)
})

test('a folder in which no server has run gets its log by a start, and a verification says so', () => {
  assertLogPresent(directory, 'serve')
  expect(() => assertLogPresent(directory, 'inspect')).toThrow('no server has come up in the data folder')
})
