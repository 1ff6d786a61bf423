import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { type ServedCommandLine, servedCommandLine } from '../../../test/support/served-command-line.ts'

let weir: ServedCommandLine
beforeEach(async () => {
  weir = await servedCommandLine()
  weir.env.WEIR_ACCESS_TOKEN = await weir.installation.user('owner')
  weir.env.WEIR_SERVICE_KEY = weir.installation.credentials.serviceKey
})
afterEach(() => weir.close())

const run = (...args: string[]) => weir.run(args)
/** Standard output of a command that must succeed. */
async function out(...args: string[]): Promise<string> {
  const ended = await run(...args)
  expect([args, ended.code, ended.err.startsWith('weir:')]).toEqual([args, 0, false])
  return ended.out
}
const rows = async (noun: string) => JSON.parse(await out(noun, 'list', '-o', 'json'))

describe('objects of the configuration', () => {
  test('members are added, changed and removed by their address', async () => {
    const group = (await out('group', 'create', 'web', '--query', 'app:nginx')).trim()
    expect(await out('member', 'create', 'ann@example.org', '--role', 'member', '--groups', group)).toBe(
      'ann@example.org\n',
    )
    expect(await rows('member')).toContainEqual({ email: 'ann@example.org', role: 'member', groups: [group] })
    await out('member', 'update', 'ann@example.org', '--role', 'readonly', '--set', 'groups=[]')
    expect(parse(await out('member', 'get', 'ann@example.org'))).toEqual({
      email: 'ann@example.org',
      role: 'readonly',
      groups: [],
    })
    await out('member', 'delete', 'ann@example.org', '--yes')
    expect((await rows('member')).map(({ email }: { email: string }) => email)).not.toContain(
      'ann@example.org',
    )
  })

  test('groups are found by name, and keep what is not changed', async () => {
    await out('group', 'create', 'web', '--query', 'app:nginx')
    await out('group', 'update', 'web', '--name', 'front')
    expect(await rows('group')).toMatchObject([{ name: 'front', accessScopes: 'app:nginx' }])
    expect(await out('group', 'list')).toMatch(/^ID +NAME +LINES\n\S+ +front +app:nginx\n$/)
  })

  test('a key is printed when it is created, and no list contains it', async () => {
    const key = (await out('key', 'create', 'shipper', '--type', 'ingestion')).trim()
    expect(key).toMatch(/^[0-9a-f]{32}/)
    expect(JSON.stringify(await rows('key'))).not.toContain(key)
    for (const form of ['table', 'wide', 'yaml', 'csv', 'raw'])
      expect([form, await out('key', 'list', '-o', form)]).toEqual([form, expect.not.stringContaining(key)])
    expect(await out('key', 'get', 'shipper', '--fields', 'key', '-o', 'raw')).toBe(`${key}\n`)
    await out('key', 'update', 'shipper', '--name', 'collector')
    await out('key', 'delete', 'collector', '--yes')
    expect((await rows('key')).map(({ name }: { name: string }) => name)).not.toContain('collector')
  })

  test('a view keeps the members that are not changed, although the service replaces it as a whole', async () => {
    await out('view', 'create', 'errors', '--query', 'level:error', '--apps', 'nginx,api', '--tags', 'prod')
    await out('view', 'update', 'errors', '--query', 'level:fatal')
    expect(await rows('view')).toMatchObject([
      { name: 'errors', query: 'level:fatal', apps: ['nginx', 'api'], tags: ['prod'], hosts: [] },
    ])
  })

  test('a view can be given as a file, and its printed form is one', async () => {
    const file = join(weir.line.folder, 'view.yaml')
    await writeFile(file, 'query: level:error\nhosts: [web-1]\n')
    await out('view', 'create', 'errors', '-f', file, '--set', 'apps=["a"]')
    const printed = await out('view', 'get', 'errors')
    expect(parse(printed)).toMatchObject({
      name: 'errors',
      query: 'level:error',
      hosts: ['web-1'],
      apps: ['a'],
    })
    await writeFile(file, printed)
    await out('view', 'update', 'errors', '-f', file)
    expect(await out('view', 'get', 'errors')).toBe(printed)
  })

  test('tokens can be shown, narrowed and deleted', async () => {
    await out('token', 'create', 'deployer', '--scope', 'member')
    await out('token', 'update', 'deployer', '--scope', 'readonly', '--expires', '90d')
    expect(parse(await out('token', 'get', 'deployer'))).toMatchObject({
      name: 'deployer',
      scope: 'readonly',
    })
    await out('token', 'delete', 'deployer', '--yes')
    expect((await run('token', 'get', 'deployer')).err).toContain('There is no token "deployer"')
  })

  test('quotas are set in sizes for people', async () => {
    expect(await out('quota', 'list')).toMatch(/^PERIOD +LIMIT .*\ndaily +none .*\nmonthly +none /)
    await out('quota', 'update', '--daily', '10GB', '--set', 'daily.discard=true')
    expect(await rows('quota')).toMatchObject([
      { period: 'daily', limit: 10_000_000_000, discard: true },
      { period: 'monthly', limit: 0, discard: false },
    ])
    await out('quota', 'update', '--monthly', '1TB')
    expect(await rows('quota')).toMatchObject([{ limit: 10_000_000_000, discard: true }, { limit: 1e12 }])
    expect((await run('quota', 'update', '--daily', 'much')).code).toBe(2)
  })

  test('accounts of an enterprise are created, changed, suspended and resumed', async () => {
    weir.env.WEIR_ACCESS_TOKEN = weir.installation.credentials.enterpriseAccessToken
    const id = (await out('account', 'create', 'Example Ltd', '--owner', 'bob@example.org')).trim()
    await out('account', 'update', id, '--retention', '7')
    expect(parse(await out('account', 'get', 'Example Ltd'))).toMatchObject({ account: id, retention: 7 })
    await out('account', 'suspend', id)
    const statusOf = async () =>
      (await rows('account')).find(({ account }: { account: string }) => account === id).status
    const suspended = await statusOf()
    await out('account', 'resume', id)
    expect(await statusOf()).not.toBe(suspended)
    expect((await run('account', 'delete', id)).code).toBe(2)
  })
})

