import { afterEach, beforeEach, expect, test } from 'vitest'
import { type CommandLine, commandLine } from '../../../test/support/command-line.ts'

const ID = '0d5c8f3e-5f0f-4d0e-9a53-1f6f1f6b7a11'
const PROFILE = {
  run: { state: 'running', started_at: '2031-03-09T08:15:30.000Z', events: 3 },
  events: 5,
  templates: [
    { template: 'oven <*> at <*>', lines: 4 },
    { template: 'x\u001b[2J', lines: 1 },
  ],
  fields: [
    {
      field: '.app',
      events: 4,
      share: 0.8,
      values: [
        { value: 'oven', events: 3 },
        { value: 'door', events: 1 },
      ],
    },
  ],
  apps: [
    { name: 'oven', lines: 3 },
    { name: null, lines: 1 },
  ],
  hosts: [],
  levels: [],
  event_types: [],
}

let line: CommandLine
let nodes: object[]
beforeEach(async () => {
  line = await commandLine()
  nodes = [
    { id: 'f', type: 'filter' },
    { id: 'n', type: 'data-profiler' },
  ]
  line.reply = ({ url: { pathname } }) => {
    if (pathname.endsWith('/transform')) return { body: { data: nodes } }
    if (pathname.endsWith('/reset')) return { body: { data: { reset_at: 'now', in_effect: true } } }
    return { body: { data: pathname.endsWith('/profile') ? PROFILE : [{ id: ID, title: 'Shop' }] } }
  }
})
afterEach(() => line.close())

const lastRequest = () => {
  const { method, url } = line.service.requests.at(-1) as { method: string; url: URL }
  return `${method} ${url.pathname}${url.search}`
}

test('weir pipeline profile shows the profile of the only data-profiler, without control characters', async () => {
  const { code, out } = await line.run(['pipeline', 'profile', 'Shop'])
  expect(code).toBe(0)
  expect(out.split('\n')).toEqual([
    '5 events; the run is running since 2031-03-09T08:15:30.000Z, with 3 events.',
    '',
    'LINES  TEMPLATE',
    '    4  oven <*> at <*>',
    '    1  x\\x1b[2J',
    '',
    'EVENTS   SHARE  FIELD  VALUES',
    '     4  80.0 %  .app   oven (3), door (1)',
    '',
    'LINES  APP',
    '    3  oven',
    '    1  (others)',
    '',
  ])
  expect(lastRequest()).toBe(`GET /v3/pipeline/${ID}/transform/n/profile?limit=20`)
  const json = await line.run(['pipeline', 'profile', ID, '--node', 'm', '-n', '5', '--json'])
  expect(JSON.parse(json.out)).toEqual(PROFILE)
  expect(lastRequest()).toBe(`GET /v3/pipeline/${ID}/transform/m/profile?limit=5`)
})

test('weir pipeline profile --reset empties it', async () => {
  const { code, out } = await line.run(['pipeline', 'profile', 'Shop', '--reset'])
  expect([code, out]).toEqual([0, 'The profile is empty. The next event begins a run.\n'])
  expect(lastRequest()).toBe(`POST /v3/pipeline/${ID}/transform/n/profile/reset`)
  const json = await line.run(['pipeline', 'profile', 'Shop', '--reset', '--json'])
  expect(JSON.parse(json.out)).toEqual({ reset_at: 'now', in_effect: true })
})

test('a pipeline with none, or with several, needs another choice', async () => {
  nodes = [{ id: 'f', type: 'filter' }]
  const none = await line.run(['pipeline', 'profile', 'Shop'])
  expect([none.code, none.err]).toEqual([2, 'weir: The pipeline has no data-profiler.\n'])
  nodes = ['n', 'm'].map(id => ({ id, type: 'data-profiler' }))
  const { code, err } = await line.run(['pipeline', 'profile', 'Shop'])
  expect([code, err]).toEqual([
    2,
    'weir: The pipeline has several data-profilers: give one of n, m with --node.\n',
  ])
})
