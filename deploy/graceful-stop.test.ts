import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const PROGRAM = new URL('../test/support/forced-stop.ts', import.meta.url).pathname

test('a stop by force while the engine works neither crashes with SIGSEGV nor waits for the engine', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-forced-'))
  const child = spawn(process.execPath, [PROGRAM, folder], { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk
  })
  try {
    expect(await once(child, 'close')).toEqual([null, 'SIGKILL'])
    expect(output).toContain('stopping took too long: nothing is lost')
  } finally {
    child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
}, 30_000)
