import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { commandWorld } from '../../../test/support/command-world.ts'
import { runProgram } from '../program.ts'

const GIVEN = { topic: 'config', partition: '0', from: '3', to: '4' }

async function accept(options: Partial<typeof GIVEN>, env: Record<string, string> = {}) {
  const world = commandWorld({ env })
  const args = Object.entries({ ...GIVEN, ...options }).flatMap(([name, value]) => [`--${name}`, value])
  const code = await runProgram(['log', 'accept-loss', ...args], world)
  return { code, err: world.err() }
}

test.each([
  [{ topic: 'weir.config' }, '--topic'],
  [{ from: '-1' }, 'It must be a whole number'],
  [{ to: '1e3' }, 'It must be a whole number'],
  [{ partition: '1' }, 'The configuration has one partition'],
])('%j is refused with a sentence', async (options, sentence) => {
  expect(await accept(options)).toEqual({ code: 2, err: expect.stringContaining(sentence) })
})

test('every number must be given', async () => {
  const world = commandWorld()
  expect(await runProgram(['log', 'accept-loss', '--topic', 'config'], world)).toBe(2)
  expect(world.err()).toContain('--partition')
})

test('a missing folder is named, and not created', async () => {
  const folder = join(tmpdir(), `weir-none-${process.pid}`)
  const { code, err } = await accept({}, { WEIR_DATA_DIR: folder })
  expect([code, err]).toEqual([2, expect.stringContaining(`${folder} is not a data folder`)])
  expect(existsSync(folder)).toBe(false)
})
