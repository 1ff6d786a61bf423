import Type, { type Static } from 'typebox'
import type { JsonObject } from '../../../../schemas/json.ts'
import {
  CLOSED,
  defineParser,
  integerOf,
  integerUnlessDash,
  objectOf,
  type ParseText,
  unlessDash,
} from './define-parser.ts'
import { ACCESS_LOG_TIME, LOG_TIME, logTimeProblems, logTimeReader, type ReadTime } from './log-time.ts'

const HEAD = String.raw`(\S+) (\S+) (\S+) \[([^\]]*)\] "([^"\\]*(?:\\.[^"\\]*)*)" (\d{3}|-) (\d+|-)`
const COMMON = new RegExp(`^${HEAD}$`, 's')
const COMBINED = new RegExp(String.raw`^${HEAD} "([^"\\]*(?:\\.[^"\\]*)*)" "([^"\\]*(?:\\.[^"\\]*)*)"$`, 's')
/** Up to Apache 2.2 a line has neither module nor process. */
const ERROR =
  /^\[([^\]]*)\] \[(?:([^:\]]*):)?([^\]]*)\](?: \[pid (\d+)(?::tid (\d+))?\])?(?: \[client (\[[^\]]*\]:\d+|[^\]]*)\])? (.*)$/s
const REQUEST = /^(\S+) (\S+) (\S+)$/
/** An IPv6 address with a port is in brackets. */
const ADDRESS_WITH_PORT = /^(?:\[([^\]]*)\]|([^:]*)):(\d{1,5})$/s

const Options = Type.Object(
  {
    format: Type.Enum(['common', 'combined', 'error'], { description: 'Which of the logs it is' }),
    timestamp_format: Type.Optional(
      Type.String({ minLength: 1, default: ACCESS_LOG_TIME, description: 'strftime text, or Custom' }),
    ),
    custom_timestamp_format: Type.Optional(
      Type.String({ minLength: 1, description: 'strftime text, for Custom' }),
    ),
  },
  CLOSED,
)

/** A line of the access log or error log of Apache. */
export const apacheLog = defineParser<typeof Options>({
  id: 'parse_apache_log',
  options: Options,
  optionsRequired: true,
  timeFormat: LOG_TIME,
  runProblems: options => logTimeProblems({ ...options }),
  compile: options => {
    const readTime = logTimeReader({ ...options }, ACCESS_LOG_TIME)
    return options.format === 'error' ? errorParser(readTime) : accessParser(options.format, readTime)
  },
  examples: [
    {
      text: '192.0.2.1 - ada [09/Mar/2031:08:15:30 +0100] "GET /a?b=1 HTTP/1.1" 200 512',
      options: { format: 'common' },
      value: {
        host: '192.0.2.1',
        user: 'ada',
        timestamp: '2031-03-09T07:15:30Z',
        message: 'GET /a?b=1 HTTP/1.1',
        method: 'GET',
        path: '/a?b=1',
        protocol: 'HTTP/1.1',
        status: 200,
        size: 512,
      },
    },
    {
      text: '192.0.2.1 - - [09/Mar/2031:08:15:30 +0000] "\\x16\\x03" 400 - "-" "curl \\"8\\""',
      options: { format: 'combined' },
      value: {
        host: '192.0.2.1',
        timestamp: '2031-03-09T08:15:30Z',
        message: '\\x16\\x03',
        status: 400,
        agent: 'curl \\"8\\"',
      },
    },
    {
      text: '[Sun Mar 09 08:15:30.250000 2031] [core:error] [pid 35:tid 43] [client 192.0.2.1:50123] File does not exist',
      options: { format: 'error', timestamp_format: '%a %b %d %H:%M:%S%.f %Y' },
      value: {
        timestamp: '2031-03-09T08:15:30.250Z',
        module: 'core',
        severity: 'error',
        pid: 35,
        thread: '43',
        client: '192.0.2.1',
        port: 50123,
        message: 'File does not exist',
      },
    },
    {
      text: '[Sun Mar 09 08:15:30 2031] [notice] workerEnv.init() ok',
      options: { format: 'error', timestamp_format: '%a %b %d %H:%M:%S%.f %Y' },
      value: { timestamp: '2031-03-09T08:15:30Z', severity: 'notice', message: 'workerEnv.init() ok' },
    },
    {
      text: '[Sun Mar 09 08:15:30 2031] [error] [client 2001:db8::7] Directory index forbidden',
      options: { format: 'error', timestamp_format: '%a %b %d %H:%M:%S%.f %Y' },
      value: {
        timestamp: '2031-03-09T08:15:30Z',
        severity: 'error',
        client: '2001:db8::7',
        message: 'Directory index forbidden',
      },
    },
    {
      text: '[Sun Mar 09 08:15:30.25 2031] [proxy:error] [pid 35] [client [2001:db8::7]:50123] AH00898: Error reading',
      options: { format: 'error', timestamp_format: '%a %b %d %H:%M:%S%.f %Y' },
      value: {
        timestamp: '2031-03-09T08:15:30.250Z',
        module: 'proxy',
        severity: 'error',
        pid: 35,
        client: '2001:db8::7',
        port: 50123,
        message: 'AH00898: Error reading',
      },
    },
    {
      text: '192.0.2.1 - - [-] "GET / HTTP/1.0" 200 1',
      options: { format: 'common' },
      value: {
        host: '192.0.2.1',
        message: 'GET / HTTP/1.0',
        method: 'GET',
        path: '/',
        protocol: 'HTTP/1.0',
        status: 200,
        size: 1,
      },
    },
    { text: 'GET /', options: { format: 'common' } },
    { text: '192.0.2.1 - - [noon] "GET / HTTP/1.1" 200 1', options: { format: 'common' } },
  ],
})

