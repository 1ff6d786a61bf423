import Type from 'typebox'
import type { Keywords } from '../../keywords.ts'
import { named } from '../../named.ts'

const MAX_TOKEN_LENGTH = 1_024
const MAX_CODE_LENGTH = 64

/** Sign-in of the console (`/v3/auth/session`): with an access token, or with the code of a link. */
export const SessionCreate = named(
  'SessionCreate',
  Type.Object(
    {
      token: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: MAX_TOKEN_LENGTH,
          description: 'Access token. The answer contains it in encrypted form only.',
        }),
      ),
      code: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: MAX_CODE_LENGTH,
          description:
            'Code of a sign-in link, instead of a token. It works once, for ten minutes, and from the machine of the server.',
        }),
      ),
      stay: Type.Optional(
        Type.Boolean({ description: 'true: the session lasts 30 days instead of 12 hours. Default: false.' }),
      ),
    },
    { needsOneOf: ['token', 'code'], exclusivePeers: ['token', 'code'] } satisfies Keywords,
  ),
)
export type SessionCreate = Type.Static<typeof SessionCreate>
