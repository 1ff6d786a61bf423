import { afterEach, beforeEach, expect, test } from 'vitest'
import { parse } from 'yaml'
import { type ServedCommandLine, servedCommandLine } from '../../../test/support/served-command-line.ts'

let weir: ServedCommandLine
beforeEach(async () => {
  weir = await servedCommandLine()
  weir.env.WEIR_ACCESS_TOKEN = await weir.installation.user('owner')
})
afterEach(() => weir.close())

/** Standard output of a command that must succeed. */
async function out(...args: string[]): Promise<string> {
  const ended = await weir.run(['gateway', ...args])
  expect([args, ended.code, ended.err.startsWith('weir:')]).toEqual([args, 0, false])
  return ended.out
}

test('a gateway route is created, described, renamed and deleted', async () => {
  const id = (await out('create', 'doors', '--type', 'http')).trim()
  await out('update', 'doors', '--description', 'from the gates')
  await out('update', 'doors', '--name', 'gates')
  expect(parse(await out('get', 'gates'))).toMatchObject({
    id,
    type: 'http',
    title: 'gates',
    description: 'from the gates',
  })
  expect(await out('list', '-o', 'wide')).toContain(`/v1/${id}`)
  await out('delete', 'gates', '--yes')
  expect(await out('list')).toBe('There are no gateway routes.\n')
})

test('the type of a gateway route is only for its creation', async () => {
  await out('create', 'doors', '--type', 'http')
  expect(await weir.run(['gateway', 'update', 'doors', '--type', 'kafka'])).toMatchObject({
    code: 2,
    err: expect.stringContaining("unknown option '--type'"),
  })
})

test('an access key is printed once, listed without the key, and revoked by its title', async () => {
  await out('create', 'doors', '--type', 'http')
  const key = (await out('key', 'create', 'doors', 'gate')).trim()
  expect(key.length).toBeGreaterThan(20)
  for (const form of ['table', 'json', 'yaml', 'csv'])
    expect(await out('key', 'list', 'doors', '-o', form)).not.toContain(key)
  expect(await out('key', 'delete', 'doors', 'gate', '--dry-run')).toMatch(
    /^Would delete the access key gate /,
  )
  expect(await weir.run(['gateway', 'key', 'delete', 'doors', 'gate'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('--yes'),
  })
  expect(await weir.run(['gateway', 'key', 'delete', 'doors', 'gates', '--yes'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('did you mean "gate"?'),
  })
  await out('key', 'delete', 'doors', 'gate', '--yes')
  expect(await out('key', 'list', 'doors')).toBe('The gateway route has no access keys.\n')
})
