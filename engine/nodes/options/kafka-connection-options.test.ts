import Type from 'typebox'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../schemas/json.ts'
import { checkOptions } from '../contract/node-declaration.ts'
import {
  kafkaConnectionOptions,
  kafkaConnectionProblems,
  withSaslDefaults,
} from './kafka-connection-options.ts'

const BROKERS = [{ host: 'a', port: 9092 }]
const SASL = { sasl_enabled: true, sasl_username: 'u', sasl_password: 'p' }

function check(config: JsonObject) {
  return checkOptions(
    {
      type: 'kafka',
      summary: '',
      config: Type.Object(kafkaConnectionOptions, { additionalProperties: false }),
      check: kafkaConnectionProblems,
      complete: withSaslDefaults,
      configs: [],
    },
    config,
    { typeAsSent: 'kafka', previous: undefined, settings: {} },
  )
}

describe('the stored options', () => {
  test('have none of the SASL members without SASL', () => {
    const stored = { brokers: BROKERS, tls_enabled: true, sasl_enabled: false }
    expect(check({ brokers: BROKERS })).toEqual({ stored })
    expect(check({ brokers: BROKERS, sasl_enabled: false })).toEqual({ stored })
  })

  test('keep members that were sent empty without SASL', () => {
    const sent = { brokers: BROKERS, tls_enabled: false, sasl_enabled: false }
    const empty = { sasl_username: '', sasl_password: '', sasl_mechanism: '' }
    expect(check({ ...sent, ...empty })).toEqual({ stored: { ...sent, ...empty } })
  })

  test.each([{}, { sasl_mechanism: '' }, { sasl_mechanism: 'PLAIN' }])(
    'have the mechanism PLAIN with SASL and %j',
    mechanism => {
      expect(check({ brokers: BROKERS, ...SASL, ...mechanism })).toEqual({
        stored: { brokers: BROKERS, tls_enabled: true, ...SASL, sasl_mechanism: 'PLAIN' },
      })
    },
  )

  test.each(['SCRAM-SHA-256', 'SCRAM-SHA-512'])('keep the mechanism %s', mechanism => {
    expect(check({ brokers: BROKERS, ...SASL, sasl_mechanism: mechanism })).toMatchObject({
      stored: { sasl_mechanism: mechanism },
    })
  })

  test('have bounds of host and port that hold to the character and number', () => {
    const brokers = [
      { host: 'x'.repeat(255), port: 1 },
      { host: 'x', port: 65_535 },
      { host: 'x', port: 65_534 },
    ]
    expect(check({ brokers })).toMatchObject({ stored: { brokers } })
  })
})

test.each<[JsonObject, string[]]>([
  [{}, [" must have required property 'brokers'"]],
  [{ brokers: [] }, ['/brokers must NOT have fewer than 1 items']],
  [{ brokers: 'a:9092' }, ['/brokers must be array']],
  [{ brokers: [{ host: 'a' }] }, ["/brokers/0 must have required property 'port'"]],
  [{ brokers: [{ host: '', port: 1 }] }, ['/brokers/0/host must NOT have fewer than 1 characters']],
  [
    { brokers: [{ host: 'x'.repeat(256), port: 1 }] },
    ['/brokers/0/host must NOT have more than 255 characters'],
  ],
  [{ brokers: [{ host: 'a', port: 0 }] }, ['/brokers/0/port must be >= 1']],
  [{ brokers: [{ host: 'a', port: 65_536 }] }, ['/brokers/0/port must be <= 65535']],
  [{ brokers: [{ host: 'a', port: 1.5 }] }, ['/brokers/0/port must be integer']],
  [{ brokers: [{ host: 'a', port: '1' }] }, ['/brokers/0/port must be integer']],
  [
    { brokers: [{ host: 'a', port: 1, rack: 'r' }] },
    ["/brokers/0 must NOT have additional properties: 'rack'"],
  ],
  [{ brokers: [...BROKERS, ...BROKERS] }, ['/brokers/1 must NOT have duplicate items']],
  [
    { brokers: BROKERS, sasl_enabled: true },
    [" must have required property 'sasl_username'", " must have required property 'sasl_password'"],
  ],
  [
    { brokers: BROKERS, ...SASL, sasl_username: '', sasl_password: '' },
    [
      '/sasl_username must NOT have fewer than 1 characters',
      '/sasl_password must NOT have fewer than 1 characters',
    ],
  ],
  [
    { brokers: BROKERS, ...SASL, sasl_enabled: false },
    [
      '/sasl_username must NOT be sent when sasl_enabled is false',
      '/sasl_password must NOT be sent when sasl_enabled is false',
    ],
  ],
  [{ brokers: BROKERS, sasl_username: 'u' }, ['/sasl_username must NOT be sent when sasl_enabled is false']],
  [{ brokers: BROKERS, ...SASL, sasl_username: null }, ['/sasl_username must be string']],
  [
    { brokers: BROKERS, sasl_mechanism: 'plain' },
    [
      '/sasl_mechanism must be equal to one of the allowed values: PLAIN, SCRAM-SHA-256, SCRAM-SHA-512, ""; did you mean "PLAIN"?',
    ],
  ],
  [{ brokers: BROKERS, tls_enabled: 'true' }, ['/tls_enabled must be boolean']],
])('%j is refused', (config, expected) => {
  const checked = check(config)
  if (!('problems' in checked)) throw new Error('nothing was found')
  expect(checked.problems.map(({ instancePath, message }) => `${instancePath} ${message}`)).toEqual(expected)
})
