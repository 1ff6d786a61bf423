import { expect, test } from 'vitest'
import type { JsonObject } from '../../../../schemas/json.ts'
import { transformOptions } from '../../../../test/support/transform-options.ts'
import { Event } from '../../../event/event.ts'
import { EventMeter, SUSPENDED, UNMETERED } from '../../../expressions/cost-meter.ts'
import { ExpressionAllowance, ExpressionBudget } from '../../../expressions/expression-budget.ts'
import { Stretch } from '../../../steps.ts'
import type { CostMeter } from '../../contract/define-processor.ts'
import { redact } from './redact.ts'

const { problems, stored } = transformOptions('redact')
const email = { pattern: 'email_address', action: 'replace' }
const rules = (count: number) => Array.from({ length: count }, () => email)

test.each<[string, JsonObject]>([
  [" must have required property 'patterns'", {}],
  ['/patterns must NOT have fewer than 1 items', { patterns: [] }],
  ['/patterns must NOT have more than 20 items', { patterns: rules(21) }],
  ['/patterns/0 must be object', { patterns: [null] }],
  ['/field Must be a valid data access syntax', { patterns: [email], field: 'note' }],
  ['/pii_presence must be boolean', { patterns: [email], pii_presence: 'yes' }],
  [
    '/patterns/0/pattern must be equal to one of the allowed values: credit_card, email_address, ipv4_address, phone_number, us_social_security_number, custom',
    { patterns: [{ ...email, pattern: 'iban' }] },
  ],
  ["/patterns/0 must have required property 'action'", { patterns: [{ pattern: 'ipv4_address' }] }],
  [
    '/patterns/0/action must be equal to one of the allowed values: replace, hash, detect_only',
    { patterns: [{ ...email, action: 'drop' }] },
  ],
  [
    "/patterns/1 must have required property 'expression'",
    { patterns: [email, { pattern: 'custom', action: 'hash' }] },
  ],
  [
    '/patterns/0/expression must NOT have fewer than 1 characters',
    { patterns: [{ pattern: 'custom', action: 'hash', expression: '' }] },
  ],
  [
    '/patterns/0/hash_algorithm must be equal to one of the allowed values: md5, sha1, sha2, sha3',
    { patterns: [{ ...email, action: 'hash', hash_algorithm: 'crc' }] },
  ],
  ['/patterns/0/replacement must be string', { patterns: [{ ...email, replacement: null }] }],
  ["/patterns/0 must NOT have additional properties: 'x'", { patterns: [{ ...email, x: 1 }] }],
])('%s', (problem, config) => {
  expect(problems(config)).toEqual([problem])
})

test('an expression must be one that can be run', () => {
  expect(problems({ patterns: [{ pattern: 'custom', action: 'hash', expression: '(?<=a)b' }] })).toEqual([
    expect.stringMatching(/^\/patterns\/0\/expression Must be a valid regular expression: /),
  ])
})

test('20 patterns are accepted', () => {
  expect(problems({ patterns: rules(20) })).toEqual([])
})

test('an action gets its own default and none of another, and sent options stay', () => {
  const storedRule = (rule: JsonObject) => (stored({ patterns: [rule] }).patterns as JsonObject[])[0]
  expect(storedRule(email)).toEqual({ ...email, replacement: '[REDACTED]' })
  expect(storedRule({ ...email, replacement: '' })).toEqual({ ...email, replacement: '' })
  const hashed = { pattern: 'credit_card', action: 'hash' }
  expect(storedRule(hashed)).toEqual({ ...hashed, hash_algorithm: 'sha2' })
  const detected = { pattern: 'phone_number', action: 'detect_only' }
  expect(storedRule(detected)).toEqual(detected)
  expect(storedRule({ ...detected, replacement: 'x' })).toEqual({ ...detected, replacement: 'x' })
})

test('the other name of the type has the same meaning', () => {
  expect(transformOptions('mask-pii').stored({ patterns: [email] })).toEqual(stored({ patterns: [email] }))
})

const redacting = (config: JsonObject, meter: CostMeter) => {
  const process = redact.compile(stored(config), () => {}, meter)
  return (event: Event) => process(event, undefined, 0) as Event
}

test('an event of many stretches is redacted as it is in one, and its metadata tells what was found', () => {
  const config = {
    patterns: [
      { pattern: 'custom', expression: '[^x]{0,30}([ab])', action: 'hash', hash_algorithm: 'sha1' },
      { pattern: 'custom', expression: '(?<n>§)|(?<door>¶)', action: 'detect_only' },
      email,
    ],
    pii_presence: true,
  }
  const event = Event.of({ text: 'cdefa0123'.repeat(300), to: 'ida@fjord.example' }, { k: 1 }, '')
  const whole = redacting(config, UNMETERED)(event)
  expect(whole.metadata).toEqual({ k: 1, pii_presence: { custom: 'yes', email_address: 'yes' } })
  const meter = new EventMeter()
  const stretch = new Stretch()
  const allowance = new ExpressionAllowance(new ExpressionBudget())
  allowance.begin(0, 3_000)
  meter.open(allowance, stretch)
  meter.begin(0)
  const process = redacting(config, meter)
  let stretches = 0
  let inPieces: Event | undefined
  while (inPieces === undefined) {
    stretch.begin()
    stretches++
    try {
      inPieces = process(event)
    } catch (error) {
      if (error !== SUSPENDED) throw error
      meter.again()
    }
  }
  expect(stretches).toBeGreaterThan(1)
  expect([inPieces.message, inPieces.metadata]).toEqual([whole.message, whole.metadata])
})

test('what an earlier node noted stays', () => {
  const event = Event.of('ida@fjord.example', { pii_presence: { staff_no: 'yes' } }, '')
  const { metadata } = redacting({ patterns: [email], pii_presence: true }, UNMETERED)(event)
  expect(metadata).toEqual({ pii_presence: { staff_no: 'yes', email_address: 'yes' } })
})
