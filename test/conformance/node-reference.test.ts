import { expect, test } from 'vitest'
import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import { PARSERS } from '../../engine/nodes/processors/parsers.ts'
import { nodeReference } from '../support/node-reference.ts'
import { type OptionSchema, optionRows } from '../support/option-table.ts'

const SCHEMAS = [
  ...Object.entries(CATALOGUE.declarations).flatMap(([kind, declarations]) =>
    declarations.map(({ type, config }) => [`${kind} ${type}`, config as OptionSchema] as const),
  ),
  ...[...PARSERS].map(([id, { options = {} }]) => [id, options as OptionSchema] as const),
]

test('docs/nodes.md is the page of the present declarations (renew it with `npm run docs`)', async () => {
  await expect(nodeReference()).toMatchFileSnapshot('../../docs/nodes.md')
})

test.each(SCHEMAS)('every option of %s has a description', (_type, schema) => {
  for (const { name, description } of optionRows(schema)) expect(description, name).toMatch(/\w/)
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
