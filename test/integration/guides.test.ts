import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { blocksOf, type Example, isShown } from '../support/guides/guide-page.ts'
import { GuideReader, SETTINGS } from '../support/guides/guide-reader.ts'
import { RunningWeir } from '../support/running-weir.ts'

const GUIDES = fileURLToPath(new URL('../../docs/guides/', import.meta.url))
const NAMES = readdirSync(GUIDES).filter(name => name.endsWith('.md'))

/** Commands after which lines may wait to be stored. */
const SENDS = /\bweir ship\b|\/logs\/ingest|\/v1\/\$/

let weir: RunningWeir
let folder: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'weir-guides-'))
  weir = await RunningWeir.start(SETTINGS)
})
afterAll(async () => {
  await weir.dispose()
  rmSync(folder, { recursive: true, force: true })
})

async function follow(reader: GuideReader, { line, commands, statuses, output }: Example): Promise<void> {
  const ran = await reader.shell.run(commands)
  expect(ran.failed, `line ${line} printed:\n${ran.output}`).toEqual([])
  expect(statuses, `line ${line} printed:\n${ran.output}`).toContain(ran.status)
  if (output !== undefined && !isShown(ran.output, output))
    expect(ran.output, `the output that the guide shows for line ${line}`).toBe(output)
  if (SENDS.test(commands)) await reader.stored()
}

describe.each(NAMES)('the guide %s', name => {
  test('has examples that do what it says', async () => {
    const reader = await GuideReader.arrive(weir, join(folder, name))
    try {
      for (const block of blocksOf(readFileSync(join(GUIDES, name), 'utf8'))) {
        if (block.kind === 'file') writeFileSync(join(reader.folder, block.name), block.text)
        if (block.kind === 'example') await follow(reader, block)
      }
    } finally {
      await reader.shell.close()
    }
  })
})
