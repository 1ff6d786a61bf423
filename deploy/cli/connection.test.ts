import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type CommandLine, commandLine } from '../../test/support/command-line.ts'
import { freePort } from '../../test/support/free-port.ts'
import { missingFileSentence } from './connection.ts'

let line: CommandLine
beforeEach(async () => {
  line = await commandLine()
})
afterEach(() => line.close())

describe('finding the service', () => {
  test('the local credentials are the default, and WEIR_ACCESS_TOKEN takes precedence over the file', async () => {
    await line.writeCredentials()
    line.reply = () => ({ body: { meta: {}, data: [] } })
    await line.run(['pipeline', 'list'], { env: { WEIR_DATA_DIR: line.folder } })
    await line.run(['pipeline', 'list'], {
      env: { WEIR_DATA_DIR: line.folder, WEIR_ACCESS_TOKEN: 'sts_given' },
    })
    expect(line.service.requests.map(request => request.authorization)).toEqual([
      'Token sts_local',
      'Token sts_given',
    ])
  })

  test('the local token is never sent to another service than that of the file', async () => {
    await line.writeCredentials({ apiUrl: 'http://127.0.0.1:1', ingestUrl: 'http://127.0.0.1:1' })
    const { code, err } = await line.run(['usage'], {
      env: { WEIR_DATA_DIR: line.folder, WEIR_URL: line.service.url },
    })
    expect(code).toBe(3)
    expect(err).toContain('set WEIR_ACCESS_TOKEN, too')
    expect(line.service.requests).toEqual([])
  })

  test('WEIR_URL with the address of the same service is used with the local token', async () => {
    await line.writeCredentials()
    line.reply = () => ({ body: { meta: {}, data: [] } })
    await line.run(['pipeline', 'list'], {
      env: { WEIR_DATA_DIR: line.folder, WEIR_URL: `${line.service.url}/` },
    })
    expect(line.service.requests[0]?.authorization).toBe('Token sts_local')
  })

  test.each([
    ['no file', async () => {}, 'npm start'],
    ['a damaged file', () => writeFile(join(line.folder, 'credentials.json'), '{"apiUrl":"x"}'), 'damaged'],
    ['a file that is no JSON', () => writeFile(join(line.folder, 'credentials.json'), '{'), 'damaged'],
  ])('%s: 3, with a sentence that contains the remedy', async (_name, prepare, sentence) => {
    await prepare()
    const { code, err } = await line.run(['search', 'x'], { env: { WEIR_DATA_DIR: line.folder } })
    expect(code).toBe(3)
    expect(err).toContain(sentence)
  })

  test.each([['usage'], ['ship', '/dev/null']])(
    '%s before the first start is complete: 3, and what to wait for',
    async (...args) => {
      await line.writeCredentials({ apiUrl: '', ingestUrl: '' })
      const { code, err } = await line.run(args, { env: { WEIR_DATA_DIR: line.folder } })
      expect([code, err]).toEqual([
        3,
        expect.stringContaining('has not come up yet. Wait for its line "Weir is ready"'),
      ])
    },
  )

  test('another user owns the file: a sentence names that user', () => {
    const error = Object.assign(new Error('permission denied'), { code: 'EACCES' })
    expect(missingFileSentence('f', error)).toContain('the user that runs the server')
    expect(missingFileSentence('f', { code: 'ENOENT' })).toContain('npm start')
  })

  test.each([
    ['ftp://x', 2, 'is not an address'],
    ['nonsense', 2, 'is not an address'],
    ['http://127.0.0.1:1', 3, 'cannot be reached'],
  ])('WEIR_URL=%s ends with %i', async (url, expected, sentence) => {
    const { code, err } = await line.run(['usage'], { env: { WEIR_URL: url, WEIR_ACCESS_TOKEN: 'x' } })
    expect(code).toBe(expected)
    expect(err).toContain(sentence)
  })

  test('a server that does not run is named, with the command that starts it', async () => {
    const url = `http://127.0.0.1:${await freePort()}`
    const { code, err } = await line.run(['usage'], { env: { WEIR_URL: url, WEIR_ACCESS_TOKEN: 'x' } })
    expect(code).toBe(3)
    expect(err).toBe(
      `weir: Nothing answers at ${url}. Start the server with "npm start", or set WEIR_URL to its address.\n`,
    )
  })

  test.each([
    [401, 3, 'does not accept the credential from WEIR_ACCESS_TOKEN'],
    [403, 3, 'is not allowed to do this'],
    [404, 2, 'a reason'],
    [500, 3, 'answered 500'],
  ])('an answer of %i ends with %i', async (status, expected, sentence) => {
    line.reply = () => ({ status, body: { error: 'a reason', code: 'Code', status: 'error' } })
    const { code, err } = await line.run(['usage'])
    expect(code).toBe(expected)
    expect(err).toContain(sentence)
  })

  test('a server that is not Weir is recognised', async () => {
    line.reply = () => ({ body: '<html>' })
    const { code, err } = await line.run(['usage'])
    expect(code).toBe(3)
    expect(err).toContain('did not answer with JSON')
  })
})
