import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type ReloadedParts, reload } from './hang-up.ts'

let folder: string
const former = process.env.LOG_LEVEL_FILE
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'weir-hang-up-'))
  process.env.LOG_LEVEL_FILE = join(folder, 'level')
})
afterEach(() => {
  if (former === undefined) delete process.env.LOG_LEVEL_FILE
  else process.env.LOG_LEVEL_FILE = former
  rmSync(folder, { recursive: true })
})

/** Parts of a process with the lines of its log, and the levels that other threads received. */
function parts(tls?: ReloadedParts['tls']) {
  const said: { msg: string; logLevel?: string; certificate?: string }[] = []
  const logger = pino({ level: 'info' }, { write: (line: string) => void said.push(JSON.parse(line)) })
  const levels: string[] = []
  return { logger, said, levels, tls, onLevel: (level: string) => void levels.push(level) }
}

test('the log level is read again, for the whole process', async () => {
  const given = parts()
  writeFileSync(join(folder, 'level'), 'debug\n')
  await reload(given)
  given.logger.debug({}, 'seen')
  expect(given.said).toMatchObject([{ logLevel: 'debug' }, { msg: 'seen' }])
  writeFileSync(join(folder, 'level'), 'error')
  await reload(given)
  given.logger.warn({}, 'not seen')
  expect(given.said).toHaveLength(2)
  await reload(given)
  expect(given.levels).toEqual(['debug', 'error'])
})

test('a level that cannot be used is reported, and the present one stays', async () => {
  const given = parts()
  writeFileSync(join(folder, 'level'), 'loud')
  await reload(given)
  expect(given.said).toMatchObject([
    { msg: expect.stringContaining('the log level stays: LOG_LEVEL must be one of fatal') },
    { logLevel: 'info' },
  ])
  expect(given.levels).toEqual([])
})

test('the certificate is read again, and the log says whether it is another one', async () => {
  const given = parts({ reload: async () => 'renewed' as const })
  writeFileSync(join(folder, 'level'), 'info')
  await reload(given)
  expect(given.said).toMatchObject([{ certificate: 'renewed', logLevel: 'info' }])
})
