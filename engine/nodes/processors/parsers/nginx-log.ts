import Type from 'typebox'
import type { JsonValue } from '../../../../schemas/json.ts'
import { CLOSED, defineParser, objectOf, type ParseText, unlessDash } from './define-parser.ts'
import {
  ACCESS_LOG_TIME,
  LOG_TIME,
  logTimeProblems,
  logTimeReader,
  NGINX_ERROR_LOG_TIME,
  type ReadTime,
} from './log-time.ts'

const COMBINED =
  /^(\S+) - (\S+) \[([^\]]*)\] "([^"\\]*(?:\\.[^"\\]*)*)" (\d{3}|-) (\d+|-) "([^"\\]*(?:\\.[^"\\]*)*)" "([^"\\]*(?:\\.[^"\\]*)*)"(?: "([^"\\]*(?:\\.[^"\\]*)*)")?$/s
const ERROR = /^([^[]*) \[([^\]]*)\] (\d+)#(\d+): (?:\*(\d+) )?(.*)$/s
/** Facts behind the message of an error. */
const FACT = /, (excess|client|server|request|upstream|host|referrer): /g
/** Further ones repeat a name. */
const MAX_FACTS = 100
const EXCESS = /^(\d+(?:\.\d+)?) by zone "([^"]*)"$/

const Options = Type.Object(
  {
    format: Type.Enum(['combined', 'error'], { description: 'Which of the logs it is' }),
    timestamp_format: Type.Optional(
      Type.String({
        minLength: 1,
        description: `strftime text, or Custom; when absent ${ACCESS_LOG_TIME}, or ${NGINX_ERROR_LOG_TIME} for error`,
      }),
    ),
    custom_timestamp_format: Type.Optional(
      Type.String({ minLength: 1, description: 'strftime text, for Custom' }),
    ),
  },
  CLOSED,
)

/** A line of the access log or error log of nginx. All values but `excess` are texts: components, section 5.15. */
export const nginxLog = defineParser<typeof Options>({
  id: 'parse_nginx_log',
  options: Options,
  optionsRequired: true,
  timeFormat: LOG_TIME,
  complete: options => ({
    ...options,
    timestamp_format:
      options.timestamp_format ?? (options.format === 'error' ? NGINX_ERROR_LOG_TIME : ACCESS_LOG_TIME),
  }),
  runProblems: options => logTimeProblems({ ...options }),
  compile: options =>
    options.format === 'error'
      ? errorParser(logTimeReader({ ...options }, NGINX_ERROR_LOG_TIME))
      : accessParser(logTimeReader({ ...options }, ACCESS_LOG_TIME)),
  examples: [
    {
      text: '192.0.2.1 - ada [09/Mar/2031:08:15:30 +0000] "GET / HTTP/1.1" 200 61 "-" "curl/8" "1.50"',
      options: { format: 'combined' },
      value: {
        client: '192.0.2.1',
        user: 'ada',
        timestamp: '2031-03-09T08:15:30Z',
        request: 'GET / HTTP/1.1',
        status: '200',
        size: '61',
        referer: '-',
        agent: 'curl/8',
        compression: '1.50',
      },
    },
    {
      text: '2031/03/09 08:15:30 [error] 31#32: *7 open() "/a, b" failed (2: No such file or directory), client: 192.0.2.1, server: shop, request: "GET /a, HTTP/1.1", host: "shop:80"',
      options: { format: 'error' },
      value: {
        timestamp: '2031-03-09T08:15:30Z',
        severity: 'error',
        pid: '31',
        tid: '32',
        cid: '7',
        message: 'open() "/a, b" failed (2: No such file or directory)',
        client: '192.0.2.1',
        server: 'shop',
        request: 'GET /a, HTTP/1.1',
        host: 'shop:80',
      },
    },
    {
      text: '2031/03/09 08:15:30 [warn] 31#32: *7 limiting requests, excess: 50.416 by zone "all", client: 192.0.2.1, server: shop, referrer: "https://a.example/"',
      options: { format: 'error' },
      value: {
        timestamp: '2031-03-09T08:15:30Z',
        severity: 'warn',
        pid: '31',
        tid: '32',
        cid: '7',
        message: 'limiting requests',
        excess: 50.416,
        zone: 'all',
        client: '192.0.2.1',
        server: 'shop',
        referer: 'https://a.example/',
      },
    },
    { text: 'GET /', options: { format: 'combined' } },
    { text: 'an error', options: { format: 'error' } },
  ],
})

function accessParser(readTime: ReadTime): ParseText {
  return (text, nowMs) => {
    const match = COMBINED.exec(text)
    const time = match === null ? undefined : readTime(match[3] as string, nowMs)
    if (match === null || time === undefined) return undefined
    const [, client, user, , request, status, size, referer, agent, compression] = match
    return objectOf([
      ['client', unlessDash(client)],
      ['user', unlessDash(user)],
      ['timestamp', time],
      ['request', unlessDash(request)],
      ['status', unlessDash(status)],
      ['size', unlessDash(size)],
      ['referer', referer],
      ['agent', agent],
      ['compression', unlessDash(compression)],
    ])
  }
}

function errorParser(readTime: ReadTime): ParseText {
  return (text, nowMs) => {
    const match = ERROR.exec(text)
    const time = match === null ? undefined : readTime(match[1] as string, nowMs)
    if (match === null || time === undefined) return undefined
    const [, , severity, pid, tid, cid, rest = ''] = match
    const { message, facts } = factsIn(rest)
    const [, excess, zone] = EXCESS.exec(facts.get('excess') ?? '') ?? []
    return objectOf([
      ['timestamp', time],
      ['severity', unlessDash(severity)],
      ['pid', pid],
      ['tid', tid],
      ['cid', cid],
      ['message', message],
      ['excess', excess === undefined ? undefined : Number(excess)],
      ['zone', zone],
      ...['client', 'server', 'request', 'upstream', 'host'].map((name): [string, JsonValue | undefined] => [
        name,
        facts.get(name),
      ]),
      ['referer', facts.get('referrer')],
    ])
  }
}

/** The message, and the facts behind it by name. A fact in quotes may contain commas. */
function factsIn(text: string): { readonly message: string; readonly facts: ReadonlyMap<string, string> } {
  const facts = new Map<string, string>()
  const marks = [...text.matchAll(FACT)].slice(0, MAX_FACTS)
  for (const [place, mark] of marks.entries()) {
    const name = mark[1] as string
    const value = text.slice(mark.index + mark[0].length, marks[place + 1]?.index)
    if (!facts.has(name)) facts.set(name, unquoted(value))
  }
  return { message: text.slice(0, marks[0]?.index), facts }
}

function unquoted(value: string): string {
  return value.length > 1 && value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1) : value
}
