import { afterEach, beforeEach, expect, test } from 'vitest'
import { type ServedCommandLine, servedCommandLine } from '../../test/support/served-command-line.ts'

let weir: ServedCommandLine
beforeEach(async () => {
  weir = await servedCommandLine()
})
afterEach(() => weir.close())

const run = (...args: string[]) => weir.run(['token', ...args])
const roleOf = async (secret: string) => {
  const headers = { authorization: `Token ${secret}` }
  const response = await weir.installation.app.inject({ url: '/v3/auth/token', headers })
  return response.json().data?.role ?? response.statusCode
}

test('weir token create prints only the secret on standard output', async () => {
  const { code, out, err } = await run('create', 'deployer', '--scope', 'member', '--expires', '90d')
  expect(code).toBe(0)
  expect(out).toMatch(/^sts_[0-9a-f]{40}\n$/)
  expect(err).toMatch(/^Created deployer \(.*\)\. It has the rights of a member, and expires at .*Z\. /)
  expect(await roleOf(out.trim())).toBe('member')
})

test('weir token create --json prints the whole token', async () => {
  const { out, err } = await run(
    'create',
    'shipper',
    '--scope',
    'ingest',
    '--expires',
    '2099-01-01',
    '--json',
  )
  expect(err).toBe('')
  expect(JSON.parse(out)).toMatchObject({
    name: 'shipper',
    right: 'ingest',
    expires_at: '2099-01-01T00:00:00.000Z',
  })
})

test('weir token rotate and revoke accept a name or the beginning of an id', async () => {
  const { out: first } = await run('create', 'deployer')
  const { out: second, err } = await run('rotate', 'deployer', '--grace', '1h')
  expect(err).toContain('The old secret works until ')
  expect([await roleOf(first.trim()), await roleOf(second.trim())]).toEqual(['admin', 'admin'])
  const [token] = JSON.parse((await run('list', '--json')).out).filter(
    ({ name }: { name: string }) => name === 'deployer',
  )
  expect(await run('revoke', token.id.slice(0, 8))).toEqual({
    code: 0,
    out: 'Revoked: it no longer works.\n',
    err: '',
  })
  expect([await roleOf(first.trim()), await roleOf(second.trim())]).toEqual([401, 401])
})

test('weir token list shows the rights of each, and never a secret', async () => {
  const { out: secret } = await run('create', 'reader', '--scope', 'readonly')
  const { out, code } = await run('list')
  expect(code).toBe(0)
  expect(out).toMatch(/^ID +NAME +KIND +OF +MAY +ENDS +LAST USED\n/)
  expect(out).toMatch(/ reader +service +- +readonly +never +never\n/)
  expect(out).not.toContain(secret.trim())
})

test('exit codes distinguish wrong use from a missing right', async () => {
  expect((await run('create')).code).toBe(2)
  expect((await run('create', 'x', '--scope', 'all')).code).toBe(2)
  expect(await run('create', 'x', '--expires', 'soon')).toMatchObject({ code: 2, out: '' })
  expect((await run('rotate', 'nobody')).err).toContain('There is no token "nobody"')
  weir.env.WEIR_ACCESS_TOKEN = await weir.installation.token({ scope: 'readonly' })
  expect(await run('create', 'x')).toMatchObject({ code: 3, out: '' })
})
