import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { systemClock } from '../../../engine/clock/system-clock.ts'
import { type CommandWorld, commandWorld } from '../../../test/support/command-world.ts'
import { writeManifest } from '../../operator/backup-manifest.ts'
import { runProgram } from '../program.ts'

let folder: string
let target: string
let world: CommandWorld
let server: Server | undefined

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'weir-cli-backup-'))
  target = join(folder, 'backup')
  writeFileSync(join(folder, 'format.json'), '{"format":1}')
  world = commandWorld({ env: { WEIR_DATA_DIR: folder }, clock: systemClock() })
})
afterEach(async () => {
  await new Promise(resolve => server?.close(resolve))
  rmSync(folder, { recursive: true })
})

/** A server that has copied a file when the command is interrupted; `afterwards` runs once the command has ended. */
async function serverInterrupted(afterwards: () => void): Promise<void> {
  const listening = createServer((request, response) => {
    request.resume().on('end', () => {
      mkdirSync(target, { recursive: true })
      writeFileSync(join(target, 'secret.key'), 'key')
      response.on('close', afterwards)
      response.write(`${JSON.stringify({ type: 'held', files: 1, bytes: 3 })}\n`)
      world.stopNow()
    })
  })
  server = listening
  await new Promise<void>(resolve => listening.listen({ path: join(folder, 'operator.sock') }, resolve))
}

function makeWhole(): void {
  const files = [{ path: 'secret.key', bytes: 3, sha256: '' }]
  const madeAt = '2026-01-31T00:00:00.000Z'
  writeManifest(target, { version: '0', madeAt, logId: 'log', partitions: 1, hasSecretKey: true, files })
}

async function backUp() {
  const code = await runProgram(['backup', target], world)
  return { code, out: world.out(), err: world.err() }
}

test('an interruption that is too late leaves a complete backup', async () => {
  await serverInterrupted(makeWhole)
  const { code, out, err } = await backUp()
  expect([code, err]).toEqual([0, ''])
  expect(out).toMatch(
    /^Backed up 1 files, 3 B in .* s, into .*\.\nIt contains the credentials and the secret key/,
  )
})

test('an interruption that ends the backup', async () => {
  await serverInterrupted(() => rmSync(target, { recursive: true }))
  expect(await backUp()).toEqual({ code: 130, out: '', err: 'weir: Interrupted before the end.\n' })
})

test('an earlier backup in the folder is not treated as the interrupted one', async () => {
  await serverInterrupted(() => {})
  mkdirSync(target)
  makeWhole()
  expect(await backUp()).toEqual({ code: 130, out: '', err: 'weir: Interrupted before the end.\n' })
})
