import Type from 'typebox'
import { named } from '../../named.ts'

/** Ingestion and service keys (configuration and account API, section 9). */

export const KEY_TYPES = ['ingestion', 'service'] as const
export type KeyType = (typeof KEY_TYPES)[number]

/**
 * Body of a new key or of a change; the body is optional. Omitted members are empty in a new key, and keep their values
 * otherwise.
 */
export const AccountKeyWrite = named(
  'AccountKeyWrite',
  Type.Unsafe<{ readonly name?: string } | null>({
    type: ['object', 'null'],
    properties: { name: { type: 'string', maxLength: 30 } },
  }),
)
export type AccountKeyWrite = Type.Static<typeof AccountKeyWrite>

export const AccountKeyRecord = named(
  'AccountKeyRecord',
  Type.Object({
    id: Type.String(),
    key: Type.String({ description: 'The key itself, in plain text' }),
    name: Type.String(),
    type: Type.Enum([...KEY_TYPES]),
    created: Type.Integer({ description: 'Creation time, UNIX milliseconds' }),
  }),
)
export type AccountKeyRecord = Type.Static<typeof AccountKeyRecord>
