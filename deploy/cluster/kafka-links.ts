import type { KafkaClientOptions } from '../../engine/log/kafka/kafka-client.ts'
import type { Logger } from '../../engine/logger.ts'
import type { Settings } from '../settings.ts'
import { readPemFile } from './pem-file.ts'

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
    ...(kafkaTlsCa !== undefined && { ca: [readPemFile('KAFKA_TLS_CA', kafkaTlsCa)] }),
    ...(kafkaTlsCertificate !== undefined && { cert: readPemFile('KAFKA_TLS_CERT', kafkaTlsCertificate) }),
    ...(kafkaTlsKey !== undefined && { key: readPemFile('KAFKA_TLS_KEY', kafkaTlsKey) }),
  }
}
