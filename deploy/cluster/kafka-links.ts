import { readFileSync } from 'node:fs'
import type { KafkaClientOptions } from '../../engine/log/kafka/kafka-client.ts'
import type { Logger } from '../../engine/logger.ts'
import { type Settings, SettingsError } from '../settings.ts'

/** How the settings say that Kafka is reached. @throws SettingsError when a file cannot be read */
export function kafkaClientOptions(settings: Settings, logger: Logger): KafkaClientOptions {
  const { kafkaBrokers, kafkaSaslMechanism, kafkaSaslUsername, kafkaSaslPassword } = settings
  return {
    brokers: kafkaBrokers,
    logger,
    tls: settings.kafkaTls === 'on' ? tlsOptions(settings) : undefined,
    sasl: kafkaSaslMechanism && {
      mechanism: kafkaSaslMechanism,
      username: kafkaSaslUsername,
      password: kafkaSaslPassword,
    },
  }
}

function tlsOptions({ kafkaTlsCa, kafkaTlsCertificate, kafkaTlsKey }: Settings) {
  return {
    ...(kafkaTlsCa !== undefined && { ca: [pem('KAFKA_TLS_CA', kafkaTlsCa)] }),
    ...(kafkaTlsCertificate !== undefined && { cert: pem('KAFKA_TLS_CERT', kafkaTlsCertificate) }),
    ...(kafkaTlsKey !== undefined && { key: pem('KAFKA_TLS_KEY', kafkaTlsKey) }),
  }
}

function pem(name: string, path: string): string {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (cause) {
    throw new SettingsError([`${name} cannot be read: ${(cause as Error).message}`])
  }
  if (!text.includes('-----BEGIN ')) throw new SettingsError([`${name}: ${path} is no PEM file`])
  return text
}
