import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import type { NodeKind } from '../../engine/nodes/contract/catalogue.ts'
import { type TestInstallation, testInstallation } from '../../test/support/test-installation.ts'

const CONDITIONAL = { expressions: [{ field: '.level', str_operator: 'equal', value: 'debug' }] }
/** Every type of the contract, with valid options. */
const TYPES = (Object.keys(CATALOGUE.declarations) as NodeKind[]).flatMap(kind =>
  CATALOGUE.declarations[kind].map(({ type, configs }) => [kind, type, configs[0]?.sent ?? {}] as const),
)

let installation: TestInstallation
let pipeline: string
/** A stored node of every type. */
const ids = new Map<string, string>()

const send = async (method: 'POST' | 'PUT', path: string, payload: object) => {
  const url = `/v3/pipeline${path}`
  const response = await installation.call({
    method,
    url,
    headers: { 'content-type': 'application/json' },
    payload,
  })
  return { status: response.statusCode, body: response.json() }
}

beforeAll(async () => {
  installation = await testInstallation()
  pipeline = (await send('POST', '', { title: 'P' })).body.data.id
  for (const [kind, type, config] of TYPES) {
    const { status, body } = await send('POST', `/${pipeline}/${kind}`, { type, user_config: config })
    expect([type, status, body.errors]).toEqual([type, 200, undefined])
    ids.set(`${kind} ${type}`, body.data.id)
  }
})
afterAll(() => installation.app.close())

const rule = (change: object) => ({ conditionals: [{ label: 'a', conditional: CONDITIONAL, ...change }] })

test('70,000 unknown inputs are refused at once, the first thousand with a pointer', async () => {
  const inputs = Array.from({ length: 70_000 }, (_, input) => input.toString(36))
  const startedMs = performance.now()
  const { status, body } = await send('POST', `/${pipeline}/sink`, { type: 'blackhole', inputs })
  expect([status, body.code, body.errors.length]).toEqual([400, 'EVALIDATION', 1_000])
  expect(body.message).toMatch(/ \(and at least 69999 more\)$/)
  // Comparing each with all earlier ones took 20 s, during which no other request was answered.
  expect(performance.now() - startedMs).toBeLessThan(10_000)
})

describe('200,000 wrong options are refused at once, the first thousand with a pointer', () => {
  const many = <Value>(valueAt: (index: number) => Value) =>
    Array.from({ length: 200_000 }, (_, at) => valueAt(at))
  const condition = { expressions: [{}] }

  test.each<[string, string, object, string]>([
    ['bad paths', 'compact-fields', { fields: many(() => 'x').slice(0, 1_000) }, '/user_config/fields/999'],
    [
      'rules without a field',
      'route',
      { conditionals: many(() => ({ label: 'a', conditional: condition })).slice(0, 1_000) },
      '/user_config/conditionals/499/conditional/expressions/0',
    ],
    [
      'leaves of one condition',
      'filter',
      { action: 'allow', conditional: { expressions: many(() => 0).slice(0, 1_000) } },
      '/user_config/conditional/expressions/999',
    ],
    [
      'options that nobody knows',
      'unroll',
      { field: '.a', ...Object.fromEntries(many(at => [at.toString(36), 0]).slice(0, 9_999)) },
      '/user_config',
    ],
  ])('%s', async (_name, type, userConfig, pointer) => {
    const before = process.threadCpuUsage()
    const { status, body } = await send('POST', `/${pipeline}/transform`, { type, user_config: userConfig })
    expect([status, body.code, body.errors.length]).toEqual([400, 'EVALIDATION', 1_000])
    expect(body.errors.at(-1).instancePath).toBe(pointer)
    expect(body.message).toMatch(/ \(and at least 999 more\)$/)
    // One of them took 85 s, during which no other request was answered. Most of the remaining time is reading the body.
    const { user, system } = process.threadCpuUsage(before)
    expect((user + system) / 1_000).toBeLessThan(2_000)
  })
})

test('a list of 100,000 options is refused with one sentence', async () => {
  const fields = Array<string>(100_000).fill('.a')
  const node = { type: 'drop-fields', user_config: { fields } }
  const { status, body } = await send('POST', `/${pipeline}/transform`, node)
  expect([status, body.code]).toEqual([400, 'EVALIDATION'])
  expect(body.errors).toEqual([
    {
      instancePath: '/user_config',
      message: 'the list "fields" has 100,000 entries: it may have at most 1,000. Use several nodes',
    },
  ])
})

