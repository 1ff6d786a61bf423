import type { LibraryPatterns } from './library-pattern.ts'

const MONGO_3 = '2031-03-09T08:15:30.250+0000 I NETWORK  [conn7] end connection 192.0.2.7:5000'
const POSTGRES = '2031-03-09 08:15:30.250 UTC ida 3f1a 42'
const PSQL = '2031-03-09 08:15:30.250 UTC [42] ida@doors LOG:  duration: 7 ms'
const REDIS = '[42] 09 Mar 08:15:30 * DB saved on disk'
const REDIS_MONITOR = '1930810530.250 [0 192.0.2.7:5000] "set" "door" "open"'

/** Lines of databases. */
export const DATABASE_LOGS: LibraryPatterns = {
  MONGO_LOG: {
    is: '%{SYSLOGTIMESTAMP:timestamp} \\[%{WORD:component}\\] %{GREEDYDATA:message}',
    lines: ['Mar  9 08:15:30 [conn7] end connection'],
    others: [MONGO_3],
  },
  MONGO_QUERY: { is: '\\{ .* \\}', lines: ['{ door: 4 }', '{ a: { b: 1 } }'], others: ['{}', 'door: 4'] },
  MONGO_WORDDASH: { is: '\\b[\\w-]+\\b', lines: ['door-1', 'door'], others: ['a b', '-'] },
  MONGO_SLOWQUERY: {
    is: '%{WORD} %{MONGO_WORDDASH:database}\\.%{MONGO_WORDDASH:collection} %{WORD}: %{MONGO_QUERY:query} %{WORD}:%{NONNEGINT:ntoreturn} %{WORD}:%{NONNEGINT:ntoskip} %{WORD}:%{NONNEGINT:nscanned}.*nreturned:%{NONNEGINT:nreturned}.+ %{INT:duration}ms',
    lines: [
      'query doors.log query: { door: 4 } ntoreturn:0 ntoskip:0 nscanned:9 keyUpdates:0 nreturned:7 reslen:42 8ms',
    ],
    others: ['query doors.log query: { door: 4 } 8ms'],
  },
  MONGO3_SEVERITY: { is: '\\w', lines: ['I', 'E'], others: ['II', '-'] },
  MONGO3_COMPONENT: { is: '%{WORD}|-', lines: ['NETWORK', '-'], others: ['A B'] },
  MONGO3_LOG: {
    is: '%{TIMESTAMP_ISO8601:timestamp} %{MONGO3_SEVERITY:severity} (?:%{MONGO3_COMPONENT:component})%{SPACE}(?:\\[%{DATA:context}\\])? %{GREEDYDATA:message}',
    lines: [MONGO_3, '2031-03-09T08:15:30.250+0000 E -        [main] door is shut'],
    others: ['Mar  9 08:15:30 [conn7] end connection', PSQL],
  },
  POSTGRESQL: {
    is: '%{TIMESTAMP_ISO8601:timestamp} %{TZ} %{USERNAME:user_id} %{NOTSPACE:connection_id} %{POSINT:pid}',
    lines: [POSTGRES],
    others: [POSTGRES.replace(' UTC', ''), '2031-03-09 08:15:30 UTC'],
  },
  PSQL_LOG: {
    is: '%{TIMESTAMP_ISO8601:timestamp} %{TZ} \\[%{POSINT:pid}\\](?:-%{INT:line})? ?(?:%{USERNAME:user}@%{NOTSPACE:database} )?(?:DEBUG[1-5]?|INFO|NOTICE|WARNING|ERROR|LOG|FATAL|PANIC|STATEMENT|DETAIL|HINT):%{SPACE}%{GREEDYDATA:message}',
    lines: [PSQL, '2031-03-09 08:15:30.250 UTC [42] ERROR:  door is shut'],
    others: [POSTGRES, PSQL.replace('LOG', 'LOUD')],
  },
  ELASTICSEARCH_LOG: {
    is: '\\[%{TIMESTAMP_ISO8601:timestamp}\\]\\[%{LOGLEVEL:level} *\\]\\[%{DATA:logger}\\](?: \\[%{DATA:node}\\])? ?%{GREEDYDATA:message}',
    lines: ['[2031-03-09T08:15:30,250][INFO ][o.e.n.Node               ] [door-1] started'],
    others: ['2031-03-09T08:15:30,250 INFO started', '[2031-03-09T08:15:30,250] started'],
  },
  REDISTIMESTAMP: {
    is: '%{MONTHDAY} %{MONTH} %{TIME}',
    lines: ['09 Mar 08:15:30'],
    others: ['Mar 09 08:15:30'],
  },
  REDISLOG: {
    is: '\\[%{POSINT:pid}\\] %{REDISTIMESTAMP:timestamp} [*.#-] ?%{GREEDYDATA:message}',
    lines: [REDIS, '[42] 09 Mar 08:15:30 # '],
    others: ['42 09 Mar 08:15:30 * x', REDIS_MONITOR],
  },
  REDISMONLOG: {
    is: '%{NUMBER:timestamp} \\[%{INT:database} (?:%{IP:client}:%{NUMBER:port}|lua)\\] "%{WORD:command}"(?: %{GREEDYDATA:params})?',
    lines: [REDIS_MONITOR, '1930810530.250 [0 lua] "get" "door"', '1930810530.250 [0 192.0.2.7:5000] "ping"'],
    others: [REDIS, '1930810530.250 "set" "door"'],
  },
}
