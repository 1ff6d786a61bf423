import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { KafkaConfig } from 'kafkajs'

/** Protection of connections from clients to brokers. Connections between brokers have none. */
export type KafkaSecurity = 'none' | 'sasl-plain' | 'sasl-scram' | 'tls' | 'tls-mutual' | 'tls-sasl-scram'

/** The only user of the brokers of the tests, known to every mechanism. */
export const KAFKA_USER = { username: 'weir', password: 'weir-secret' } as const

/** Signed by itself, for localhost and 127.0.0.1: the authority of the clients and the certificate of the brokers. */
const CERTIFICATE = join(import.meta.dirname, '../../data/tls/cert.pem')
const KEY = join(import.meta.dirname, '../../data/tls/key.pem')

const PROTOCOLS = {
  none: 'PLAINTEXT',
  'sasl-plain': 'SASL_PLAINTEXT',
  'sasl-scram': 'SASL_PLAINTEXT',
  tls: 'SSL',
  'tls-mutual': 'SSL',
  'tls-sasl-scram': 'SASL_SSL',
} as const

export function securityProtocol(security: KafkaSecurity): string {
  return PROTOCOLS[security]
}

/** Properties of a broker for its listener CLIENT. */
export function securityProperties(security: KafkaSecurity): Record<string, string> {
  return {
    ...(usesTls(security) && tlsProperties()),
    ...(security === 'tls-mutual' && clientsProveThemselves()),
    ...saslProperties(security),
  }
}

/** Options of a client. */
export function clientSecurity(security: KafkaSecurity): Pick<KafkaConfig, 'ssl' | 'sasl'> {
  return {
    ...(usesTls(security) && { ssl: { ...authority(), ...(security === 'tls-mutual' && proof()) } }),
    ...(security === 'sasl-plain' && { sasl: { mechanism: 'plain', ...KAFKA_USER } }),
    ...(usesScram(security) && { sasl: { mechanism: 'scram-sha-512', ...KAFKA_USER } }),
  }
}

/** Arguments for `kafka-storage format`. */
export function scramArguments(): string[] {
  const { username, password } = KAFKA_USER
  return ['SCRAM-SHA-256', 'SCRAM-SHA-512'].flatMap(mechanism => [
    '--add-scram',
    `${mechanism}=[name=${username},password=${password}]`,
  ])
}

function usesTls(security: KafkaSecurity): boolean {
  return security.startsWith('tls')
}

function usesScram(security: KafkaSecurity): boolean {
  return security === 'sasl-scram' || security === 'tls-sasl-scram'
}

function tlsProperties(): Record<string, string> {
  return {
    'ssl.keystore.type': 'PEM',
    'ssl.keystore.certificate.chain': oneLine(readFileSync(CERTIFICATE, 'utf8')),
    'ssl.keystore.key': oneLine(readFileSync(KEY, 'utf8')),
  }
}

/** The certificate of the brokers serves as that of the clients, too. */
function clientsProveThemselves(): Record<string, string> {
  return {
    'ssl.client.auth': 'required',
    'ssl.truststore.type': 'PEM',
    'ssl.truststore.certificates': oneLine(readFileSync(CERTIFICATE, 'utf8')),
  }
}

function authority() {
  return { ca: [readFileSync(CERTIFICATE, 'utf8')] }
}

function proof() {
  return { cert: readFileSync(CERTIFICATE, 'utf8'), key: readFileSync(KEY, 'utf8') }
}

/** A properties file writes the end of a line as \n. */
function oneLine(text: string): string {
  return text.trim().replaceAll('\n', '\\n')
}

function saslProperties(security: KafkaSecurity): Record<string, string> {
  const { username, password } = KAFKA_USER
  if (security === 'sasl-plain')
    return {
      'sasl.enabled.mechanisms': 'PLAIN',
      'listener.name.client.plain.sasl.jaas.config': `org.apache.kafka.common.security.plain.PlainLoginModule required user_${username}="${password}";`,
    }
  if (!usesScram(security)) return {}
  const scram = 'org.apache.kafka.common.security.scram.ScramLoginModule required;'
  return {
    'sasl.enabled.mechanisms': 'SCRAM-SHA-256,SCRAM-SHA-512',
    'listener.name.client.scram-sha-256.sasl.jaas.config': scram,
    'listener.name.client.scram-sha-512.sasl.jaas.config': scram,
  }
}
