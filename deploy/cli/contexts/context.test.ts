import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type CommandLine, commandLine } from '../../../test/support/command-line.ts'

let line: CommandLine
let env: Record<string, string>
beforeEach(async () => {
  line = await commandLine()
  line.reply = () => ({ body: { data: [] } })
  env = { HOME: line.folder }
})
afterEach(() => line.close())

const run = (args: readonly string[], changes: Record<string, string> = {}, typed?: string) =>
  line.run(args, { env: { ...env, ...changes }, ...(typed === undefined ? {} : { typed }) })
const file = () => join(line.folder, '.config/weir/contexts.json')
/** Credential of the last request. */
const credential = () => line.service.requests.at(-1)?.authorization

async function add(name: string, token: string, ...options: string[]): Promise<void> {
  const args = ['context', 'add', name, '--url', line.service.url, '--token-file', '-', ...options]
  const { code, out, err } = await run(args, {}, `${token}\n`)
  expect([code, out, err]).toEqual([0, '', expect.stringContaining(`Added ${name}.`)])
}

describe('weir context', () => {
  test('the first context is used at once, another one after "use" or for one command', async () => {
    await add('prod', 'sts_prod')
    await add('staging', 'sts_staging', '--account', 'a1')
    await run(['pipeline', 'list'])
    expect(credential()).toBe('Token sts_prod')
    await run(['pipeline', 'list', '--use', 'staging'])
    expect(credential()).toBe('Token sts_staging')
    await run(['pipeline', 'list'], { WEIR_CONTEXT: 'staging' })
    expect(credential()).toBe('Token sts_staging')
    expect((await run(['context', 'use', 'staging'])).err).toBe('Commands use staging.\n')
    await run(['pipeline', 'list'])
    expect(credential()).toBe('Token sts_staging')
  })

  test('a list shows all contexts and never a secret, which only their owner can read', async () => {
    await add('prod', 'sts_prod', '--zone', 'Europe/Berlin')
    const { out } = await run(['context', 'list', '-o', 'wide'])
    expect(out).toMatch(/^IN USE +NAME +URL +ACCOUNT +TOKEN/)
    expect(out).toMatch(/^\* +prod +http:\S+ +- +yes +no +- +Europe\/Berlin$/m)
    expect(JSON.parse((await run(['context', 'list', '-o', 'json'])).out)).toEqual([
      {
        name: 'prod',
        current: true,
        url: line.service.url,
        ingest_url: null,
        account: null,
        tz: 'Europe/Berlin',
        has_token: true,
        has_ingestion_key: false,
      },
    ])
    expect(await readFile(file(), 'utf8')).toContain('sts_prod')
    expect((await stat(file())).mode & 0o777).toBe(0o600)
  })

  test('variables that name a server or a data folder take precedence over the context in use', async () => {
    await add('prod', 'sts_prod')
    await run(['pipeline', 'list'], { WEIR_URL: line.service.url, WEIR_ACCESS_TOKEN: 'sts_other' })
    expect(credential()).toBe('Token sts_other')
    await line.writeCredentials()
    await run(['pipeline', 'list'], { WEIR_DATA_DIR: line.folder })
    expect(credential()).toBe('Token sts_local')
    await run(['pipeline', 'list', '--use', 'local'], { WEIR_DATA_DIR: line.folder })
    expect(credential()).toBe('Token sts_local')
    await run(['pipeline', 'list', '--use', 'prod'], {
      WEIR_URL: 'http://127.0.0.1:9',
      WEIR_ACCESS_TOKEN: 'x',
    })
    expect(credential()).toBe('Token sts_prod')
  })

  test('its zone and account hold for its commands, and a refusal names it', async () => {
    await add('prod', 'ste_prod', '--zone', '+02:00', '--account', 'a1b2c3')
    line.reply = () => ({ status: 401, body: { error: 'unknown' } })
    const refused = await run(['pipeline', 'list'])
    expect([refused.code, refused.err]).toEqual([
      3,
      expect.stringContaining('the credential from the context "prod"'),
    ])
    const lines = [{ _ts: Date.UTC(2026, 6, 31, 10), _host: 'h', _app: 'a', _line: 'x' }]
    line.reply = () => ({ body: { lines, pagination_id: null } })
    expect((await run(['search'])).out).toBe('2026-07-31T12:00:00.000+02:00 h a x\n')
    expect((await run(['search', '--utc'])).out).toBe('2026-07-31T10:00:00.000Z h a x\n')
    expect((await run(['search'], { WEIR_TZ: '+01:00' })).out).toMatch(/^2026-07-31T11/)
  })

  test('removing the one in use leads back to the server of this machine', async () => {
    await add('prod', 'sts_prod')
    expect((await run(['context', 'remove', 'prod'])).code).toBe(0)
    expect((await run(['context', 'list'])).out).toContain('There are no contexts')
    expect((await run(['pipeline', 'list'], { WEIR_DATA_DIR: join(line.folder, 'none') })).code).toBe(3)
  })

  test.each([
    [['use', 'prd'], 'There is no context "prd"; there are prod.'],
    [['remove', '__proto__'], 'There is no context "__proto__"'],
    [['add', 'prod', '--url', 'http://x'], 'There is a context "prod" already'],
    [['add', 'local', '--url', 'http://x'], 'cannot name a context'],
    [['add', 'a b', '--url', 'http://x'], 'cannot name a context'],
    [['add', 'x', '--url', 'x'], '--url "x" is not an address'],
    [['add', 'x', '--url', 'http://x', '--token-file', '-'], 'does not contain a single secret'],
  ])('%j is wrong use', async (args, sentence) => {
    await add('prod', 'sts_prod')
    const before = await readFile(file(), 'utf8')
    const { code, err } = await run(['context', ...args])
    expect([code, err]).toEqual([2, expect.stringContaining(sentence)])
    expect(await readFile(file(), 'utf8')).toBe(before)
  })

  test('a command with an unknown context, or a damaged file, ends with a sentence', async () => {
    expect((await run(['search', '--use', 'prod'])).err).toContain(
      'There is no context "prod". "weir context add"',
    )
    await mkdir(join(line.folder, '.config/weir'), { recursive: true })
    await writeFile(file(), '{')
    expect(await run(['search'])).toMatchObject({ code: 2, err: expect.stringContaining('is not JSON') })
  })
})
