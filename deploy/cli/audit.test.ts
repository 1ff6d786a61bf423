import { afterEach, beforeEach, expect, test } from 'vitest'
import { commandWorld } from '../../test/support/command-world.ts'
import { type ServedCommandLine, servedCommandLine } from '../../test/support/served-command-line.ts'
import { runProgram } from './program.ts'

let weir: ServedCommandLine
beforeEach(async () => {
  weir = await servedCommandLine()
})
afterEach(() => weir.close())

const run = (...args: string[]) => weir.run(['audit', ...args])
const pipeline = async (title: string) => {
  const response = await weir.installation.call({ method: 'POST', url: '/v3/pipeline', payload: { title } })
  return response.json().data.id as string
}

test('weir audit lists changes with their authors, oldest first', async () => {
  const first = await pipeline('Shop')
  const second = await pipeline('Till\u001b[2J')
  const { code, out } = await run('--kind', 'pipeline')
  expect(code).toBe(0)
  const at = new Date(weir.installation.clock.wallMs()).toISOString()
  expect(out).toBe(
    `${at}  first start  created pipeline "Shop" (${first})\n` +
      `${at}  first start  created pipeline "Till\\x1b[2J" (${second})\n`,
  )
})

test('weir audit lists each rule on lines separately', async () => {
  const url = '/v1/config/ingestion/exclusions'
  const payload = { title: 'noise', apps: ['a'] }
  const { id } = (await weir.installation.call({ method: 'POST', url, payload })).json()
  await weir.installation.call({ method: 'PATCH', url: `${url}/${id}`, payload: { active: true } })
  const at = new Date(weir.installation.clock.wallMs()).toISOString()
  expect((await run('--entity', id)).out).toBe(
    `${at}  first start  created exclusion-rule "noise" (${id})\n` +
      `${at}  first start  changed exclusion-rule "noise" (${id}): /active\n`,
  )
})

test('weir audit --limit shows the newest, and --json prints each with before and after', async () => {
  await pipeline('a')
  const id = await pipeline('b')
  await weir.installation.call({ method: 'PUT', url: `/v3/pipeline/${id}`, payload: { title: 'c' } })
  const { out } = await run('--kind', 'pipeline', '--limit', '2', '--json')
  const events = out
    .trim()
    .split('\n')
    .map(text => JSON.parse(text))
  expect(events.map(({ action, before, after }) => [action, before?.title, after.title])).toEqual([
    ['created', undefined, 'b'],
    ['changed', 'b', 'c'],
  ])
})

test('weir audit --follow continues with new changes, each once, until it is stopped', async () => {
  await pipeline('before')
  const world = commandWorld({ env: weir.env })
  const done = runProgram(['audit', '--kind', 'pipeline', '--follow'], world)
  const shows = async (title: string) => {
    while (!world.out().includes(`"${title}"`)) await new Promise(resolve => setImmediate(resolve))
  }
  await shows('before')
  for (const title of ['one', 'two', 'three']) await pipeline(title)
  await shows('three')
  world.stopNow()
  expect(await done).toBe(0)
  expect(world.out().match(/"\w+"/g)).toEqual(['"before"', '"one"', '"two"', '"three"'])
})

test('weir audit reports an invalid filter, and a missing right', async () => {
  expect(await run('--kind', 'nonsense')).toMatchObject({ code: 2, out: '' })
  expect((await run('--from', 'whenever')).code).toBe(2)
  weir.env.WEIR_ACCESS_TOKEN = await weir.installation.user('member')
  expect((await run()).code).toBe(3)
})
