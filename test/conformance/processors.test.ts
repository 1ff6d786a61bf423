import { describe, expect, test } from 'vitest'
import { ERROR_CODES, type ErrorCode, type Report } from '../../engine/event/errors.ts'
import { Event } from '../../engine/event/event.ts'
import {
  Dropped,
  Failed,
  Gathered,
  type Outcome,
  PassedWithError,
  Routed,
  Settled,
  Split,
} from '../../engine/event/outcome.ts'
import { UNMETERED } from '../../engine/expressions/cost-meter.ts'
import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import { checkConfig } from '../../engine/nodes/contract/config-schema.ts'
import type {
  EndedWindow,
  Example,
  LeftOutByTime,
  Processor,
} from '../../engine/nodes/contract/define-processor.ts'
import { finish } from '../../engine/steps.ts'
import type { JsonValue } from '../../schemas/json.ts'

/** No example shows it: they are to be read. */
const TAKES_A_LONG_TEXT: ErrorCode = 'E_EXPRESSION_COST'
const SOME_TIME = '2031-03-09T08:15:30.250Z'

/** Runs the steps of an example one after the other, as one partition would. */
function runExample(processor: Processor, { config, bounds, steps }: Example) {
  const checked = checkConfig(processor.config, config, processor.type)
  if ('problems' in checked) throw new Error(JSON.stringify(checked.problems))
  expect(processor.check?.(checked.stored, {}) ?? []).toEqual([])
  const reported: (readonly [ErrorCode, string | null])[] = []
  const report: Report = (code, { field = null }) => reported.push([code, field])
  let number = 0
  const process = processor.compile(checked.stored, report, UNMETERED, { place: () => `event ${number}` })
  const state = processor.state?.create(1, bounds)
  const release = processor.windows?.release(checked.stored)
  const explain = processor.explain?.(checked.stored)
  return steps.map(step => {
    number++
    reported.length = 0
    const event = Event.of(step.event, step.envelope?.metadata ?? {}, step.envelope?.timestamp ?? SOME_TIME)
    processor.state?.advance(state, step.atMs ?? 0, checked.stored)
    const ended = endedBy(release?.(state, step.atMs ?? 0, step.atMs ?? 0))
    reported.push(...ended.errors)
    const outcome = process(event, state, step.atMs ?? 0)
    const reason = isDropped(outcome) ? (explain?.(event, state, step.atMs ?? 0) ?? null) : undefined
    return { ...ended, outcome, reason, errors: [...reported, ...errorsOf(outcome)] }
  })
}

/** The messages that time gives or leaves out, and the errors on them. */
function endedBy(windows: Iterable<EndedWindow | LeftOutByTime> = []) {
  const released: JsonValue[] = []
  const leftOut: JsonValue[] = []
  const errors: (readonly [ErrorCode, string | null])[] = []
  for (const ended of windows) {
    if (!('reason' in ended)) released.push(ended.event.message)
    else leftOut.push(ended.event.message)
    if ('error' in ended && ended.error !== undefined)
      errors.push([ended.error.code, ended.error.detail.field ?? null])
  }
  return { released, leftOut, errors }
}

function errorsOf(outcome: Outcome): (readonly [ErrorCode, string | null])[] {
  if (outcome instanceof PassedWithError || outcome instanceof Failed)
    return [[outcome.code, outcome.detail.field ?? null]]
  return []
}

function isDropped(outcome: Outcome): boolean {
  if (outcome instanceof Split) return outcome.count === 0
  return outcome instanceof Dropped || (outcome instanceof Settled && outcome.fate === 'dropped')
}

/** The one event that continues. */
function eventOf(outcome: Outcome): Event {
  return outcome instanceof PassedWithError ? outcome.event : (outcome as Event)
}

