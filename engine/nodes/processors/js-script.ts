import Type from 'typebox'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../schemas/json.ts'
import { TWELFTH_BEHAVIOUR } from '../../../schemas/log/behaviour-numbers.ts'
import type { Event } from '../../event/event.ts'
import { drop, Failed, fail, pass } from '../../event/outcome.ts'
import { UNMETERED } from '../../expressions/cost-meter.ts'
import {
  compileScript,
  compilingScript,
  type Script,
  type ScriptResult,
} from '../../scripts/compile-script.ts'
import { placeOf } from '../../scripts/script-problem.ts'
import { HOLDS_ITSELF, MAX_STEPS, TOO_LONG_TEXT, TOO_MANY_STEPS } from '../../scripts/script-run.ts'
import { scriptRunProblem } from '../../scripts/script-run-problem.ts'
import { canonicalTimeIn } from '../../scripts/script-times.ts'
import type { Steps } from '../../steps.ts'
import { ScriptText } from '../contract/config-schema.ts'
import { defineProcessor } from '../contract/define-processor.ts'
import { callScript } from '../options/script-call.ts'

const SCRIPT = `function tidy(message, metadata) {
  if (message.kind != 'oven') { return null }
  message.label = (message.kind + '-' + message.number.toString()).toUpperCase()
  message.raw = null
  metadata.tidied = 'yes'
  return message
}
`

/** Indexes of the parameters whose values at the end become a part of the event. */
const KEPT = [1, 2]
/** Explanations repeat a call that was within its limits. */
const ANY_STEPS = { ...UNMETERED, stepsLeft: () => MAX_STEPS }

/**
 * Script: one function of the user's per event. Its value becomes the message; null, or none, drops the event. Changes of the
 * metadata are kept, and a time that is assigned to the timestamp. A call that exceeds a limit fails the event. Rules:
 * components, section 5.11. Our choice: another object that is assigned to the metadata becomes the metadata.
 */
