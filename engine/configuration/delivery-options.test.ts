import { expect, test } from 'vitest'
import type { JsonObject } from '../../schemas/json.ts'
import { jsonText } from '../json/json-text.ts'
import { CATALOGUE } from '../nodes/catalogue.ts'
import { DeliveryOptions } from './delivery-options.ts'
import { deadLetterSettings, deployments, revisions } from './entities.ts'
import type { ConfigurationView, Entity, Kind } from './kind.ts'

const LANE = { account: 'a', pipeline: 'p', node: 'out' }
const options = (token: string, uri = 'https://a.example/in', encoding = 'text'): JsonObject => ({
  ...{ ack_enabled: true, uri, encoding, compression: 'none', advanced_options: {} },
  auth: { strategy: 'bearer', token },
})
const sinkOf = (config: JsonObject) => ({
  ...{ id: 'out', kind: 'sink' as const, type: 'http', title: null, inputs: [], user_config: config },
})

/** Revisions of a pipeline by the numbers of their deployments; the last is deployed. */
function configurationOf(kept: Readonly<Record<number, JsonObject>>, isDeployed = true): DeliveryOptions {
  const numbers = Object.keys(kept).map(Number)
  const entityOf = (deployment: number) => ({
    id: `r${deployment}`,
    value: {
      ...{ account: 'a', pipeline: 'p', deployment, createdAtMs: 0 },
      document: {
        ...{ id: 'p', accountId: 'a', title: '', revision: deployment },
        nodes: [sinkOf(kept[deployment] as JsonObject)],
      },
    },
  })
  const entities = new Map<string, unknown>([
    ...numbers.map(number => [`${revisions.name} r${number}`, entityOf(number)] as const),
    [
      `${deployments.name} p`,
      { value: { account: 'a', number: 9, revisionId: isDeployed ? `r${numbers.at(-1)}` : null } },
    ],
    [`${deadLetterSettings.name} p`, { value: { enabled: true, retentionDays: 7, giveUpAfterS: 60 } }],
  ])
  const view: Pick<ConfigurationView, 'get' | 'list'> = {
    get: <Value>({ name }: Kind<Value>, id: string) =>
      entities.get(`${name} ${id}`) as Entity<Value> | undefined,
    list: <Value>() => numbers.map(entityOf) as unknown as Entity<Value>[],
  }
  return new DeliveryOptions(CATALOGUE, view as ConfigurationView)
}

function foundFor(configuration: DeliveryOptions, version: number, config: JsonObject) {
  const inFold = CATALOGUE.foldOptionsOf(sinkOf(config), { id: 'p', revision: 1 })
  return configuration.optionsOf({ lane: LANE, version, type: 'http', options: jsonText(inFold) })
}

test('the options are those of the revision that handed the events over, also after a pause', () => {
  const [first, second] = [options('t', 'https://a.example/1'), options('t', 'https://a.example/2')]
  const configuration = configurationOf({ 1: first, 4: second })
  expect(foundFor(configuration, 1, first)).toEqual({ config: first })
  expect(foundFor(configuration, 3, first)).toEqual({ config: first })
  expect(foundFor(configuration, 5, second)).toEqual({ config: second })
})

test('a renewed credential is used for the same address only', () => {
  const old = options('old')
  expect(foundFor(configurationOf({ 1: old, 2: options('new') }), 1, old)).toEqual({ config: options('new') })
  const moved = configurationOf({ 1: old, 2: options('new', 'https://b.example/in') })
  expect(foundFor(moved, 1, old)).toEqual({ config: old })
})

test('when the revision is no longer kept, the next one with equal options for the fold counts', () => {
  const old = options('t')
  const others = { 5: options('t', undefined, 'json'), 6: options('t', 'https://b.example/in') }
  expect(foundFor(configurationOf(others), 1, old)).toEqual({ config: others[6] })
  expect(foundFor(configurationOf({ 5: others[5] }), 1, old)).toMatchObject({ missing: 'never' })
})

test('events of a deleted pipeline wait for the record that ends their lane', () => {
  const old = options('t')
  expect(foundFor(configurationOf({ 1: old }, false), 1, old)).toMatchObject({ missing: 'later' })
})

test('a pipeline decides when its events are given up, and whether they are kept', () => {
  expect(configurationOf({ 1: options('t') }).settingsOf('p')).toEqual({
    giveUpAfterMs: 60_000,
    keepsLetters: true,
  })
})
