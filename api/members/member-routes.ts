import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import type { Member } from '../../engine/configuration/kinds/members.ts'
import { DeletedWithMessage } from '../../schemas/http/account/deleted.ts'
import { MemberChange, MemberCreate, MemberRecord } from '../../schemas/http/account/member.ts'
import { V1_ERROR_REPLIES } from '../../schemas/http/error-replies.ts'
import { assertValid } from '../configuration/assert-valid.ts'
import { Members } from './members.ts'

const MEMBERS = '/v1/config/members'
const MEMBER = `${MEMBERS}/:email`
const MemberPath = Type.Object({ email: Type.String() })
const ManyMembers = { 200: Type.Array(MemberRecord), ...V1_ERROR_REPLIES }
const OneMember = { 200: MemberRecord, ...V1_ERROR_REPLIES }
const tags = ['members']
const config = { needs: 'admin' as const }

/** `/v1/config/members` (configuration and account API, section 10). */
export const memberRoutes: FastifyPluginAsyncTypebox = async app => {
  const members = new Members(app.ports)

  app.get(
    MEMBERS,
    { config, schema: { summary: 'List members', tags, response: ManyMembers } },
    async ({ caller }) => members.list(caller).map(memberRecord),
  )

  app.post(
    MEMBERS,
    {
      config,
      attachValidation: true,
      schema: { summary: 'Add a member', tags, body: MemberCreate, response: OneMember },
    },
    async request => {
      const { caller, body } = request
      assertValid(request, sent => members.groupDetails(caller, sent))
      return memberRecord(await members.create(caller, body))
    },
  )

  app.get(
    MEMBER,
    { config, schema: { summary: 'Read a member', tags, params: MemberPath, response: OneMember } },
    async ({ caller, params }) => memberRecord(members.get(caller, params.email)),
  )

  app.put(
    MEMBER,
    {
      config,
      attachValidation: true,
      schema: {
        summary: 'Change role or groups of a member, or add a member; omitted properties stay as they are',
        tags,
        params: MemberPath,
        body: MemberChange,
        response: OneMember,
      },
    },
    async request => {
      const { caller, params, body } = request
      assertValid(request, sent => members.groupDetails(caller, sent))
      return memberRecord(await members.change(caller, params.email, body))
    },
  )

  app.delete(
    MEMBER,
    {
      config,
      schema: {
        summary: 'Remove a member from the account, with all their personal tokens for it',
        tags,
        params: MemberPath,
        response: { 200: DeletedWithMessage, ...V1_ERROR_REPLIES },
      },
    },
    async ({ caller, params }) => {
      const { email } = await members.delete(caller, params.email)
      return { message: `Member ${email} was deleted`, deleted: true as const }
    },
  )
}

function memberRecord({ email, role, groups }: Member): MemberRecord {
  return { email, role, groups: [...groups] }
}
