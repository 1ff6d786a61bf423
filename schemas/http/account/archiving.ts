import Type from 'typebox'
import type { JsonValue } from '../../json.ts'
import { byWord } from '../../keywords.ts'
import { named } from '../../named.ts'

/** Object store that receives copies of an account's lines, one per account (configuration and account API, section 8). */

const Required = () => Type.String({ minLength: 1 })
const Optional = () => Type.Optional(Type.String())

const PROVIDERS = {
  ibm: Type.Object({
    bucket: Required(),
    endpoint: Required(),
    apikey: Required(),
    resourceinstanceid: Required(),
  }),
  s3: Type.Object({
    bucket: Required(),
    endpoint: Optional(),
    accesskey: Optional(),
    secretkey: Optional(),
    region: Optional(),
  }),
  azblob: Type.Object({ accountname: Required(), accountkey: Required() }),
  gcs: Type.Object({ bucket: Required(), projectid: Required() }),
  dos: Type.Object({ space: Required(), endpoint: Required(), accesskey: Required(), secretkey: Required() }),
  swift: Type.Object({
    authurl: Required(),
    username: Required(),
    password: Required(),
    tenantname: Required(),
    // Clients send it either way, and expect it back as they sent it.
    expires: Type.Optional(Type.Unsafe<string | number>({ type: ['string', 'integer'] })),
  }),
}

const INTEGRATIONS = ['ibm', 's3', 'azblob', 'gcs', 'dos', 'swift'] as const

export const Archiving = named(
  'Archiving',
  byWord('integration', Type.Object({ integration: Type.Enum([...INTEGRATIONS]) }), PROVIDERS),
)
export type Archiving = Type.Static<typeof Archiving>

/** Members of the body that belong to the chosen integration. */
export function archivingMembers(sent: Archiving): Archiving {
  const members = ['integration', ...Object.keys(PROVIDERS[sent.integration].properties)]
  return Object.fromEntries(
    Object.entries(sent).filter(([name]) => members.includes(name)),
  ) as unknown as Archiving
}

const NAMES: readonly string[] = [
  'integration',
  'bucket',
  'resourceinstanceid',
  'region',
  'accountname',
  'projectid',
  'space',
  'username',
  'tenantname',
  'expires',
]
const ADDRESSES: readonly string[] = ['endpoint', 'authurl']

/** Whether the audit trail may show a member's value. An address is shown only if it cannot contain credentials. */
export function isHarmlessMember(place: string, value: JsonValue): boolean {
  return NAMES.includes(place) || (ADDRESSES.includes(place) && !/[@?]/.test(String(value)))
}
