import { newShortId } from '../../engine/configuration/mint.ts'
import type { Entropy } from '../../engine/entropy/entropy.ts'
import type { ChannelRecord, ChannelWrite } from '../../schemas/http/account/channel.ts'
import { givenMembers } from '../configuration/given-members.ts'
import { indentedJsonText } from '../http/member-order.ts'

/** Channels in their stored and returned form: with every default, and only with their own members. */
export function channelRecords(writes: readonly ChannelWrite[] = [], entropy: Entropy): ChannelRecord[] {
  return writes.map(write => channelRecord(write, newShortId(entropy)))
}

/** Returns the record of a channel: configuration and account API, section 5. */
function channelRecord(write: ChannelWrite, alertid: string): ChannelRecord {
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
        ...(write.bodyTemplate !== undefined && { bodyTemplate: indentedJsonText(write.bodyTemplate) }),
      }
  }
}
