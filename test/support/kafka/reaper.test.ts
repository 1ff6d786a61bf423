import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { type Child, startChild } from '../child.ts'

const CHILD = join(import.meta.dirname, 'reaped-child.ts')
const WAIT = { timeout: 30_000 }

async function startedBy(child: Child): Promise<{ pid: number; folder: string }> {
  const line = await child.line(/^started /)
  const [, pid, folder] = line?.match(/^started (\d+) (.+)$/) ?? []
  return { pid: Number(pid), folder: folder as string }
}

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

for (const signal of ['SIGKILL', 'SIGTERM'] as const)
  test(`after ${signal} of a test process everything that it started and created is removed, even held files`, async () => {
    const child = startChild([CHILD])
    const { pid, folder } = await startedBy(child)
    expect(alive(pid)).toBe(true)
    expect(existsSync(folder)).toBe(true)
    process.kill(pid, 'SIGSTOP')
    await child.kill(signal)
    await vi.waitFor(() => expect([alive(pid), existsSync(folder)]).toEqual([false, false]), WAIT)
  })

test('a process that ends normally leaves nothing, either', async () => {
  const child = startChild([CHILD, 'end'])
  const { pid, folder } = await startedBy(child)
  expect(await child.ended()).toBe(0)
  await vi.waitFor(() => expect([alive(pid), existsSync(folder)]).toEqual([false, false]), WAIT)
})
