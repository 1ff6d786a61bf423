import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import { describe, expect, test } from 'vitest'
import { BoardWrite } from '../../schemas/http/board.ts'
import { IndexRateAlertWrite } from '../../schemas/http/index-rate-alert.ts'
import { ViewWrite } from '../../schemas/http/view.ts'
import { unnamed } from '../../schemas/named.ts'
import { documentedSchema } from './documented-schema.ts'

/** What somebody else's program makes of the document. */
function validatorOf(schema: object) {
  const ajv = new Ajv({ strict: true, allowUnionTypes: true, strictRequired: false, strictTypes: false })
  addFormats.default(ajv)
  // Formats of our own: a reader who does not know them takes any text.
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
  ])('says %s to %j', (verdict, value) => {
    expect(isView(value)).toBe(verdict)
  })
})

test('the other documents can be read, too', () => {
  expect(validatorOf(BoardWrite)({ title: 'a', graphs: [{ query: 'x' }] })).toBe(true)
  const isAlert = validatorOf(IndexRateAlertWrite)
  const alert = { threshold_alert: 'both', frequency: 'daily', enabled: true }
  expect([isAlert(alert), isAlert({ ...alert, max_lines: 1 })]).toEqual([false, true])
})
