import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { StoreConnection } from './connection.ts'
import { openEmbeddedConnection } from './embedded-connection.ts'
import type { Statement } from './statement.ts'

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

/** Longest time in which the process did nothing but begin or plan a statement, as a part of the statement's time. */
async function blockedPart(statement: Statement): Promise<number> {
  const startedMs = performance.now()
  let lastMs = startedMs
  let longestMs = 0
  const ticks = setInterval(() => {
    longestMs = Math.max(longestMs, performance.now() - lastMs)
    lastMs = performance.now()
  }, 1)
  for await (const _ of connection.queryStream(statement));
  const endedMs = performance.now()
  clearInterval(ticks)
  return Math.max(longestMs, endedMs - lastMs) / (endedMs - startedMs)
}

const sums = (count: number) =>
  `SELECT number FROM numbers(10) WHERE ${Array.from({ length: count }, (_, index) => `number + ${index} = 7${index}`).join(' OR ')}`

test.each([
  ['a long statement', { sql: sums(1500) }],
  ['a statement with a short answer', { sql: sums(100), atMostRows: 100 }],
])('the process continues while %s is planned', async (_, statement) => {
  const parts: number[] = []
  for (let round = 0; round < 5; round++) parts.push(await blockedPart(statement))
  expect(Math.min(...parts)).toBeLessThan(0.5)
})
