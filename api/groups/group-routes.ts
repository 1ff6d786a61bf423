import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import Type from 'typebox'
import type { ConfigurationLog } from '../../engine/configuration/configuration-log.ts'
import type { AccessGroup } from '../../engine/configuration/kinds/members.ts'
import {
  AccessGroupChange,
  AccessGroupCreate,
  AccessGroupRecord,
} from '../../schemas/http/account/access-group.ts'
import { Deleted } from '../../schemas/http/account/deleted.ts'
import { V1_ERROR_REPLIES } from '../../schemas/http/error-replies.ts'
import { accountOf } from '../auth/permission.ts'
import { accountOfServiceKey } from '../auth/service-key.ts'
import type { Owned } from '../configuration/owned-entities.ts'
import { sendList } from '../http/streamed-list.ts'
import { Groups } from './groups.ts'

const GROUPS = '/v1/config/groups'
const GROUP = `${GROUPS}/:groupId`
const GroupPath = Type.Object({ groupId: Type.String() })
const ManyGroups = { 200: Type.Array(AccessGroupRecord), ...V1_ERROR_REPLIES }
const OneGroup = { 200: AccessGroupRecord, ...V1_ERROR_REPLIES }
const tags = ['groups']
const config = { needs: 'admin' as const }
const DESCRIPTION =
  'Needs a service key of the account in the header servicekey, in addition to any other credential. Sessions of the console need none.'

/** `/v1/config/groups` (configuration and account API, section 11; specification, endpoints 9 and 10). */
export const groupRoutes: FastifyPluginAsyncTypebox = async app => {
  const groups = new Groups(app.ports)
  const onRequest = withServiceKey(app.ports.configuration)

  app.get(
    GROUPS,
    { config, schema: { summary: 'List groups', tags, response: ManyGroups } },
    async ({ caller }, reply) =>
      sendList(reply, app.ports.clock, groups.list(caller).values().map(groupRecord)),
  )

  app.post(
    GROUPS,
    {
      config,
      onRequest,
      schema: {
        summary: 'Create a group, whose members see the lines that match its query',
        description: DESCRIPTION,
        tags,
        body: AccessGroupCreate,
        response: OneGroup,
      },
    },
    async ({ caller, body }) => groupRecord(await groups.create(caller, body)),
  )

  app.get(
    GROUP,
    { config, schema: { summary: 'Read a group', tags, params: GroupPath, response: OneGroup } },
    async ({ caller, params }) => groupRecord(groups.get(caller, params.groupId)),
  )

  app.patch(
    GROUP,
    {
      config,
      onRequest,
      schema: {
        summary: 'Change a group; omitted members stay as they are',
        description: DESCRIPTION,
        tags,
        params: GroupPath,
        body: AccessGroupChange,
        response: OneGroup,
      },
    },
    async ({ caller, params, body }) => groupRecord(await groups.change(caller, params.groupId, body)),
  )

  app.delete(
    GROUP,
    {
      config,
      onRequest,
      schema: {
        summary: 'Delete a group without members',
        description: DESCRIPTION,
        tags,
        params: GroupPath,
        response: { 200: Deleted, ...V1_ERROR_REPLIES },
      },
    },
    async ({ caller, params }) => {
      await groups.delete(caller, params.groupId)
      return { deleted: true as const }
    },
  )
}

/**
 * Hook that requires a service key before the request is validated. An administrator's session of the console is enough
 * without one, so that no page has to ask for a key.
 */
function withServiceKey(configuration: ConfigurationLog) {
  return async ({ caller, headers }: FastifyRequest): Promise<void> => {
    if (caller.isSession) return
    await accountOfServiceKey(headers, configuration, accountOf(caller).shortId)
  }
}

function groupRecord({ id, value: { account, name, accessScopes } }: Owned<AccessGroup>): AccessGroupRecord {
  return { id, account, name, accessScopes }
}
