import { expect, test } from 'vitest'
import type { PipelineFile } from '../document/file.ts'
import { ENTER_AGAIN, type OptionSchema } from '../form/schema.ts'
import { withMissingSecrets, withoutSecrets } from './kept-draft.ts'

const MASK = '***0123abcd'
const SCHEMA: OptionSchema = {
  type: 'object',
  properties: {
    url: { type: 'string' },
    token: { type: 'string', writeOnly: true },
    headers: {
      type: 'array',
      items: { type: 'object', properties: { value: { type: 'string', writeOnly: true } } },
    },
  },
}

const documentWith = (type: string, config: object) =>
  ({
    weir: 'pipeline/1',
    title: 'P',
    destinations: [
      { name: 'plain', type: 'blackhole' },
      { name: 'out', type, config },
    ],
  }) as PipelineFile

const schemaOf = (_kind: string, type: string) => (type === 'known' ? SCHEMA : undefined)

test('typed secrets are left out of a kept draft, masks and other options stay', () => {
  const config = { url: 'u', token: 'typed', headers: [{ value: 'typed' }, { value: MASK }, { value: '' }] }
  const bare = withoutSecrets(documentWith('known', config), schemaOf)
  expect(JSON.stringify(bare)).not.toContain('typed')
  expect(bare.destinations?.[1]?.config).toEqual({
    url: 'u',
    token: ENTER_AGAIN,
    headers: [{ value: ENTER_AGAIN }, { value: MASK }, { value: '' }],
  })
  expect(withMissingSecrets(bare)).toEqual(['out'])
  expect(withMissingSecrets(documentWith('known', config))).toEqual([])
})

test('every text of an unknown type may be a secret', () => {
  const bare = withoutSecrets(documentWith('unknown', { a: ['typed', 1], b: { c: MASK } }), schemaOf)
  expect(bare.destinations?.[1]?.config).toEqual({ a: [ENTER_AGAIN, 1], b: { c: MASK } })
})
