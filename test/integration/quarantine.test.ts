import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterEach, expect, test } from 'vitest'
import { runHere } from '../support/command-world.ts'
import { deployEndlessNode, ENDLESS_NODE, toldQuarantine } from '../support/endless-node.ts'
import { countedLines, eventually, exportedLines } from '../support/exported-lines.ts'
import { freePort } from '../support/free-port.ts'
import { RunningWeir } from '../support/running-weir.ts'

const PROGRAM = new URL('../../deploy/bin/weir.mjs', import.meta.url).pathname
/** The rest of a record in a list. */
const QUARANTINED = {
  account: expect.stringMatching(/^[\da-f]{10}$/),
  since: expect.stringMatching(/Z$/),
  by: expect.stringMatching(/.@./),
  complete: true,
}

let weir: RunningWeir | undefined
afterEach(() => weir?.dispose())

/** Runs a command of the program as it is, without the patches. */
async function command(running: RunningWeir, ...args: string[]): Promise<{ code: number; out: string }> {
  const env = { ...running.environment, NODE_OPTIONS: '', SWITCHED_OFF: '[]' }
  const child = spawn(process.execPath, [PROGRAM, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let out = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', chunk => {
      out += String(chunk)
    })
  const [code] = (await once(child, 'close')) as [number]
  return { code, out }
}

async function post(running: RunningWeir, ...lines: string[]): Promise<void> {
  const { ingestUrl, ingestionKey } = running.credentials
  const response = await fetch(`${ingestUrl}/logs/ingest?hostname=web-1`, {
    method: 'POST',
    headers: { apikey: ingestionKey, 'content-type': 'application/json' },
    body: JSON.stringify({ lines: lines.map(line => ({ line })) }),
  })
  expect(response.status).toBe(200)
}

test('a program that stands at a record ends, and continues once that record is in quarantine', async () => {
  const running = await RunningWeir.start({
    WEIR_PORT: String(await freePort()),
    ...ENDLESS_NODE,
  })
  weir = running
  const node = await deployEndlessNode(running)
  await post(running, 'before')
  await eventually(
    () => countedLines(running),
    count => count === 1,
  )
  // The record may stop the program before it answers.
  await post(running, 'endless', 'beside').catch(() => undefined)
  expect(await running.ended()).toBeNull()
  const told = toldQuarantine(running.output)
  const { topic, partition, offset } = told
  expect(told.node).toBe(node)

  // Each start meets the record again.
  await expect(running.start()).rejects.toThrow('before it was ready')
  expect(running.output.split('"level":60')).toHaveLength(3)

  const answer = await command(running, ...told.command)
  expect(answer).toEqual({
    code: 0,
    out: `Record ${offset} of partition ${partition} of ${topic} is in quarantine: its events fail at node ${node}.\n`,
  })
  await running.start()
  await post(running, 'after')
  await eventually(
    () => countedLines(running),
    count => count === 2,
  )
  expect((await exportedLines(running)).map(({ _line }) => _line)).toEqual(['before', 'after'])
  const metrics = await (await fetch(`${running.credentials.apiUrl}/metrics`)).text()
  expect(metrics).toMatch(
    new RegExp(`^component_errors_total\\{.*node="${node}".*code="E_EXPRESSION_COST".*\\} 2$`, 'm'),
  )
  expect(metrics).toMatch(/^weir_script_call_steps_max 0$/m)

  const record = { topic: `weir.${topic}`, partition: Number(partition), offset: Number(offset), node }
  const listed = await running.get<{ data: object[] }>('/v3/system/quarantine')
  expect(listed.data).toEqual([{ ...record, ...QUARANTINED }])

  // The server does these commands.
  const inServer = (...args: string[]) => runHere(args, running.environment)
  const list = await inServer('quarantine', '--list', '--json')
  expect(JSON.parse(list.out)).toEqual(listed.data[0])
  expect((await inServer('verify')).code).toBe(0)
  const passed = await inServer('quarantine', `ingest/${partition}/${offset}`, 'another')
  expect([passed.code, passed.err]).toEqual([2, expect.stringContaining('was processed already')])
  await running.end('SIGTERM')
  const verified = await command(running, 'verify')
  expect([verified.code, verified.out]).toEqual([0, expect.stringContaining('OK: the store agrees')])
})