test('a file with 20,000 unknown inputs is refused, the first thousand with a pointer', async () => {
  const destinations = Array.from({ length: 20 }, (_, node) => ({
    name: `d${node}`,
    type: 'blackhole',
    inputs: Array.from({ length: 1_000 }, (_, input) => input.toString(36)),
  }))
  const file = { weir: 'pipeline/1', title: 'F', destinations }
  const { status, body } = await send('PUT', '/import?dry_run=true', file)
  expect([status, body.code, body.errors.length]).toEqual([400, 'EVALIDATION', 1_000])
})

test('a file of 600 nodes with 600 inputs each, which kept all other requests waiting, has too many inputs', async () => {
  const processors = Array.from({ length: 600 }, (_, node) => ({
    name: node.toString(36),
    type: 'drop-fields',
    config: { fields: ['.x'] },
    inputs: Array.from({ length: 600 }, (_, input) => input.toString(36)),
  }))
  const file = { weir: 'pipeline/1', title: 'F', processors }
  const { status, body } = await send('PUT', '/import', file)
  expect([status, body.errors]).toEqual([
    400,
    [{ instancePath: '', message: 'must NOT have more than 20000 inputs in total' }],
  ])
})

describe('a file of 300 KB whose answer had 300 MB', () => {
  const name = 'n'.repeat(300_000)
  const members = Object.fromEntries(Array.from({ length: 1_500 }, (_, at) => [`x${at}`, 1]))
  const conditionals = Array.from({ length: 300 }, (_, at) => ({
    label: `${at}${'l'.repeat(200)}`,
    conditional: CONDITIONAL,
  }))
  const source = { name: 's', type: 'http' }
  const split = { name: 'split', type: 'route', inputs: ['s'], config: { conditionals } }
  const inputs = Array.from({ length: 900 }, (_, at) => `split.no${at}`)
  const quoted = `must NOT have additional properties: '${'n'.repeat(100)}…'`

  test.each<[string, object, readonly [pointer: string, message: string]]>([
    [
      'a long name of an output with a thousand wrong expectations',
      { sources: [source], tests: [{ name: 't', events: [], expect: { [name]: members } }] },
      [`/tests/0/expect/${name}`, 'must be the name of a source or a processor of the file'],
    ],
    [
      'a long name of an expectation',
      { sources: [source], tests: [{ name: 't', events: [], expect: { s: { [name]: 1 } } }] },
      ['/tests/0/expect/s', quoted],
    ],
    [
      'a long name of an option',
      { sources: [{ ...source, config: { [name]: 1, ...members } }] },
      ['/sources/0/config', quoted],
    ],
    ['a long name of a member', { sources: [source], [name]: 1, ...members }, ['', quoted]],
    [
      'many wrong inputs, and many outputs that they could have meant',
      { sources: [source], processors: [split, { name: 'd', type: 'stringify', inputs }] },
      [
        '/processors/1/inputs/0',
        expect.stringMatching(/^must be one of split\._unmatched, (split\.[0-9]+l+…, ){19}… \(281 more\)$/),
      ],
    ],
  ])('%s', async (_name, file, [instancePath, message]) => {
    const { status, body } = await send('PUT', '/import', { weir: 'pipeline/1', title: 'F', ...file })
    expect([status, body.code]).toEqual([400, 'EVALIDATION'])
    expect(body.errors[0]).toEqual({ instancePath, message })
    expect(JSON.stringify(body).length).toBeLessThan(700_000)
  })
})

