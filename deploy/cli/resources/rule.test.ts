import { afterEach, beforeEach, expect, test } from 'vitest'
import { type ServedCommandLine, servedCommandLine } from '../../../test/support/served-command-line.ts'

let weir: ServedCommandLine
beforeEach(async () => {
  weir = await servedCommandLine()
  weir.env.WEIR_ACCESS_TOKEN = await weir.installation.user('owner')
})
afterEach(() => weir.close())

/** Standard output of a command that must succeed. */
async function out(...args: string[]): Promise<string> {
  const ended = await weir.run(args)
  expect([args, ended.code, ended.err.startsWith('weir:')]).toEqual([args, 0, false])
  return ended.out
}
const rows = async (kind: string) => JSON.parse(await out('rule', kind, 'list', '-o', 'json'))

test('an exclusion rule is created, switched off and deleted by its title', async () => {
  const options = ['--apps', 'nginx,api', '--query', 'healthcheck', '--active', 'yes']
  const id = (await out('rule', 'exclusion', 'create', 'noise', ...options)).trim()
  expect(await rows('exclusion')).toEqual([
    {
      id,
      title: 'noise',
      active: true,
      apps: ['nginx', 'api'],
      hosts: [],
      query: 'healthcheck',
      indexonly: true,
    },
  ])
  expect(await out('rule', 'exclusion', 'list')).toMatch(
    /^ID +TITLE +STATE +APPS +HOSTS +QUERY\n\S+ +noise +active +nginx, api +- +healthcheck\n$/,
  )
  await out('rule', 'exclusion', 'update', 'noise', '--active', 'no', '--index-only', 'no')
  expect(await rows('exclusion')).toMatchObject([{ active: false, indexonly: false, query: 'healthcheck' }])
  await out('rule', 'exclusion', 'delete', 'noise', '--yes')
  expect(await out('rule', 'exclusion', 'list')).toBe('There are no exclusion rules.\n')
})

test('stream exclusion rules are rules of their own', async () => {
  await out('rule', 'stream-exclusion', 'create', 'debug', '--query', 'level:debug')
  expect(await rows('stream-exclusion')).toMatchObject([{ title: 'debug', active: false }])
  expect(await rows('exclusion')).toEqual([])
})

test('a retention rule takes numbers, and keeps what is not changed', async () => {
  await out('rule', 'retention', 'create', 'audit', '--app', 'audit', '--days', '365', '--priority', '1')
  await out('rule', 'retention', 'update', 'audit', '--days', '400', '--name', 'law')
  expect(await rows('retention')).toMatchObject([{ name: 'law', app: 'audit', days: 400, priority: 1 }])
})

test('a rule without a condition is refused with the reason of the service', async () => {
  const { code, err } = await weir.run(['rule', 'exclusion', 'create', 'all'])
  expect([code, err]).toEqual([2, expect.stringMatching(/^weir: .*answered 400 .*\n$/)])
})

test('an unknown name ends with the nearest one, and the command that lists all', async () => {
  await out('rule', 'retention', 'create', 'audit', '--app', 'audit', '--days', '365', '--priority', '1')
  expect(await weir.run(['rule', 'retention', 'get', 'audti'])).toEqual({
    code: 2,
    out: '',
    err: 'weir: There is no retention rule "audti"; did you mean "audit"? "weir rule retention list" shows all.\n',
  })
  // Each id begins with an empty text.
  expect((await weir.run(['rule', 'retention', 'delete', '', '--yes'])).code).toBe(2)
  expect(await rows('retention')).toHaveLength(1)
})
