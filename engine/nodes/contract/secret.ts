import Type, { type TSchema } from 'typebox'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../schemas/json.ts'

/**
 * Option that contains a credential, or an address that may contain one. Cuts leave it out, or contain it sealed if the fold
 * needs it; the audit and differences between revisions mask it. Only this mark makes an option secret.
 */
export function Secret(options: {
  readonly description: string
  readonly minLength?: number
  readonly maxLength?: number
}) {
  return Type.String({ ...options, secret: true })
}

/** Encrypts the secrets that partitions need, with the key of the installation. */
export interface SecretSeal {
  /** Gives the same text for the same secret and place. */
  closeAlike(secret: string, place: string): string
  /** @throws when the text was encrypted with another key, or for another place */
  open(sealed: string, place: string): string
}

/** Secret in the form that partitions receive. */
export interface SealedSecret {
  readonly sealed: string
}

export function isSealed(value: JsonValue | undefined): value is JsonObject & SealedSecret {
  return isJsonObject(value) && typeof value.sealed === 'string'
}

/** Part of a schema that marks secrets. */
export interface SecretSchema {
  readonly secret?: boolean
  readonly properties?: Readonly<Record<string, SecretSchema>>
  readonly items?: SecretSchema
}

export function isSecret(schema: TSchema | SecretSchema): boolean {
  return (schema as SecretSchema).secret === true
}

/**
 * Copies options with a replacement for every secret value.
 *
 * @param replace returns undefined to leave the value out
 */
export function replaceSecrets(
  schema: TSchema | SecretSchema | undefined,
  value: JsonValue,
  replace: (secret: JsonValue) => JsonValue | undefined,
): JsonValue | undefined {
  if (schema === undefined) return value
  const { secret, items, properties = {} } = schema as SecretSchema
  if (secret === true) return replace(value)
  if (Array.isArray(value)) {
    if (items === undefined) return value
    return value.flatMap(element => replaceSecrets(items, element, replace) ?? [])
  }
  if (!isJsonObject(value)) return value
  const members = Object.entries(value).flatMap(([name, member]) => {
    const shown = replaceSecrets(properties[name], member, replace)
    return shown === undefined ? [] : [[name, shown] as const]
  })
  return Object.fromEntries(members)
}

/** Values of all secrets in options, in the order of their places. */
export function secretValues(schema: TSchema, config: JsonObject): string[] {
  const values: string[] = []
  replaceSecrets(schema, config, secret => {
    if (typeof secret === 'string') values.push(secret)
    return undefined
  })
  return values
}

/** Options without their secrets. */
export function withoutSecrets(schema: TSchema, config: JsonObject): JsonObject {
  return replaceSecrets(schema, config, () => undefined) as JsonObject
}

/** Schema of a part of the options, by the tokens of a JSON pointer; undefined for a part that is not declared. */
export function schemaAt(
  schema: TSchema | SecretSchema,
  tokens: readonly string[],
): SecretSchema | undefined {
  let found: SecretSchema | undefined = schema as SecretSchema
  for (const token of tokens) found = found?.properties?.[token] ?? found?.items
  return found
}

/** Keywords of schemas whose parts the functions of this file do not look at. */
const UNSEEN = [
  ...['anyOf', 'oneOf', 'allOf', 'not', 'if', 'then', 'else', '$ref', '$defs'],
  ...['patternProperties', 'prefixItems', 'contains', 'dependentSchemas', 'propertyNames'],
]

/** @throws RangeError if the schema could contain a secret that is not found */
export function assertSecretsAreFound(schema: TSchema | SecretSchema, place = ''): void {
  const {
    additionalProperties = false,
    items,
    properties = {},
  } = schema as SecretSchema & {
    readonly additionalProperties?: unknown
  }
  const unseen = UNSEEN.find(keyword => Object.hasOwn(schema, keyword))
  const found = typeof additionalProperties === 'object' ? 'additionalProperties' : unseen
  if (found !== undefined)
    throw new RangeError(`secrets cannot be found in "${found}" of the options at "${place}"`)
  if (Array.isArray(items)) throw new RangeError(`secrets cannot be found in the list of items at "${place}"`)
  if (items !== undefined) assertSecretsAreFound(items, `${place}[]`)
  for (const [name, member] of Object.entries(properties)) assertSecretsAreFound(member, `${place}.${name}`)
}

/** Names of the members that lead to each secret option; '[]' stands for the elements of a list. */
export function secretPlaces(schema: TSchema | SecretSchema, place: readonly string[] = []): string[][] {
  const { secret, items, properties = {} } = schema as SecretSchema
  if (secret === true) return [[...place]]
  return [
    ...(items === undefined ? [] : secretPlaces(items, [...place, '[]'])),
    ...Object.entries(properties).flatMap(([name, member]) => secretPlaces(member, [...place, name])),
  ]
}
