import { Event } from '../../engine/event/event.ts'
import { EventMeter, UNMETERED } from '../../engine/expressions/cost-meter.ts'
import { ExpressionAllowance, ExpressionBudget } from '../../engine/expressions/expression-budget.ts'
import { jsScript } from '../../engine/nodes/processors/js-script.ts'
import { compileScript } from '../../engine/scripts/compile-script.ts'
import { MAX_STEPS } from '../../engine/scripts/script-run.ts'
import type { JsonObject } from '../../schemas/json.ts'
import { COSTLY_MESSAGE, COSTLY_SCRIPTS } from './costly-scripts.ts'
import type { Report } from './figure.ts'

const EVENTS = 2_000
const ROUNDS = 30
const WARM_UP_ROUNDS = 20
const CALLS = 30
const WARM_UP_CALLS = 10

const ORDINARY = `function f(msg, meta) {
  if (msg.level == 'debug' || msg.path.startsWith('/health')) { return null }
  msg.level = msg.level.toUpperCase()
  msg.slow = msg.duration > 1000
  msg.seconds = msg.duration / 1000
  msg.password = null
  msg.user.email = undefined
  meta.team = 'backend'
  msg.title = msg.method + ' ' + msg.path + ' ' + msg.status.toString()
  return msg
}`

export const summary = `The benchmark runs scripts of users. An ordinary script of ten statements runs on events of 280 bytes that are already parsed; the floor parses and prints the JSON of the event. Then scripts take all ${MAX_STEPS.toLocaleString('en')} steps of an event with one part of the language each; the figure is the longest of their average times.`

export async function run(report: Report): Promise<void> {
  reportOrdinary(report)
  reportCostly(report)
}

function reportOrdinary(report: Report): void {
  const texts = Array.from({ length: EVENTS }, (_, index) => JSON.stringify(messageOf(index)))
  const events = texts.map(text => Event.of(JSON.parse(text) as JsonObject, {}, '2031-03-09T08:15:30.250Z'))
  const allowance = new ExpressionAllowance(new ExpressionBudget())
  const meter = new EventMeter()
  meter.open(allowance, undefined)
  const processEvent = jsScript.compile({ script: ORDINARY }, () => {}, meter)
  const rates: number[] = []
  const floors: number[] = []
  let passed = 0
  for (let round = 0; round < WARM_UP_ROUNDS + ROUNDS; round++) {
    allowance.begin(round, 0)
    const seconds = secondsOf(() => {
      for (const [index, event] of events.entries()) {
        meter.begin(index)
        if (processEvent(event, undefined, 0) instanceof Event) passed++
      }
    })
    const floor = secondsOf(() => {
      for (const text of texts) JSON.stringify(JSON.parse(text))
    })
    if (round < WARM_UP_ROUNDS) continue
    rates.push(EVENTS / seconds)
    floors.push(EVENTS / floor)
  }
  if (passed !== EVENTS * (WARM_UP_ROUNDS + ROUNDS)) throw new Error('an ordinary script failed')
  const floor = { name: 'JSON.parse and JSON.stringify of the event', values: floors }
  report({ name: 'script of ten statements', unit: 'events/s', values: rates, floor })
}

function messageOf(index: number): JsonObject {
  return {
    ...{ level: 'info', path: `/api/orders/${index}`, method: 'GET', status: 200, duration: 1234.5 + index },
    ...{ password: 'x', user: { email: 'a@example.org', id: index }, trace: 'abcdef0123456789'.repeat(4) },
    agent: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36',
  }
}

function reportCostly(report: Report): void {
  let longest = { title: '', values: [0], mean: 0 }
  for (const [title, text] of Object.entries(COSTLY_SCRIPTS)) {
    const script = compileScript(text)
    const surroundings = { nowMs: 0, stateVariable: () => null, search: UNMETERED.count }
    const call = () => script.call([COSTLY_MESSAGE], surroundings, MAX_STEPS)
    for (let warm = 0; warm < WARM_UP_CALLS; warm++) call()
    const values = Array.from({ length: CALLS }, () => 1_000 * secondsOf(call))
    const mean = values.reduce((sum, each) => sum + each, 0) / CALLS
    if (mean > longest.mean) longest = { title, values, mean }
  }
  report({ name: `all steps of an event: ${longest.title}`, unit: 'ms', values: longest.values })
}

function secondsOf(work: () => void): number {
  const start = process.hrtime.bigint()
  work()
  return Number(process.hrtime.bigint() - start) / 1e9
}
