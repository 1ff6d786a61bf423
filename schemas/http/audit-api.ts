import Type from 'typebox'
import { named } from '../named.ts'

const OrNull = Type.Unsafe<string | null>({ type: ['string', 'null'] })
const Values = Type.Unsafe<object | null>({
  type: ['object', 'null'],
  description:
    'The whole of it, null where it was not there. A text that may be a secret is *** and eight digits, which are others when the secret is another.',
})

export const AuditEvent = named(
  'AuditEvent',
  Type.Object({
    id: Type.String({
      description: 'Rises with time; the part before the dot is the same for what was changed together.',
    }),
    at: Type.String(),
    actor: Type.Object({
      id: Type.String({ description: 'As in the header x-auth-subject-id.' }),
      type: Type.String({
        description: 'user, service, enterprise, servicekey, or system: the program itself.',
      }),
      email: OrNull,
      name: OrNull,
    }),
    action: Type.String({ description: 'created, changed or removed.' }),
    kind: Type.String(),
    entity: Type.String({ description: 'Its id.' }),
    name: OrNull,
    changed: Type.Array(Type.String(), { description: 'JSON pointers to the members that differ.' }),
    before: Values,
    after: Values,
  }),
)
export type AuditEvent = Type.Static<typeof AuditEvent>

export const AuditPage = named(
  'AuditPage',
  Type.Object({
    events: Type.Array(AuditEvent, { description: 'Newest first.' }),
    next: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'The cursor of the next page; null on the last one.',
    }),
  }),
)
export type AuditPage = Type.Static<typeof AuditPage>
