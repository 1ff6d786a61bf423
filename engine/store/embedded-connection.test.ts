import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { StoreConnection } from './connection.ts'
import { openEmbeddedConnection } from './embedded-connection.ts'

let folder: string
let connection: StoreConnection

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'weir-embedded-'))
  connection = await openEmbeddedConnection({ path: folder })
})

afterAll(async () => {
  await connection.close()
  rmSync(folder, { recursive: true, force: true })
})

test('the process continues while a long statement is planned', async () => {
  const terms = Array.from({ length: 1500 }, (_, index) => `number + ${index} = 7${index}`)
  const sql = `SELECT number FROM numbers(10) WHERE ${terms.join(' OR ')}`
  const startedMs = performance.now()
  let lastMs = startedMs
  let longestMs = 0
  const ticks = setInterval(() => {
    longestMs = Math.max(longestMs, performance.now() - lastMs)
    lastMs = performance.now()
  }, 1)
  const rows: unknown[] = []
  for await (const some of connection.queryStream({ sql })) rows.push(...some)
  const endedMs = performance.now()
  clearInterval(ticks)
  expect(rows).toEqual([])
  expect(Math.max(longestMs, endedMs - lastMs)).toBeLessThan((endedMs - startedMs) / 2)
})
