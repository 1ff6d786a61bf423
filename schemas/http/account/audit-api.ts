import Type from 'typebox'
import { named } from '../../named.ts'

const OrNull = Type.Unsafe<string | null>({ type: ['string', 'null'] })
const Values = Type.Unsafe<object | null>({
  type: ['object', 'null'],
  description:
    'The whole entity; null if it did not exist. A text that may be a secret is shown as *** and eight digits, which differ for different secrets.',
})

export const AuditEvent = named(
  'AuditEvent',
  Type.Object({
    id: Type.String({
      description: 'Rises with time; changes that were made together have the same part before the dot.',
    }),
    at: Type.String(),
    actor: Type.Object({
      id: Type.String({ description: 'Subject id, as in the header x-auth-subject-id.' }),
      type: Type.String({
        description: 'user, service, enterprise, servicekey, or system (the program itself).',
      }),
      email: OrNull,
      name: OrNull,
    }),
    action: Type.String({ description: 'One of created, changed and removed.' }),
    kind: Type.String(),
    entity: Type.String({ description: 'Id of the entity.' }),
    name: OrNull,
    changed: Type.Array(Type.String(), { description: 'JSON pointers to the changed members.' }),
    before: Values,
    after: Values,
  }),
)
export type AuditEvent = Type.Static<typeof AuditEvent>

export const AuditPage = named(
  'AuditPage',
  Type.Object({
    events: Type.Array(AuditEvent, { description: 'Events, newest first.' }),
    next: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'Cursor of the next page; null on the last page.',
    }),
  }),
)
export type AuditPage = Type.Static<typeof AuditPage>