export const jsScript = defineProcessor({
  type: 'js-script',
  aliases: ['script-execution'],
  summary: 'Run a function of your own on each event.',
  since: TWELFTH_BEHAVIOUR,
  notes: [
    'The language, its differences from JavaScript and its limits are described in [scripts](scripts.md). A script has at most 65,536 bytes.',
  ],
  config: Type.Object(
    {
      script: ScriptText({
        description: 'One JavaScript function of message, metadata, timestamp and annotations',
      }),
    },
    { additionalProperties: false },
  ),
  errors: ['E_SCRIPT_FAILED', 'E_EXPRESSION_COST'],

  *runProblems({ script }: { readonly script: unknown }) {
    // The options of a node that is being edited may be incomplete.
    const problem = typeof script === 'string' ? yield* scriptRunProblem(script) : undefined
    if (problem === undefined) return
    const { message, line, column } = problem
    yield {
      instancePath: '/script',
      message: `script cannot run: ${message} (line ${line}, column ${column})`,
    }
  },

  compile({ script: text }, _report, meter, { stateVariable } = {}) {
    let script: Script | undefined
    let compiling: Steps<Script> | undefined
    return (event, _state, nowMs) => {
      // A long script takes milliseconds to compile, and many nodes never meet an event.
      if (script === undefined) {
        compiling ??= compilingScript(text, KEPT)
        script = meter.prepared(compiling)
      }
      const result = callScript(script, count => valuesOf(event, count), nowMs, meter, stateVariable)
      if (result instanceof Failed) return result
      return result.value === null ? drop() : pass(eventAfter(event, result))
    }
  },

  explain({ script: text }, stateVariable) {
    let script: Script | undefined
    return (event, _state, nowMs) => {
      script ??= compileScript(text, KEPT)
      const result = callScript(script, count => valuesOf(event, count), nowMs, ANY_STEPS, stateVariable)
      if (result instanceof Failed || result.returnedAt === undefined)
        return { rule: 'the function ended without a value' }
      const { line, column } = placeOf(text, result.returnedAt)
      return { rule: 'the function returned null', line, column }
    }
  },

  configs: [{ sent: { script: SCRIPT } }],

  examples: [
    {
      title: 'the returned value becomes the message, and null drops the event',
      config: { script: SCRIPT },
      steps: [
        {
          event: { kind: 'oven', number: 4, raw: 'zz' },
          outcome: pass({ kind: 'oven', number: 4, label: 'OVEN-4' }),
          metadataAfter: { tidied: 'yes' },
        },
        { event: { kind: 'door' }, outcome: drop() },
        { event: { kind: 'oven' }, outcome: pass({ kind: 'oven', label: 'OVEN-' }) },
        {
          event: { kind: 'oven', number: 'straße ǆ' },
          outcome: pass({ kind: 'oven', number: 'straße ǆ', label: 'OVEN-STRASSE Ǆ' }),
        },
      ],
    },
    {
      title:
        'a function that ends without a value drops the event, also where types do not fit what it returns',
      config: { script: 'function f(message) { return message.number + 1 }' },
      steps: [
        { event: { number: 4 }, outcome: pass(5) },
        { event: { number: '4' }, outcome: drop() },
      ],
    },
    {
      title: 'types that do not fit make a statement do nothing, and a comparison false',
      config: {
        script: `function f(message) {
  message.next = message.number + 1
  if (message.number > 3) { message.size = 'large' } else { message.size = 'small' }
  return message
}`,
      },
      steps: [
        { event: { number: 4 }, outcome: pass({ number: 4, next: 5, size: 'large' }) },
        { event: { number: 'four' }, outcome: pass({ number: 'four', size: 'small' }) },
        { event: 'a text', outcome: pass('a text') },
      ],
    },
    {
      title: 'missing members are null, parents are created, and null or undefined remove a member',
      config: {
        script: `function f(message) {
  message.place.door.open = message.no.such.member == undefined
  message.first = null
  message.second = undefined
  return message
}`,
      },
      steps: [
        {
          event: { first: 1, second: 2, third: null },
          outcome: pass({ third: null, place: { door: { open: true } } }),
        },
      ],
    },
    {
      title: 'the timestamp can be set, in several forms, and the time is that of the record',
      config: {
        // Quotes, because a test finds the name of the clock elsewhere.
        script: [
          'function f(message, metadata, timestamp) {',
          '  message.was = timestamp',
          '  message.now = Date.now()',
          '  timestamp = message.at',
          '  return message',
          '}',
        ].join('\n'),
      },
      steps: [
        {
          event: { at: '2031/03/09 09:15:30.5+01' },
          atMs: 1_000,
          outcome: pass({ at: '2031/03/09 09:15:30.5+01', was: '2031-03-09T08:15:30.250Z', now: 1_000 }),
          timestampAfter: '2031-03-09T08:15:30.500Z',
        },
        {
          event: { at: 'noon' },
          outcome: pass({ at: 'noon', was: '2031-03-09T08:15:30.250Z', now: 0 }),
          timestampAfter: '2031-03-09T08:15:30.250Z',
        },
      ],
    },
    {
      title:
        'lengths and positions count characters beyond U+FFFF once, and large integers keep their digits',
      config: {
        script: `function f(message) {
  message.length = message.text.length
  message.part = message.text.slice(-2)
  message.copy = message.id
  return message
}`,
      },
      steps: [
        {
          event: { text: 'a😀b', id: 9007199254740993n },
          outcome: pass({
            text: 'a😀b',
            id: 9007199254740993n,
            length: 3,
            part: '😀b',
            copy: 9007199254740993n,
          }),
        },
      ],
    },
    {
      title: 'a text is parsed by a grok pattern; nothing matches: the value is null',
      config: {
        script: `function f(message) {
  const found = parseGrok(message.line, '%{WORD:part} %{INT:number}')
  if (found == null) { message.unparsed = true } else { message.part = found.part; message.number = parseInt(found.number) }
  return message
}`,
      },
      steps: [
        { event: { line: 'oven 4' }, outcome: pass({ line: 'oven 4', part: 'oven', number: 4 }) },
        { event: { line: 'oven' }, outcome: pass({ line: 'oven', unparsed: true }) },
      ],
    },
    {
      title: 'a call that exceeds a limit fails the event, and so does a value that contains itself',
      config: {
        script: `function f(message) {
  if (message.way == 'endless') { let list = [1]; for (const each of list) { list.push(each) } }
  if (message.way == 'long') { return 'x'.repeat(1048577) }
  message.self = message
  return message
}`,
      },
      steps: ['endless', 'long', 'round'].map((way, index) => ({
        event: { way },
        outcome: fail('E_SCRIPT_FAILED', {
          cause: [TOO_MANY_STEPS, TOO_LONG_TEXT, HOLDS_ITSELF][index]?.message ?? '',
        }),
        errors: [['E_SCRIPT_FAILED', null]] as const,
      })),
    },
  ],
})

/** Values for the first parameters. */
function valuesOf(event: Event, count: number): JsonValue[] {
  const values: JsonValue[] = []
  if (count > 0) values.push(event.message)
  if (count > 1) values.push(event.metadata)
  if (count > 2) values.push(event.timestamp)
  if (count > 3) values.push(event.annotations ?? null)
  return values
}

/** The event after a call. It is the same event when nothing has changed. */
function eventAfter(event: Event, { value, kept: [metadata, timestamp] }: ScriptResult): Event {
  let after = event
  // The message of an unchanged line is not touched: only a new value replaces it.
  if (value !== event.message) after = after.withMessage(value)
  if (metadata !== undefined && metadata !== event.metadata && isJsonObject(metadata))
    after = after.withMetadata(metadata as JsonObject)
  if (typeof timestamp !== 'string' || timestamp === event.timestamp) return after
  const time = canonicalTimeIn(timestamp)
  return time === undefined ? after : after.withTimestamp(time)
}