/** The outcome with plain messages for events. */
function withMessages(outcome: Outcome): unknown {
  if (outcome instanceof Event) return outcome.message
  if (outcome instanceof PassedWithError)
    return new PassedWithError(outcome.event.message, outcome.code, outcome.detail)
  if (outcome instanceof Split)
    return new Split(
      outcome.count,
      [...outcome.events].map(event => event.message),
    )
  if (outcome instanceof Gathered)
    return new Gathered(
      outcome.merged,
      outcome.released.map(event => event.message),
      undefined,
      outcome.copies,
    )
  if (outcome instanceof Settled)
    return new Settled(
      outcome.fate,
      outcome.released.map(event => event.message),
      outcome.leftOut.map(({ event, reason }) => ({ event: event.message, reason })),
    )
  if (outcome instanceof Routed) return new Routed(outcome.event.message, outcome.outputs)
  return outcome
}

describe.each(CATALOGUE.processors.map(processor => [processor.type, processor] as const))(
  '%s',
  (_type, processor) => {
    test.each(processor.examples.map(example => [example.title, example] as const))(
      '%s',
      (_title, example) => {
        const results = runExample(processor, example)
        for (const [index, step] of example.steps.entries()) {
          const result = results[index]
          if (result === undefined) throw new Error('a step was not run')
          expect(withMessages(result.outcome)).toStrictEqual(step.outcome)
          expect(result.released).toStrictEqual(step.released ?? [])
          expect(result.leftOut).toStrictEqual(step.leftOut ?? [])
          expect(result.errors).toEqual(step.errors ?? [])
          if (step.metadataAfter !== undefined)
            expect(eventOf(result.outcome).metadata).toEqual(step.metadataAfter)
          if (step.timestampAfter !== undefined)
            expect(eventOf(result.outcome).timestamp).toBe(step.timestampAfter)
          if (step.annotationsAfter !== undefined)
            expect(eventOf(result.outcome).annotations).toEqual(step.annotationsAfter)
        }
      },
    )

    test('has an example for each declared error, and for no other error', () => {
      const shown = new Set(
        processor.examples.flatMap(example =>
          runExample(processor, example).flatMap(({ errors }) => errors.map(([code]) => code)),
        ),
      )
      const declared = processor.errors.filter(code => code !== TAKES_A_LONG_TEXT)
      expect([...shown].sort()).toEqual(declared.toSorted())
    })

    test('explains each event that an example drops', () => {
      const reasons = processor.examples.flatMap(example =>
        runExample(processor, example).flatMap(({ reason }) => (reason === undefined ? [] : [reason])),
      )
      for (const reason of reasons) expect(reason).toMatchObject({ rule: expect.any(String) as string })
    })

    test('has only declared errors that are in the table of codes', () => {
      for (const code of processor.errors) expect(Object.keys(ERROR_CODES)).toContain(code)
    })

    test('continues from a snapshot of its state, if it has one, without any difference', () => {
      const { state } = processor
      if (state === undefined) return
      for (const { config, bounds, steps } of processor.examples) {
        const process = processor.compile(config, () => {}, UNMETERED)
        const release = processor.windows?.release(config)
        let memory = state.create(1, bounds)
        for (const step of steps) {
          memory = finish(state.restore(finish(state.snapshot(memory)), bounds))
          state.advance(memory, step.atMs ?? 0, config)
          const ended = endedBy(release?.(memory, step.atMs ?? 0, step.atMs ?? 0))
          expect(ended.released).toStrictEqual(step.released ?? [])
          expect(ended.leftOut).toStrictEqual(step.leftOut ?? [])
          const outcome = process(Event.of(step.event, {}, SOME_TIME), memory, step.atMs ?? 0)
          expect(withMessages(outcome)).toStrictEqual(step.outcome as JsonValue)
        }
      }
    })

    test('is found under its type and its aliases', () => {
      for (const type of [processor.type, ...(processor.aliases ?? [])])
        expect(CATALOGUE.processorOf(type)).toBe(processor)
    })
  },
)

test('no two processors share a wire id', () => {
  const types = CATALOGUE.processors.flatMap(({ type, aliases = [] }) => [type, ...aliases])
  expect(new Set(types).size).toBe(types.length)
})
