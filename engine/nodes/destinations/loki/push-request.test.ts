import { expect, test } from 'vitest'
import { Event } from '../../../event/event.ts'
import { pushRequests } from './push-request.ts'

const CONFIG = {
  ...{ endpoint: 'https://loki.example.com', encoding: { codec: 'text' as const } },
  ...{
    auth: { strategy: 'none' as const },
    labels: [{ label_name: 'app', label_value: '{{ metadata.app }}' }],
  },
}

const NAMED = {
  ...CONFIG,
  labels: ['a', 'b'].map(name => ({ label_name: `{{ metadata.${name} }}`, label_value: name })),
}

/** Labels of the streams of events whose metadata name two labels. */
function labelsOf(...sent: readonly Readonly<Record<string, string>>[]): unknown {
  const events = sent.map(metadata => Event.of('text', metadata, '2031-03-09T08:15:30Z'))
  const batch = { id: 'b', events, eventIds: events.map((_, index) => String(index)), closedMs: 0 }
  const [only] = pushRequests(batch, NAMED)
  const { streams } = JSON.parse(String(only?.request.body)) as { streams: { stream: object }[] }
  return streams.map(({ stream }) => stream)
}

function streamsOf(...sent: readonly (readonly [app: string, text: string, timestamp: string])[]): unknown {
  const events = sent.map(([app, text, timestamp]) => Event.of(text, { app }, timestamp))
  const batch = { id: 'b', events, eventIds: events.map((_, index) => String(index)), closedMs: 0 }
  const [only] = pushRequests(batch, CONFIG)
  return JSON.parse(String(only?.request.body)).streams
}

test('entries of a stream are in the order of time, and equal times in the order of the batch', () => {
  const streams = streamsOf(
    ['a', 'third', '2031-03-09T08:15:30.250000002Z'],
    ['b', 'other', '2031-03-09T08:15:30Z'],
    ['a', 'second', '2031-03-09T08:15:30.250000001Z'],
    ['a', 'fourth', '2031-03-09T08:15:30.250000002Z'],
    ['a', 'first', '2031-03-09T08:15:29Z'],
  )
  expect(streams).toEqual([
    {
      stream: { app: 'a' },
      values: [
        ['1930810529000000000', 'first'],
        ['1930810530250000001', 'second'],
        ['1930810530250000002', 'third'],
        ['1930810530250000002', 'fourth'],
      ],
    },
    { stream: { app: 'b' }, values: [['1930810530000000000', 'other']] },
  ])
})

test('an empty label is left out', () => {
  expect(streamsOf(['', 'text', '2031-03-09T08:15:30Z'])).toMatchObject([{ stream: { agent: 'pipeline' } }])
})

test('events share the labels of others only if all of theirs are equal', () => {
  expect(
    labelsOf({ a: 'x', b: 'y' }, { a: 'x1:y' }, { a: 'x1', b: 'y' }, { a: 'x', b: 'y' }, { b: 'y' }, {}),
  ).toEqual([{ x: 'a', y: 'b' }, { x1_y: 'a' }, { x1: 'a', y: 'b' }, { y: 'b' }, { agent: 'pipeline' }])
})

test('an event has its labels also after those of thousands of others', () => {
  const names = [...Array.from({ length: 1_500 }, (_, index) => `n${index}`), 'n0']
  for (let first = 0; first < names.length; first += 500) {
    const some = names.slice(first, first + 500)
    expect(labelsOf(...some.map(a => ({ a })))).toEqual(some.map(name => ({ [name]: 'a' })))
  }
})
