import { expect, test } from 'vitest'
import { LogError } from '../../engine/log/log.ts'
import { silentLogger } from '../../engine/logger.ts'
import { readSettings, SettingsError } from '../settings/settings.ts'
import { kafkaClientOptions, kafkaTrouble } from './kafka-links.ts'

const ON_KAFKA = {
  KAFKA_BROKERS: 'kafka:9092',
  WEIR_SECRET_KEY: 'ab'.repeat(32),
  CLICKHOUSE_URL: 'http://127.0.0.1:1',
}
const LOGIN = {
  KAFKA_SASL_MECHANISM: 'plain',
  KAFKA_SASL_USERNAME: 'weir',
  KAFKA_SASL_PASSWORD: 'a secret',
}

test('the client uses the login and the authority of the settings', () => {
  const certificate = `${import.meta.dirname}/../../test/data/tls/cert.pem`
  const settings = readSettings({ ...ON_KAFKA, ...LOGIN, KAFKA_TLS: 'on', KAFKA_TLS_CA: certificate })
  expect(kafkaClientOptions(settings, silentLogger)).toMatchObject({
    brokers: ['kafka:9092'],
    tls: { ca: [expect.stringContaining('-----BEGIN CERTIFICATE-----')] },
    sasl: { mechanism: 'plain', username: 'weir', password: 'a secret' },
  })
  const none = kafkaClientOptions(readSettings(ON_KAFKA), silentLogger)
  expect([none.tls, none.sasl]).toEqual([undefined, undefined])
})

test('a file that is not a certificate, or is not there, ends the start with the name of its setting', () => {
  const optionsWith = (file: string) => () =>
    kafkaClientOptions(readSettings({ ...ON_KAFKA, KAFKA_TLS: 'on', KAFKA_TLS_CA: file }), silentLogger)
  expect(optionsWith(`${import.meta.dirname}/../../package.json`)).toThrow(
    /KAFKA_TLS_CA: .* is not a PEM file/,
  )
  expect(optionsWith('/nowhere.pem')).toThrow('KAFKA_TLS_CA cannot be read')
})

test.each<[string, string, Readonly<Record<string, string>>]>([
  ['sslv3 alert bad certificate', 'set KAFKA_TLS_CERT and KAFKA_TLS_KEY', { KAFKA_TLS: 'on' }],
  ["Host: a. is not in the cert's altnames", 'use the names in their certificates', { KAFKA_TLS: 'on' }],
  ['unable to verify the first certificate', 'set KAFKA_TLS_CA', { KAFKA_TLS: 'on' }],
  ['wrong version number', 'that port does not use TLS', { KAFKA_TLS: 'on' }],
  ['Closed connection', 'requires TLS (KAFKA_TLS) or a login (KAFKA_SASL_MECHANISM)', {}],
  ['Closed connection', 'start Kafka, or correct the setting', { ...LOGIN, KAFKA_TLS: 'on' }],
  ['connect ECONNREFUSED', 'start Kafka, or correct the setting', {}],
])('a start that fails with "%s" says: %s', (message, remedy, more) => {
  const settings = readSettings({ ...ON_KAFKA, ...more })
  const trouble = kafkaTrouble(settings, new LogError('LOG_UNAVAILABLE', `Kafka: ${message}`))
  expect(trouble).toBeInstanceOf(SettingsError)
  expect((trouble as Error).message).toContain('no broker of KAFKA_BROKERS (kafka:9092) can be used: ')
  expect((trouble as Error).message).toContain(remedy)
})