export function accessParser(format: Static<typeof Options>['format'], readTime: ReadTime): ParseText {
  const form = format === 'combined' ? COMBINED : COMMON
  return (text, nowMs) => {
    const match = form.exec(text)
    if (match === null) return undefined
    const written = unlessDash(match[4])
    const time = written === undefined ? undefined : readTime(written, nowMs)
    if (written !== undefined && time === undefined) return undefined
    const [, host, identity, user, , message = '', status, size, referrer, agent] = match
    // Members are assigned one by one, since a list of them would take as long to build as the object.
    const found: JsonObject = {}
    if (isThere(host)) found.host = host
    if (isThere(identity)) found.identity = identity
    if (isThere(user)) found.user = user
    if (time !== undefined) found.timestamp = time
    if (isThere(message)) found.message = message
    const request = REQUEST.exec(message)
    if (request !== null) {
      found.method = request[1] as string
      found.path = request[2] as string
      found.protocol = request[3] as string
    }
    if (isThere(status)) found.status = integerOf(status)
    if (isThere(size)) found.size = integerOf(size)
    if (isThere(referrer)) found.referrer = referrer
    if (isThere(agent)) found.agent = agent
    return found
  }
}

/** A dash stands for no value. */
function isThere(text: string | undefined): text is string {
  return text !== undefined && text !== '-'
}

function errorParser(readTime: ReadTime): ParseText {
  return (text, nowMs) => {
    const match = ERROR.exec(text)
    const time = match === null ? undefined : readTime(match[1] as string, nowMs)
    if (match === null || time === undefined) return undefined
    const [, , part, severity, pid, thread, client, message] = match
    const [, bracketed, plain, port] = ADDRESS_WITH_PORT.exec(client ?? '') ?? []
    return objectOf([
      ['timestamp', time],
      ['module', part === '' ? undefined : unlessDash(part)],
      ['severity', unlessDash(severity)],
      ['pid', integerUnlessDash(pid)],
      ['thread', thread],
      ['client', unlessDash(bracketed ?? plain ?? client)],
      ['port', integerUnlessDash(port)],
      ['message', message],
    ])
  }
}
