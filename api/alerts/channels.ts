import { newShortId } from '../../engine/configuration/mint.ts'
import type { Entropy } from '../../engine/entropy/entropy.ts'
import type { ChannelRecord, ChannelWrite } from '../../schemas/http/account/channel.ts'
import type { JsonValue } from '../../schemas/json.ts'
import { givenMembers } from '../configuration/given-members.ts'
import { badRequest } from '../http/errors.ts'
import { indentedJsonText, indentedLength } from '../http/member-order.ts'

/** Limit of a template as it is stored: blanks can make one a hundred times as long as it was sent. (Our choice.) */
const MAX_TEMPLATE_CHARACTERS = 131_072

/** Channels in their stored and returned form: with every default, and only with their own members. */
export function channelRecords(writes: readonly ChannelWrite[] = [], entropy: Entropy): ChannelRecord[] {
  return writes.map((write, index) => channelRecord(write, newShortId(entropy), `channels[${index}]`))
}

/** The stored form of a template: section 5.4. @throws ApiError 400 when it is too long */
export function templateText(template: JsonValue, key: string): string {
  if (indentedLength(template, MAX_TEMPLATE_CHARACTERS) > MAX_TEMPLATE_CHARACTERS)
    throw badRequest([
      { message: `"${key}" must be at most ${MAX_TEMPLATE_CHARACTERS} characters long`, key },
    ])
  return indentedJsonText(template)
}

/** Returns the record of a channel: configuration and account API, section 5. */
function channelRecord(write: ChannelWrite, alertid: string, key: string): ChannelRecord {
  const operator = write.operator ?? 'presence'
  const common = {
    alertid,
    operator,
    triggerlimit: write.triggerlimit ?? 1,
    triggerinterval: write.triggerinterval ?? (operator === 'presence' ? '30' : '15m'),
    immediate: write.immediate ?? false,
    terminal: write.terminal ?? true,
    ...givenMembers(write, ['timezone', 'blackout']),
  }
  switch (write.integration) {
    case 'email':
      return { integration: 'email', ...common, emails: write.emails }
    case 'pagerduty':
      return {
        integration: 'pagerduty',
        ...common,
        key: write.key,
        ...givenMembers(write, ['autoresolve', 'autoresolvelimit', 'autoresolveinterval']),
      }
    case 'slack':
      return { integration: 'slack', ...common, url: write.url, ...givenMembers(write, ['color']) }
    case 'webhook':
      return {
        integration: 'webhook',
        ...common,
        url: write.url,
        method: write.method ?? 'post',
        headers: write.headers ?? {},
        ...(write.bodyTemplate !== undefined && {
          bodyTemplate: templateText(write.bodyTemplate, `${key}.bodyTemplate`),
        }),
      }
  }
}
