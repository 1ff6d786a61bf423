import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ingestStandIn } from '../../test/support/ingest-stand-in.ts'

const PROGRAM = new URL('./weir.mjs', import.meta.url).pathname
/** Makes a Node report that it is an older one. */
const AS_OLDER_NODE = `--import=data:text/javascript,${encodeURIComponent(
  "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.0.0' } })",
)}`

test('under an older Node, kill -9 of the started process also ends the program, which would hold a data folder unnoticed', async () => {
  const service = await ingestStandIn()
  const folder = mkdtempSync(join(tmpdir(), 'weir-launcher-'))
  const env = { ...process.env, WEIR_DATA_DIR: folder, WEIR_URL: service.url, WEIR_INGESTION_KEY: 'key' }
  const launcher = spawn(process.execPath, [AS_OLDER_NODE, PROGRAM, 'ship', '-'], {
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  // The program has the same output, which is closed when both processes have ended.
  const ended = once(launcher.stdout.resume(), 'close')
  launcher.stdin.on('error', () => {})
  try {
    launcher.stdin.write('first\n')
    await service.arrived(1)
    launcher.kill('SIGKILL')
    expect(await once(launcher, 'exit')).toEqual([null, 'SIGKILL'])
    await ended
  } finally {
    launcher.stdin.end()
    await service.close()
    rmSync(folder, { recursive: true })
  }
})
