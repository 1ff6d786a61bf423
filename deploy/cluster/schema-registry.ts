import { Agent } from 'node:https'
import { COMPATIBILITY, SchemaRegistry, SchemaType } from '@kafkajs/confluent-schema-registry'
import { BackOff } from '../../engine/clock/back-off.ts'
import type { Clock } from '../../engine/clock/clock.ts'
import { LogError } from '../../engine/log/log.ts'
import type { SchemaLookup } from '../../engine/log/registry-log.ts'
import { isFreeFor, RegistryIds } from '../../schemas/log/registry-ids.ts'
import { BUNDLED_SCHEMAS, type SchemaName, schemaText } from '../../schemas/log/wire-format.ts'
import { type Settings, SettingsError } from '../settings/settings.ts'
import { readPemFile } from './pem-file.ts'

const ANSWER_WITHIN_MS = 3_000
/** Compatibility that our tests require of every schema: it reads the output of every earlier version. */
const COMPATIBLE = COMPATIBILITY.BACKWARD_TRANSITIVE
/** Number of alternative texts to try: each gets another id, and at most this many ids are taken. */
const MOST_EDITIONS = BUNDLED_SCHEMAS.length
const MOST_ATTEMPTS = 5
const PAUSES = { firstMs: 100, longestMs: 400 }

/** Place of a schema in a registry. */
interface Registration {
  readonly registry: SchemaRegistry
  readonly clock: Clock
  readonly subject: string
}

export interface OpenSchemaRegistry {
  readonly ids: RegistryIds
  readonly lookup: SchemaLookup
}

/**
 * Registers every schema of this version under the name of its record (RecordNameStrategy of Confluent). A topic has
 * records of several types, and a type may occur in several topics.
 *
 * @returns undefined if no registry is set
 * @throws SettingsError when the registry refuses them
 */
export async function openSchemaRegistry(
  settings: Settings,
  clock: Clock,
): Promise<OpenSchemaRegistry | undefined> {
  if (settings.schemaRegistryUrl === undefined) return undefined
  const registry = clientOf(settings, settings.schemaRegistryUrl)
  const given = new Map<SchemaName, number>()
  // In this order, an empty registry gives them their bundled ids.
  for (const { name } of BUNDLED_SCHEMAS) {
    const subject = `${settings.kafkaTopicPrefix}weir.${name}`
    try {
      given.set(name, await freeId({ registry, clock, subject }, name))
    } catch (error) {
      throw new SettingsError([sentenceOf(error, settings, subject)])
    }
  }
  return { ids: new RegistryIds(given), lookup: { schemaOf: id => schemaOf(registry, id, settings) } }
}

function clientOf(
  { schemaRegistryUser, schemaRegistryPassword, schemaRegistryCa }: Settings,
  host: string,
): SchemaRegistry {
  const ca = schemaRegistryCa && readPemFile('SCHEMA_REGISTRY_CA', schemaRegistryCa)
  return new SchemaRegistry({
    clientId: 'weir',
    host,
    retry: { retries: 1 },
    middlewares: [() => ({ request: async request => request.enhance({ timeout: ANSWER_WITHIN_MS }) })],
    ...(schemaRegistryUser !== '' && {
      auth: { username: schemaRegistryUser, password: schemaRegistryPassword },
    }),
    ...(ca !== undefined && { agent: new Agent({ ca }) }),
  })
}

/** Processes that start at the same time may conflict: the second one then uses the registration of the first. */
async function registered({ registry, clock, subject }: Registration, text: string): Promise<number> {
  let attempts = 0
  const register = async () => {
    attempts++
    const schema = { type: SchemaType.AVRO as const, schema: text }
    const { id } = await registry.register(schema, { subject, compatibility: COMPATIBLE })
    if (!Number.isSafeInteger(id)) throw new Error('its answer to a schema is not an id')
    return id
  }
  const mayRepeat = (error: unknown) =>
    (isRefused(error) || isJudgedOtherwise(error)) && attempts < MOST_ATTEMPTS
  return new BackOff(clock, PAUSES).repeat(register, mayRepeat)
}

/** @returns an id that does not name another schema on a log that was begun with bundled ids */
async function freeId(registration: Registration, name: SchemaName): Promise<number> {
  for (let edition = 0; edition <= MOST_EDITIONS; edition++) {
    const id = await registered(registration, textOf(name, edition))
    if (isFreeFor(name, id)) return id
  }
  throw new Error(`it repeatedly gives ${name} the id of another record`)
}

/** Returns the same schema as a different text, for which a registry gives another id. */
function textOf(name: SchemaName, edition: number): string {
  const schema = JSON.parse(schemaText(name)) as object
  return JSON.stringify(edition === 0 ? schema : { ...schema, edition })
}

async function schemaOf(registry: SchemaRegistry, id: number, settings: Settings): Promise<string> {
  try {
    return JSON.stringify(await registry.getSchema(id))
  } catch (cause) {
    const isMissing = statusOf(cause) === 404
    const sentence = isMissing
      ? `${nameOf(settings)} has no schema ${id}, which a record carries: set it to the registry of the process that wrote the record.`
      : `${sentenceOf(cause, settings, `schema ${id}`)}.`
    throw new LogError('LOG_UNAVAILABLE', sentence, {
      retriable: !isMissing && statusOf(cause) !== undefined,
      cause,
    })
  }
}

function nameOf({ schemaRegistryUrl }: Settings): string {
  return `the schema registry at ${schemaRegistryUrl} (SCHEMA_REGISTRY_URL)`
}

function sentenceOf(error: unknown, settings: Settings, what: string): string {
  return `${nameOf(settings)} ${troubleOf(error, what)}. It says: ${(error as Error).message}`
}

function troubleOf(error: unknown, what: string): string {
  const status = statusOf(error)
  const { message } = error as Error
  if (status === 401 || status === 403)
    return `does not let this process use ${what}: check SCHEMA_REGISTRY_USER and SCHEMA_REGISTRY_PASSWORD`
  if (isRefused(error))
    return `refuses ${what}: it cannot read what an earlier version wrote. Another program may have registered a schema there: set KAFKA_TOPIC_PREFIX to a name of your own on a new installation, or remove that schema`
  if (isJudgedOtherwise(error))
    return `checks ${what} by another rule: set the compatibility of that subject to ${COMPATIBLE}`
  if (isUnanswered(error) && /certificate/i.test(message))
    return 'has a certificate that is not trusted: set SCHEMA_REGISTRY_CA to the PEM file of its authority'
  if (isUnanswered(error) || (status !== undefined && status >= 500))
    return 'does not answer: start it, or correct the setting'
  return `refuses ${what}: check that the address is that of a Confluent-compatible registry, with its path`
}

function statusOf(error: unknown): number | undefined {
  return (error as { readonly status?: number }).status
}

function isRefused(error: unknown): boolean {
  return statusOf(error) === 409
}

function isJudgedOtherwise(error: unknown): boolean {
  return (error as Error).name === 'ConfluentSchemaRegistryCompatibilityError'
}

/** The client reports 400 when there was no answer; the error then has no text of a registry. */
function isUnanswered(error: unknown): boolean {
  return statusOf(error) === 400 && (error as Error).message.includes('Error, status 400')
}
