import { isJsonObject, type JsonValue } from '../../../../schemas/json.ts'
import { canonicalTimeOf, instantOf } from '../../../times/instant.ts'
import { defineParser } from './define-parser.ts'
import { jsonValueOf, MAX_JSON_LENGTH } from './json.ts'

/** Message of a subscription to a group of CloudWatch logs. */
export const awsCloudwatchLog = defineParser({
  id: 'parse_aws_cloudwatch_log_subscription_message',
  maxTextLength: MAX_JSON_LENGTH,
  compile: () => text => {
    const message = jsonValueOf(text)
    if (!isJsonObject(message)) return undefined
    const { owner, messageType, logGroup, logStream, subscriptionFilters: filters, logEvents: sent } = message
    if (![owner, messageType, logGroup, logStream].every(isText)) return undefined
    if (!Array.isArray(filters) || !filters.every(isText) || !Array.isArray(sent)) return undefined
    const events: JsonValue[] = []
    for (const event of sent) {
      const parsed = parsedEvent(event)
      if (parsed === undefined) return undefined
      events.push(parsed)
    }
    return {
      owner: owner as string,
      message_type: messageType as string,
      log_group: logGroup as string,
      log_stream: logStream as string,
      subscription_filters: filters,
      log_events: events,
    }
  },
  examples: [
    {
      text: '{"messageType":"DATA_MESSAGE","owner":"1111","logGroup":"test","logStream":"one","subscriptionFilters":["all"],"logEvents":[{"id":"35","timestamp":1930983330250,"message":"{}"}]}',
      value: {
        owner: '1111',
        message_type: 'DATA_MESSAGE',
        log_group: 'test',
        log_stream: 'one',
        subscription_filters: ['all'],
        log_events: [{ id: '35', timestamp: '2031-03-11T08:15:30.250Z', message: '{}' }],
      },
    },
    { text: '{"owner":"1111"}' },
    { text: 'x' },
  ],
})

function parsedEvent(event: JsonValue): JsonValue | undefined {
  if (!isJsonObject(event)) return undefined
  const { id, timestamp: ms, message } = event
  if (!isText(id) || !isText(message) || typeof ms !== 'number' || !Number.isInteger(ms)) return undefined
  const second = Math.floor(ms / 1000)
  const instant = instantOf(second, (ms - second * 1000) * 1_000_000)
  return instant && { id: id as string, timestamp: canonicalTimeOf(instant), message: message as string }
}

function isText(value: JsonValue | undefined): boolean {
  return typeof value === 'string'
}