describe('a route', () => {
  test.each<[string, unknown, string]>([
    ['no rules', { conditionals: [] }, '/user_config/conditionals'],
    ['no options', {}, '/user_config'],
    ['null', null, '/user_config'],
    ['rules that are null', { conditionals: null }, '/user_config/conditionals'],
    ['a number as rule', { conditionals: [5] }, '/user_config/conditionals/0'],
    ['an empty rule', { conditionals: [{}] }, '/user_config/conditionals/0'],
    ['a label of 256 characters', rule({ label: 'x'.repeat(256) }), '/user_config/conditionals/0/label'],
    ['a number as name', rule({ _output_name: 5 }), '/user_config/conditionals/0/_output_name'],
    ['a member nobody knows', rule({ x: 1 }), '/user_config/conditionals/0'],
    [
      'a bad path',
      rule({ conditional: { expressions: [{ field: 'bad path', str_operator: 'exists' }] } }),
      '/user_config/conditionals/0/conditional/expressions/0/field',
    ],
  ])('with %s is 400 with a pointer, new or stored', async (_name, userConfig, pointer) => {
    for (const [method, path] of [
      ['POST', `/${pipeline}/transform`],
      ['PUT', `/${pipeline}/transform/${ids.get('transform route')}`],
    ] as const) {
      const { status, body } = await send(method, path, { type: 'route', user_config: userConfig })
      expect([method, status]).toEqual([method, 400])
      expect(body.errors.map(({ instancePath }: { instancePath: string }) => instancePath)).toContain(pointer)
    }
  })
})

test('a title that is not a text is reported together with an unknown type', async () => {
  for (const title of [{ toString: 1 }, [null], 5]) {
    const { status, body } = await send('POST', `/${pipeline}/source`, { type: 'unknown', title })
    expect([status, body.errors.map(({ instancePath }: { instancePath: string }) => instancePath)]).toEqual([
      400,
      expect.arrayContaining(['/title', '/type']),
    ])
  }
})

test('a change of the type is 400 at the type, for any two types', async () => {
  for (const [kind, type] of TYPES) {
    for (const [otherKind, other, config] of TYPES) {
      if (otherKind !== kind || other === type) continue
      const { status, body } = await send('PUT', `/${pipeline}/${kind}/${ids.get(`${kind} ${type}`)}`, {
        type: other,
        user_config: config,
      })
      const pointers = body.errors?.map(({ instancePath }: { instancePath: string }) => instancePath)
      expect([type, other, status, pointers]).toEqual([type, other, 400, ['/type']])
    }
  }
})

test('no options of any type make the server fail, new or stored, nor do changes of the type', async () => {
  const conditional = fc.oneof(
    fc.constant(CONDITIONAL),
    fc.jsonValue(),
    fc.record({ expressions: fc.array(fc.jsonValue(), { maxLength: 3 }), logical_operation: fc.jsonValue() }),
  )
  const ruleOrAnything = fc.oneof(
    fc.jsonValue(),
    fc.record(
      { label: fc.oneof(fc.string(), fc.jsonValue()), conditional, _output_name: fc.jsonValue() },
      { requiredKeys: [] },
    ),
  )
  const members = Object.values(CATALOGUE.declarations)
    .flat()
    .flatMap(({ config }) => Object.keys(config.properties))
  const userConfig = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom(...TYPES.map(([, , config]) => config)),
    fc
      .tuple(
        fc.constantFrom(...TYPES),
        fc.dictionary(fc.constantFrom(...members), fc.jsonValue(), { maxKeys: 3 }),
      )
      .map(([[, , config], change]) => ({ ...config, ...change })),
    fc.dictionary(fc.constantFrom(...members), fc.jsonValue()),
    fc.record({ conditionals: fc.array(ruleOrAnything, { maxLength: 4 }) }),
    fc.record({ action: fc.constantFrom('drop', 'pass', 5), conditional }),
  )
  const typed = fc.constantFrom(...TYPES)
  const inputs = fc.constantFrom(undefined, [], ...[...ids.values()].map(id => [id, `${id}._unmatched`]))
  await fc.assert(
    fc.asyncProperty(typed, typed, userConfig, inputs, async ([kind, type], [, otherType], config, from) => {
      for (const [method, path, sentType] of [
        ['POST', kind, type],
        ['PUT', `${kind}/${ids.get(`${kind} ${type}`)}`, type],
        ['PUT', `${kind}/${ids.get(`${kind} ${type}`)}`, otherType],
      ] as const) {
        const node = { type: sentType, user_config: config, inputs: from }
        const { status } = await send(method, `/${pipeline}/${path}`, node)
        expect([200, 400, 403, 413]).toContain(status)
      }
    }),
    { numRuns: 200 },
  )
})
