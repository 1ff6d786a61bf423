import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  closeSync,
  constants,
  existsSync,
  mkdtempSync,
  openSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { ingestStandIn } from '../../test/support/ingest-stand-in.ts'

const PROGRAM = new URL('./weir.mjs', import.meta.url).pathname
/** Makes a Node report that it is an older one. */
const AS_OLDER_NODE = `--import=data:text/javascript,${encodeURIComponent(
  "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.0.0' } })",
)}`

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'weir-program-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

test('settings that cannot be used, in the environment or in .env, end a start with a sentence for each', async () => {
  const data = join(folder, 'data')
  writeFileSync(join(folder, '.env'), `WEIR_PORT=99999\nLOG_LEVEL=info\nWEIR_DATA_DIR=${data}\n`)
  const start = spawn(process.execPath, [PROGRAM, 'all'], {
    cwd: folder,
    env: { PATH: process.env.PATH, LOG_LEVEL: 'loud' },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  start.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  expect(await once(start, 'close')).toEqual([2, null])
  expect(said).toMatch(/^weir: LOG_LEVEL must be .*\nweir: WEIR_PORT must be .*\n$/)
  expect(existsSync(data)).toBe(false)
})

test('under an older Node, kill -9 of the started process also ends the program, which would hold a data folder unnoticed', async () => {
  const service = await ingestStandIn()
  const env = { ...process.env, WEIR_DATA_DIR: folder, WEIR_URL: service.url, WEIR_INGESTION_KEY: 'key' }
  // Its input stays open when the launcher has ended, unlike a pipe of `spawn`.
  const pipe = join(folder, 'input')
  execFileSync('mkfifo', [pipe])
  const writer = openSync(pipe, constants.O_RDWR)
  const input = openSync(pipe, constants.O_RDONLY)
  const launcher = spawn(process.execPath, [AS_OLDER_NODE, PROGRAM, 'ship', '-'], {
    env,
    stdio: [input, 'pipe', 'ignore'],
  })
  // The end of its input ends a program that the launcher has left behind.
  onTestFinished(async () => {
    closeSync(writer)
    closeSync(input)
    await service.close()
  })
  // The program has the same output, which is closed when both processes have ended.
  const ended = once((launcher.stdout as Readable).resume(), 'close')
  writeSync(writer, 'first\n')
  await service.arrived(1)
  launcher.kill('SIGKILL')
  expect(await once(launcher, 'exit')).toEqual([null, 'SIGKILL'])
  await ended
})
