import { setImmediate } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { CutsInEffect } from '../schemas/log/deployed-configuration.ts'
import { type TestInstallation, testInstallation } from '../test/support/test-installation.ts'

/** Turns of the event loop in which an answer that does not wait would come. */
const TURNS = 20

type Sent = readonly [method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', url: string, payload?: object]

/** Tells when cuts are in effect: not before the test says so. */
class HeldCuts implements CutsInEffect {
  /** Cuts that were waited for, and not released yet. */
  readonly waiting: { readonly cut: string; release(): void }[] = []
  /** Whether every cut is in effect at once. */
  isOpen = true

  cutVersion(): undefined {}

  versionOnLog(): undefined {}

  whenInEffect(account: string, kind: string, entity: string, version: number): Promise<boolean> {
    if (this.isOpen) return Promise.resolve(true)
    const { promise, resolve } = Promise.withResolvers<boolean>()
    this.waiting.push({ cut: `${account} ${kind} ${entity} ${version}`, release: () => resolve(true) })
    return promise
  }
}

let installation: TestInstallation
let pipeline: string
let throttle: string
let profiler: string
const cuts = new HeldCuts()

beforeAll(async () => {
  installation = await testInstallation({ inEffect: cuts })
  pipeline = await created('/v3/pipeline', { title: 'p' })
  const source = await created(`/v3/pipeline/${pipeline}/source`, { type: 'log-analysis-ingestion' })
  const add = (kind: string, type: string, inputs: string[], user_config: object) =>
    created(`/v3/pipeline/${pipeline}/${kind}`, { type, inputs, user_config })
  throttle = await add('transform', 'throttle', [source], {
    threshold: 1,
    window_ms: 1_000,
    key_field: '.app',
  })
  profiler = await add('transform', 'data-profiler', [throttle], {
    app_fields: ['.app'],
    host_fields: ['.host'],
    level_fields: ['.level'],
    line_fields: ['.line'],
  })
  await add('sink', 'log-analysis', [profiler], {})
})
afterAll(() => installation.app.close())

async function created(url: string, payload: object): Promise<string> {
  const response = await send('POST', url, payload)
  expect(response.statusCode, response.body).toBe(200)
  return response.json().data.id
}

function send(...[method, url, payload]: Sent) {
  return installation.call({ method, url, ...(payload && { payload }) })
}

/** Changes of how lines are handled, in their order, by the kind of their cut. */
const CHANGES: Record<string, () => Sent> = {
  'pipeline: a publication': () => ['POST', `/v3/pipeline/${pipeline}/publish`, {}],
  'pipeline: a pause': () => ['POST', `/v3/pipeline/${pipeline}/pause`, {}],
  'pipeline: a resumption': () => ['POST', `/v3/pipeline/${pipeline}/resume`, {}],
  'dead-letter: that failed events are kept': () => [
    'PUT',
    `/v3/pipeline/${pipeline}/dead-letter`,
    { enabled: true },
  ],
  'exemption: of a key': () => [
    'PUT',
    `/v3/pipeline/${pipeline}/transform/${throttle}/exemption`,
    { key: 'noisy', minutes: 60 },
  ],
  'exemption: its end': () => [
    'DELETE',
    `/v3/pipeline/${pipeline}/transform/${throttle}/exemption?key=noisy`,
  ],
  'profile-reset: of a profile': () => [
    'POST',
    `/v3/pipeline/${pipeline}/transform/${profiler}/profile/reset`,
    {},
  ],
  'state-variables: of a pipeline': () => [
    'PUT',
    `/v3/pipeline/state-variable/${pipeline}`,
    { pipeline_id: pipeline, state: { operational_state: 'incident' } },
  ],
  'line-rules: an exclusion': () => [
    'POST',
    '/v1/config/ingestion/exclusions',
    { title: 'noise', active: true, apps: ['noisy'] },
  ],
  'line-rules: a retention rule': () => [
    'POST',
    '/v1/config/retention-rules',
    { name: 'short', priority: 1, days: 3, active: true, level: 'debug' },
  ],
  'account: the retention': () => ['PUT', '/v1/config/retention', { days: 365 }],
  'pipeline: a deletion': () => ['DELETE', `/v3/pipeline/${pipeline}`],
}

test('a change of how lines are handled is answered once the next line meets it', async () => {
  for (const [name, change] of Object.entries(CHANGES)) {
    const sent = change()
    cuts.isOpen = false
    let isAnswered = false
    const answer = send(...sent).finally(() => {
      isAnswered = true
    })
    while (!isAnswered && cuts.waiting.length === 0) await setImmediate()
    for (let turn = 0; turn < TURNS; turn++) await setImmediate()
    const account = installation.credentials.accountId
    const waitedFor = cuts.waiting.map(({ cut }) => cut)
    expect([name, isAnswered, waitedFor]).toEqual([
      name,
      false,
      [expect.stringMatching(`^${account} ${name.split(':', 1)[0]} `)],
    ])
    cuts.isOpen = true
    for (const { release } of cuts.waiting.splice(0)) release()
    const { statusCode, body } = await answer
    expect([name, statusCode, body]).toEqual([name, 200, expect.any(String)])
  }
})
