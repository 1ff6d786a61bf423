import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import { describe, expect, test } from 'vitest'
import { Archiving } from '../../schemas/http/account/archiving.ts'
import { BoardWrite } from '../../schemas/http/account/board.ts'
import { IndexRateAlertWrite } from '../../schemas/http/account/index-rate-alert.ts'
import { ViewWrite } from '../../schemas/http/account/view.ts'
import { unnamed } from '../../schemas/named.ts'
import { documentedSchema } from './documented-schema.ts'

/** Validator that a third party derives from the document. */
function validatorOf(schema: object) {
  const ajv = new Ajv({ strict: true, allowUnionTypes: true, strictRequired: false, strictTypes: false })
  addFormats.default(ajv)
  // Formats of this program: a reader that does not know them accepts any text.
  for (const own of ['timezone', 'HTTP header name', 'HTTP header value']) ajv.addFormat(own, true)
  return ajv.compile(unnamed(documentedSchema(schema)) as object)
}

const VIEW = { name: 'a', query: '' }
const EMAIL = { integration: 'email', emails: ['a@example.org'] }
const WEBHOOK = { integration: 'webhook', url: 'https://a.example' }

describe('the document of a view', () => {
  const isView = validatorOf(ViewWrite)
  test.each<[boolean, object]>([
    [true, { ...VIEW, channels: [{ ...EMAIL, triggerlimit: '5', immediate: 'true', triggerinterval: 30 }] }],
    [true, { ...VIEW, channels: [{ ...EMAIL, emails: 'a@example.org,b@example.org', url: 5 }] }],
    [
      true,
      {
        ...VIEW,
        channels: [
          { ...WEBHOOK, bodyTemplate: { a: 1 } },
          { ...WEBHOOK, bodyTemplate: '{}' },
        ],
      },
    ],
    [false, { name: 'a' }],
    [false, { ...VIEW, channels: [{ ...EMAIL, triggerlimit: 'x' }] }],
    [false, { ...VIEW, channels: [{ ...EMAIL, triggerlimit: 0 }] }],
    [false, { ...VIEW, channels: [{ ...EMAIL, immediate: 'yes' }] }],
    [false, { ...VIEW, channels: [{ ...EMAIL, operator: 'absence', triggerinterval: 30 }] }],
    [false, { ...VIEW, channels: [{ ...EMAIL, emails: [] }] }],
    [false, { ...VIEW, channels: [{ ...WEBHOOK, bodyTemplate: 5 }] }],
    [false, { ...VIEW, channels: [{ integration: 'webhook' }] }],
  ])('answers %s to %j', (verdict, value) => {
    expect(isView(value)).toBe(verdict)
  })
})

describe('the document of archiving', () => {
  const isArchiving = validatorOf(Archiving)
  test.each<[boolean, object]>([
    [true, { integration: 'gcs', bucket: 'b', projectid: 'p' }],
    [false, { integration: 'gcs', bucket: 'b' }],
    [false, { integration: 'dos', bucket: 'b', projectid: 'p' }],
    [false, { bucket: 'b', projectid: 'p' }],
    [false, { integration: 'ftp' }],
  ])('answers %s to %j', (verdict, value) => {
    expect(isArchiving(value)).toBe(verdict)
  })

  test('has an alternative for each integration, which generators read as a union', () => {
    const { allOf } = documentedSchema(Archiving) as {
      readonly allOf: readonly { readonly oneOf?: readonly object[] }[]
    }
    expect(allOf.map(part => part.oneOf?.length)).toEqual([undefined, 6])
  })
})

test('the other documents are readable, too', () => {
  expect(validatorOf(BoardWrite)({ title: 'a', graphs: [{ query: 'x' }] })).toBe(true)
  const isAlert = validatorOf(IndexRateAlertWrite)
  const alert = { threshold_alert: 'both', frequency: 'daily', enabled: true }
  expect([isAlert(alert), isAlert({ ...alert, max_lines: 1 })]).toEqual([false, true])
})
