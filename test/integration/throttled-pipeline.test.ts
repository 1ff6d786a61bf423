import { afterEach, beforeEach, expect, test } from 'vitest'
import { DAY_MS } from '../../engine/times/duration.ts'
import { countedLines, eventually, exportedLines } from '../support/exported-lines.ts'
import { freePort } from '../support/free-port.ts'
import { IS_LONG } from '../support/long-form.ts'
import { RunningWeir } from '../support/running-weir.ts'

const LIMIT = 7
/** Rounds after which the program is killed. After the sixth, every bucket has passed some lines and is not yet full. */
const KILLED_AFTER = IS_LONG ? [1, 5, 9] : [5]

let weir: RunningWeir

beforeEach(async () => {
  weir = await RunningWeir.start({ WEIR_PORT: String(await freePort()) })
})

afterEach(() => weir.dispose())

/** ingest → drop debug → throttle by app, alarms excluded → own store */
async function deployThrottle(): Promise<string> {
  const pipeline = await weir.create('/v3/pipeline', { title: 'limited' })
  const source = await weir.create(`/v3/pipeline/${pipeline}/source`, { type: 'log-analysis-ingestion' })
  const filter = await weir.create(`/v3/pipeline/${pipeline}/transform`, {
    type: 'filter',
    inputs: [source],
    user_config: {
      action: 'drop',
      conditional: { expressions: [{ field: '.level', str_operator: 'equal', value: 'debug' }] },
    },
  })
  const throttle = await weir.create(`/v3/pipeline/${pipeline}/transform`, {
    type: 'throttle',
    inputs: [filter],
    user_config: {
      threshold: LIMIT,
      window_ms: DAY_MS,
      key_field: '.app',
      exclude: { expressions: [{ field: '.level', str_operator: 'equal', value: 'alarm' }] },
    },
  })
  await weir.create(`/v3/pipeline/${pipeline}/sink`, { type: 'mezmo', inputs: [throttle], user_config: {} })
  await weir.send('POST', `/v3/pipeline/${pipeline}/publish`, {})
  return pipeline
}

async function post(lines: readonly object[]): Promise<void> {
  const { ingestUrl, ingestionKey } = weir.credentials
  for (;;) {
    try {
      const response = await fetch(`${ingestUrl}/logs/ingest?hostname=web-1`, {
        method: 'POST',
        headers: { apikey: ingestionKey, 'content-type': 'application/json' },
        body: JSON.stringify({ lines }),
      })
      if (response.status === 200) return
      expect(response.status).toBe(503)
    } catch (error) {
      if (error instanceof Error && error.name === 'AssertionError') throw error
    }
    await new Promise(resolve => setTimeout(resolve, 50))
  }
}

test('exactly the limit passes per key, with kill -9 and another publication in between, and alarms always pass', async () => {
  const pipeline = await deployThrottle()
  const apps = Array.from({ length: 20 }, (_, index) => `app-${index}`)
  for (let round = 0; round < 12; round++) {
    const lines = apps.flatMap(app => [
      { line: `round ${round}`, app, level: 'info' },
      { line: `round ${round} debug`, app, level: 'debug' },
    ])
    await post([...lines, { line: `alarm ${round}`, app: 'app-0', level: 'alarm' }])
    if (KILLED_AFTER.includes(round)) {
      await weir.end('SIGKILL')
      await weir.start()
    }
    if (round === 6) {
      await weir.send('PUT', `/v3/pipeline/${pipeline}`, { title: 'limited, renamed' })
      await weir.create(`/v3/pipeline/${pipeline}/transform`, {
        type: 'drop-fields',
        user_config: { fields: ['.none'] },
      })
      await weir.send('POST', `/v3/pipeline/${pipeline}/publish?allow_unconnected_edges=true`, {})
    }
  }
  const expected = apps.length * LIMIT + 12
  await eventually(
    () => countedLines(weir),
    count => count >= expected,
  )
  const { apiUrl } = weir.credentials
  const metrics = await (await fetch(`${apiUrl}/metrics`)).text()
  expect(metrics).toMatch(/^throttle_discarded_total\{pipeline="[^"]+",node="[^"]+"\} [1-9]/m)
  await weir.end('SIGTERM')
  await weir.start()
  const found = await exportedLines(weir)
  expect(found).toHaveLength(expected)
  for (const app of apps) {
    const passed = found
      .filter(line => line._app === app && !line._line.startsWith('alarm'))
      .map(line => line._line)
    expect(passed).toEqual(Array.from({ length: LIMIT }, (_, round) => `round ${round}`))
  }
})