test('groups without a service key are refused with the way on', async () => {
  delete weir.env.WEIR_SERVICE_KEY
  expect(await run('group', 'list')).toMatchObject({
    code: 2,
    err: expect.stringContaining('set WEIR_SERVICE_KEY'),
  })
})

describe('a change', () => {
  test('with --dry-run is only printed', async () => {
    expect(parse(await out('group', 'create', 'web', '--query', 'x', '--dry-run'))).toEqual({
      accessScopes: 'x',
      name: 'web',
    })
    expect(await rows('group')).toEqual([])
    await out('group', 'create', 'web', '--query', 'x')
    expect(parse(await out('group', 'update', 'web', '--query', 'y', '--dry-run'))).toEqual({
      accessScopes: 'y',
    })
    expect(await out('group', 'delete', 'web', '--dry-run')).toMatch(
      /^Would delete the group web \(.*\)\.\n$/,
    )
    expect(await rows('group')).toMatchObject([{ name: 'web', accessScopes: 'x' }])
  })

  test('that deletes needs a person or --yes', async () => {
    await out('group', 'create', 'web')
    expect(await run('group', 'delete', 'web')).toMatchObject({
      code: 2,
      err: expect.stringContaining('--yes'),
    })
    const asked = await weir.run(['group', 'delete', 'web'], { terminal: true, typed: 'n\n' })
    expect([asked.code, asked.out]).toEqual([1, expect.stringContaining('Nothing was deleted.')])
    const agreed = await weir.run(['group', 'delete', 'web'], { terminal: true, typed: 'y\n' })
    expect([agreed.code, await rows('group')]).toEqual([0, []])
  })

  test.each([
    [['group', 'update', 'nobody', '--query', 'x'], 'There is no group "nobody"'],
    [['group', 'update', 'web'], 'Nothing to change'],
    [['group', 'create', 'x', '--set', 'name'], 'is not of the form member=value'],
    [['member', 'create', 'x@example.org', '--role', 'king'], 'Allowed choices are admin, member, readonly.'],
    [['view', 'create', 'x', '-f', '/nowhere/x.yaml'], '/nowhere/x.yaml'],
  ])('%j is wrong use', async (args, sentence) => {
    const { code, out: printed, err } = await run(...args)
    expect([code, printed, err]).toEqual([2, '', expect.stringContaining(sentence)])
  })

  test('that the service refuses ends with its sentence', async () => {
    expect(await run('view', 'create', 'x')).toMatchObject({
      code: 2,
      err: expect.stringContaining('answered 400'),
    })
    weir.env.WEIR_ACCESS_TOKEN = await weir.installation.token({ scope: 'readonly' })
    expect((await run('group', 'create', 'x')).code).toBe(3)
  })
})
