import Type from 'typebox'
import { expect, test } from 'vitest'
import { defineDestination, defineOwnStore } from './define-destination.ts'

/** A destination without a transport, whose fold reads one of its two options. */
const QUIET = {
  ...{ type: 'quiet', summary: 'Discard every event.', errors: [], examples: [], configs: [] },
  config: Type.Object({ app: Type.String(), url: Type.String() }),
  foldOptions: ['app'],
} as const
const SENDING = { ...QUIET, delivery: 'requests', neverSent: () => undefined, encode: () => [] } as const

test('a destination receives exactly the options that its fold reads', () => {
  const heard: unknown[] = []
  const quiet = defineDestination({
    ...SENDING,
    transport: 'none',
    // @ts-expect-error: the fold does not have the URL.
    neverSent: (_event, { app, url }) => void heard.push(app, url),
    // @ts-expect-error: without a transport, the fold calls this function.
    encode: (_batch, { app, url }) => [void heard.push(app, url)].slice(1) as never[],
    // @ts-expect-error: no transport has the URL, either.
    judge: (_answer, { app, url }) => (heard.push(app, url) > 0 ? 'delivered' : 'again'),
  })
  expect(quiet.foldOptions).toEqual(['app'])
})

test('a destination whose fold reads nothing receives no option there, and all of them in its transport', () => {
  const relay = defineDestination({
    ...SENDING,
    transport: 'relay',
    foldOptions: [],
    // @ts-expect-error: the fold has not a single option.
    neverSent: (_event, { app }) => void app,
    encode: (_batch, { app, url }) => [{ request: `${url}?app=${app}`, events: 1 }],
    judge: (_answer, { url }) => (url === '' ? 'again' : 'delivered'),
  })
  expect([
    ...relay.encode({ id: '', events: [], eventIds: [], closedMs: 0 }, { app: 'a', url: 'u' }),
  ]).toEqual([{ request: 'u?app=a', events: 1 }])
})

test('a destination cannot name an option for the fold that it does not have', () => {
  const other = defineDestination({
    ...SENDING,
    transport: 'none',
    // @ts-expect-error: there is no option "path".
    foldOptions: ['path'],
    judge: () => 'again',
  })
  expect(other.foldOptions).toEqual(['path'])
})

test('an own store is compiled from exactly the options that its fold reads', () => {
  const store = defineOwnStore({
    ...{ ...QUIET, delivery: 'lines' },
    // @ts-expect-error: the fold does not have the URL.
    compile: ({ app, url }) => ({ app, url }) as never,
  })
  expect(store.compile({ app: 'a' })).toEqual({ app: 'a', url: undefined })
})
