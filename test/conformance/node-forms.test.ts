import { describe, expect, test } from 'vitest'
import { OutputReferences } from '../../api/pipeline/file/output-references.ts'
import { nodeTypesOf } from '../../api/pipeline/node-types/node-types.ts'
import { outputsOf } from '../../console/src/pipelines/document/outputs.ts'
import {
  firstOptions,
  KNOWN_KEYWORDS,
  type OptionSchema,
  secretsIn,
} from '../../console/src/pipelines/form/schema.ts'
import type { DraftNode } from '../../engine/configuration/entities.ts'
import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import { finish } from '../../engine/steps.ts'
import type { JsonObject } from '../../schemas/json.ts'

const TYPES = nodeTypesOf(CATALOGUE)

/** Declared options of a type. */
function optionsOf(kind: string, type: string): OptionSchema {
  return TYPES.find(each => each.kind === kind && each.type === type)?.config as OptionSchema
}

/** All schemas within a schema, itself included. */
function schemasIn(schema: OptionSchema): OptionSchema[] {
  const below = [
    ...Object.values(schema.properties ?? {}),
    ...Object.values(schema.$defs ?? {}),
    ...(schema.anyOf ?? []),
    ...(schema.items === undefined ? [] : [schema.items]),
  ]
  return [schema, ...below.flatMap(schemasIn)]
}

describe('the forms of the console', () => {
  test('know every keyword of the options of every type', () => {
    const unknown = TYPES.flatMap(({ type, config }) =>
      schemasIn(config as OptionSchema).flatMap(schema =>
        Object.keys(schema)
          .filter(keyword => !KNOWN_KEYWORDS.has(keyword))
          .map(keyword => `${type}: ${keyword}`),
      ),
    )
    expect(unknown).toEqual([])
  })

  test('give a new node its required options', () => {
    expect(firstOptions(optionsOf('transform', 'filter'))).toEqual({
      action: 'allow',
      conditional: { expressions: [{ field: '', str_operator: 'equal', value: '' }] },
    })
  })

  test('find secrets in nested options, and nowhere else', () => {
    const options = {
      uri: 'https://a.example',
      headers: [{ header_name: 'x', header_value: 'y' }],
      auth: { strategy: 'basic', user: 'u', password: 'p' },
    }
    expect(secretsIn(optionsOf('sink', 'http'), options)).toEqual([
      '/uri',
      '/headers/0/header_value',
      '/auth/password',
    ])
  })
})

describe('the outputs that the console derives from options', () => {
  function ofServer(type: string, config: JsonObject): string[] {
    const node: DraftNode = {
      ...{ id: 'n', kind: 'transform', type, title: null, user_config: config, inputs: [] },
      ...{ description: null, generation: 0 },
    }
    return finish(OutputReferences.reading(CATALOGUE, [node]))
      .of(node)
      .map(({ reference }) => reference)
  }
  const ofConsole = (type: string, config: JsonObject) =>
    outputsOf({ name: 'n', type, config }).map(({ reference }) => reference)

  test('have the names that the server gives them, in all worked examples', () => {
    for (const { kind, type, examples } of TYPES.filter(each => each.kind === 'transform'))
      for (const { user_config: config } of examples)
        expect(ofConsole(type, config as JsonObject), `${kind} ${type}`).toEqual(
          ofServer(type, config as JsonObject),
        )
  })

  test.each<[string, JsonObject]>([
    [
      'route',
      { conditionals: [{ label: 'hot' }, { label: 'hot' }, { label: '_unmatched' }, { label: 'hot (2)' }] },
    ],
    ['route', {}],
    ['parse-sequentially', { parsers: [{ parser: 'parse_json' }, { parser: 'parse_json', label: 'x.y' }] }],
  ])('are told apart as at the server where labels of %s repeat or are absent: %j', (type, config) => {
    expect(ofConsole(type, config)).toEqual(ofServer(type, config))
  })
})
