import { afterEach, beforeEach, expect, test } from 'vitest'
import { type CommandLine, commandLine } from '../../../test/support/command-line.ts'

const ID = '0d5c8f3e-5f0f-4d0e-9a53-1f6f1f6b7a11'

let line: CommandLine
let state: object
beforeEach(async () => {
  line = await commandLine()
  state = { operational_state: 'normal', colour: 'red' }
  line.reply = ({ method, url: { pathname }, body }) => {
    if (pathname === '/v3/pipeline') return { body: { data: [{ id: ID, title: 'Shop' }] } }
    if (method === 'PUT') state = JSON.parse(String(body)).state
    return { body: { data: method === 'PUT' ? { pipeline_id: ID, state } : [{ pipeline_id: ID, state }] } }
  }
})
afterEach(() => line.close())

test('weir pipeline state shows the variables', async () => {
  const { code, out } = await line.run(['pipeline', 'state', 'Shop'])
  expect([code, out]).toEqual([0, 'operational_state=normal\ncolour=red\n'])
  const { url } = line.service.requests.at(-1) as { url: URL }
  expect(url.pathname + url.search).toBe(`/v3/pipeline/state-variable?pipeline_id=${ID}`)
  expect(JSON.parse((await line.run(['pipeline', 'state', ID, '--json'])).out)).toEqual(state)
})

test('values are set beside the other variables, and an empty one removes its variable', async () => {
  const { code, out } = await line.run(['pipeline', 'state', 'Shop', 'incident', 'shift=night'])
  expect([code, out]).toEqual([0, 'operational_state=incident\ncolour=red\nshift=night\n'])
  const { method, url } = line.service.requests.at(-1) as { method: string; url: URL }
  expect([method, url.pathname]).toEqual(['PUT', `/v3/pipeline/state-variable/${ID}`])
  const without = await line.run(['pipeline', 'state', 'Shop', 'colour=', '--json'])
  expect(JSON.parse(without.out)).toEqual({ operational_state: 'incident', shift: 'night' })
})
