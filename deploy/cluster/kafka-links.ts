import type { KafkaClientOptions } from '../../engine/log/kafka/kafka-client.ts'
import { logErrorOf } from '../../engine/log/kafka/kafka-link.ts'
import { LogError } from '../../engine/log/log.ts'
import type { Logger } from '../../engine/logger.ts'
import { type Settings, SettingsError } from '../settings/settings.ts'
import { readPemFile } from './pem-file.ts'

/** Options for the connection to Kafka from the settings. @throws SettingsError when a file cannot be read */
export function kafkaClientOptions(settings: Settings, logger: Logger): KafkaClientOptions {
  const { kafkaBrokers, kafkaSaslMechanism, kafkaSaslUsername, kafkaSaslPassword } = settings
  return {
    brokers: kafkaBrokers,
    logger,
    clientId: `weir-${process.pid}`,
    tls: settings.kafkaTls === 'on' ? tlsOptions(settings) : undefined,
    sasl: kafkaSaslMechanism && {
      mechanism: kafkaSaslMechanism,
      username: kafkaSaslUsername,
      password: kafkaSaslPassword,
    },
  }
}

/** Explains why Kafka prevents a start, with the setting to check; other errors are returned unchanged. */
export function kafkaTrouble(settings: Settings, error: unknown): unknown {
  const failure = logErrorOf(error)
  if (!(failure instanceof LogError)) return failure
  // The sentence already names the setting.
  if (failure.message.startsWith('Kafka refuses: ')) return new SettingsError([failure.message])
  if (!failure.message.startsWith('Kafka: ')) return failure
  const brokers = settings.kafkaBrokers.join(', ')
  const remedy = remedyFor(failure.message, settings)
  return new SettingsError([
    `no broker of KAFKA_BROKERS (${brokers}) can be used: ${remedy}. ${failure.message}`,
  ])
}

function remedyFor(message: string, { kafkaTls, kafkaSaslMechanism }: Settings): string {
  if (/alert.*certificate|certificate required/i.test(message))
    return 'they require a certificate: set KAFKA_TLS_CERT and KAFKA_TLS_KEY to one that they accept'
  if (/altnames/i.test(message)) return 'use the names in their certificates there'
  if (/certificate/i.test(message))
    return 'their certificates are not trusted: set KAFKA_TLS_CA to the PEM file of their authority'
  if (/before secure TLS|wrong version number/i.test(message))
    return 'KAFKA_TLS is on, but that port does not use TLS: unset it, or use the TLS port'
  const asked = [
    ...(kafkaTls === 'off' ? ['TLS (KAFKA_TLS)'] : []),
    ...(kafkaSaslMechanism === undefined ? ['a login (KAFKA_SASL_MECHANISM)'] : []),
  ]
  if (/closed connection/i.test(message) && asked.length > 0)
    return `they end the connection, as a port does that requires ${asked.join(' or ')}`
  return 'start Kafka, or correct the setting'
}

function tlsOptions({ kafkaTlsCa, kafkaTlsCertificate, kafkaTlsKey }: Settings) {
  return {
    ...(kafkaTlsCa !== undefined && { ca: [readPemFile('KAFKA_TLS_CA', kafkaTlsCa)] }),
    ...(kafkaTlsCertificate !== undefined && { cert: readPemFile('KAFKA_TLS_CERT', kafkaTlsCertificate) }),
    ...(kafkaTlsKey !== undefined && { key: readPemFile('KAFKA_TLS_KEY', kafkaTlsKey) }),
  }
}
