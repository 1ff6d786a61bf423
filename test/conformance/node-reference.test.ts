import { expect, test } from 'vitest'
import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import { PARSERS } from '../../engine/nodes/processors/parsers/parsers.ts'
import { grokReference } from '../support/grok-reference.ts'
import { destinationSections, letterMade, nodeReference, sourceSections } from '../support/node-reference.ts'
import { type OptionSchema, optionRows } from '../support/option-table.ts'
import { notes, parcels, relay } from '../support/toy-nodes.ts'

const SCHEMAS = [
  ...Object.entries(CATALOGUE.declarations).flatMap(([kind, declarations]) =>
    declarations.map(({ type, config }) => [`${kind} ${type}`, config as OptionSchema] as const),
  ),
  ...[...PARSERS].map(([id, { options = {} }]) => [id, options as OptionSchema] as const),
]

test('docs/nodes.md is the page of the present declarations (renew it with `npm run docs`)', async () => {
  await expect(nodeReference()).toMatchFileSnapshot('../../docs/nodes.md')
})

test('docs/grok.md is the page of the present library (renew it with `npm run docs`)', async () => {
  await expect(grokReference()).toMatchFileSnapshot('../../docs/grok.md')
})

test.each(SCHEMAS)('every option of %s has a description', (_type, schema) => {
  for (const { name, description } of optionRows(schema)) expect(description, name).toMatch(/\w/)
})

test('an example of each processor shows for each of its errors whether the event fails', () => {
  const unknown = [...CATALOGUE.processors].flatMap(({ type, errors, examples }) =>
    errors.filter(error => letterMade(error, examples) === undefined).map(error => `${type} ${error}`),
  )
  expect(unknown).toEqual([])
})

test('an event fails at the encryption of a list, and passes without the field', () => {
  const { examples } = CATALOGUE.processorOf('encrypt-fields') ?? { examples: [] }
  expect(letterMade('E_ENCRYPT_BAD_TYPE', examples)).toBe('yes')
  expect(letterMade('E_NOT_FOUND', examples)).toBe('no')
  expect(letterMade('E_EXPRESSION_COST', [])).toBe('yes')
  expect(letterMade('E_TRACE_NO_ROOT', examples)).toBeUndefined()
})

test('every part of a contract is on the page', () => {
  const page = [parcels, notes].flatMap(source => sourceSections(source, source)).join('\n')
  for (const part of [
    'Places of the access key: `x-depot-key: <key>`, the password in `authorization: basic`',
    '`authorization: depot <key>`, `?depot_key=<key>`.',
    '| `E_EVENT_NOT_JSON` | the payload is not JSON |',
    '`"kg=3"`, request `{"path":"/north","query":{"shift":"night"}}` | refused: `E_EVENT_NOT_JSON` at `1`; answer `{"status":400,',
    '| `["{\\"a\\":1}","{\\"a\\":2}","nope","\\"b\\"","5"]` | `{"a":1}`, `{"a":2}` up to `2`; `"b"`, refused: `E_EVENT_NOT_JSON` at `3` up to `4`;',
    '| from `1`: `2`, `3` up to `3` |',
  ])
    expect(page).toContain(part)
  const outcomes = destinationSections(relay).join('\n')
  for (const part of [
    '`{"n":1}` is never sent: `E_NOT_FOUND` at `.room`; `{"room":"a","messages":[{"room":"a"}]}` |',
    'answer `"ok"`: delivered; answer `"busy"`: again; answer `"bad"`: failed: `E_DELIVERY_FAILED`; answer `["ok","busy"]`: delivered, again |',
  ])
    expect(outcomes).toContain(part)
})

test('bounds, defaults and nested members are described', () => {
  const schema: OptionSchema = {
    required: ['list'],
    properties: {
      list: {
        description: 'L',
        minItems: 1,
        maxItems: 1,
        uniqueItems: true,
        items: {
          type: 'object',
          properties: { a: { type: 'integer', description: 'A', maximum: 5, default: 3 } },
        },
      },
      names: { items: { type: 'string', minLength: 1, maxLength: 9, description: 'N' } },
    },
  }
  expect(optionRows(schema)).toEqual([
    {
      name: 'list',
      type: 'list of objects',
      isRequired: true,
      fallback: undefined,
      bounds: 'exactly 1 item; distinct',
      description: 'L',
    },
    {
      name: 'list[].a',
      type: 'integer',
      isRequired: false,
      fallback: 3,
      bounds: 'at most 5',
      description: 'A',
    },
    {
      name: 'names',
      type: 'list of: string',
      isRequired: false,
      fallback: undefined,
      bounds: 'each 1 to 9 characters',
      description: 'N',
    },
  ])
})
