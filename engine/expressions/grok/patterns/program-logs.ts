import type { LibraryPatterns } from './library-pattern.ts'

const RAILS_HEAD = 'Started GET "/doors" for 192.0.2.7 at 2031-03-09 08:15:30 +0000'
const RAILS_FOOT = 'Completed 200 OK in 42ms (Views: 30.1ms | ActiveRecord: 2.5ms)'
const CATALINA = 'Mar 9, 2031 8:15:30 AM org.example.Door open INFO: door open'
const TOMCAT = '2031-03-09 08:15:30,250 +0000 | ERROR | org.example.Door - door is shut'
const NAGIOS = '[1930810530] '
const BACULA = '09-Mar 08:15 web-dir JobId 42: '
const BIND =
  '09-Mar-2031 08:15:30.250 queries: info: client @0x7f 192.0.2.7#5000 (fjord.example): query: fjord.example IN A +E (192.0.2.8)'

/** Names, in the order of their fields, of a line of Nagios: `TYPE: field;field;…`. */
function nagiosLine(type: string, fields: readonly string[]): string {
  return `${type}: ${fields.join(';')}`
}

/** A capture of all up to the next semicolon. */
function field(name: string): string {
  return `%{DATA:${name}}`
}

function nagiosPattern(type: string, fields: readonly string[], values: readonly string[]) {
  const [last, ...others] = [...fields].reverse()
  const is = nagiosLine(`${type}`, [...others.reverse().map(field), `%{GREEDYDATA:${last}}`])
  return {
    is: is.replace(`${type}:`, `(?:%{NAGIOSTIME} )?${type}:`),
    lines: [nagiosLine(type, values), `${NAGIOS}${nagiosLine(type, values)}`],
    others: [nagiosLine('DOOR STATE', values), `${type}: `],
  }
}

const ON_HOST = ['nagios_hostname', 'nagios_state', 'nagios_statetype', 'nagios_attempt', 'nagios_message']
const ON_SERVICE = ['nagios_hostname', 'nagios_service', ...ON_HOST.slice(1)]
const HOST_VALUES = ['web-1', 'DOWN', 'HARD', '3', 'no answer']
const SERVICE_VALUES = ['web-1', 'doors', 'CRITICAL', 'SOFT', '1', 'door is shut']
const NOTIFIED = ['nagios_notifyname', 'nagios_hostname']
const NOTIFIED_VALUES = ['ida', 'web-1']

/** Lines of programs and of the frameworks that they are written with. */
export const PROGRAM_LOGS: LibraryPatterns = {
  RUBY_LOGLEVEL: { is: 'DEBUG|FATAL|ERROR|WARN|INFO', lines: ['DEBUG', 'INFO'], others: ['debug', 'NOTE'] },
  RUBY_LOGGER: {
    is: '[DFEWI], \\[%{TIMESTAMP_ISO8601:timestamp} #%{POSINT:pid}\\] *%{RUBY_LOGLEVEL:loglevel} -- +%{DATA:progname}: %{GREEDYDATA:message}',
    lines: ['I, [2031-03-09T08:15:30.250 #42]  INFO -- door: open'],
    others: [
      'I, [2031-03-09T08:15:30.250] INFO -- door: open',
      'X, [2031-03-09T08:15:30.250 #42] INFO -- : x',
    ],
  },
  RUUID: { is: '[0-9A-Fa-f]{32}', lines: ['0123456789abcdef0123456789ABCDEF'], others: ['0123'] },
  RCONTROLLER: {
    is: '%{DATA:controller}#%{WORD:action}',
    lines: ['DoorsController#open'],
    others: ['Doors'],
  },
  RAILS3HEAD: {
    is: 'Started %{WORD:verb} "%{URIPATHPARAM:request}" for %{IPORHOST:clientip} at %{YEAR}-%{MONTHNUM}-%{MONTHDAY} %{HOUR}:%{MINUTE}:%{SECOND} %{ISO8601_TIMEZONE:timezone}',
    lines: [RAILS_HEAD],
    others: ['Started GET /doors for 192.0.2.7'],
  },
  RPROCESSING: {
    is: '\\s*Processing by %{RCONTROLLER} as %{NOTSPACE:format}(?:\\s*Parameters: \\{%{DATA:params}\\})?',
    lines: [
      'Processing by DoorsController#open as HTML',
      ' Processing by D#o as JSON\n  Parameters: {"a"=>"1"}',
    ],
    others: ['Processing DoorsController as HTML'],
  },
  RAILS3PROFILE: {
    is: '\\(Views: %{NUMBER:viewms}ms \\| ActiveRecord: %{NUMBER:activerecordms}ms|\\(ActiveRecord: %{NUMBER:activerecordms}ms',
    lines: ['(Views: 30.1ms | ActiveRecord: 2.5ms', '(ActiveRecord: 2.5ms'],
    others: ['(Views: 30.1ms'],
  },
  RAILS3FOOT: {
    is: 'Completed %{POSINT:response}%{DATA} in %{NUMBER:totalms}ms %{RAILS3PROFILE}%{GREEDYDATA}',
    lines: [RAILS_FOOT],
    others: ['Completed in 42ms'],
  },
  RAILS3: {
    is: '%{RAILS3HEAD}(?:\\s%{RPROCESSING})?(?:(?s:%{DATA:context})\\s%{RAILS3FOOT})?',
    lines: [
      RAILS_HEAD,
      `${RAILS_HEAD}\nProcessing by DoorsController#open as HTML\nRendered doors\n${RAILS_FOOT}`,
    ],
    others: [RAILS_FOOT, 'Started GET /doors'],
  },
  JAVACLASS: {
    is: '(?:[a-zA-Z$_][a-zA-Z$_0-9]*\\.)*[a-zA-Z$_][a-zA-Z$_0-9]*',
    lines: ['org.example.Door', 'Door$1'],
    others: ['org..Door', '1Door'],
  },
  JAVAFILE: { is: '[A-Za-z0-9_. -]+', lines: ['Door.java', 'Native Method'], others: ['a/b', ''] },
  JAVAMETHOD: {
    is: '<(?:cl)?init>|[a-zA-Z$_][a-zA-Z$_0-9]*',
    lines: ['open', '<init>', '<clinit>'],
    others: ['<x>', '1a'],
  },
  JAVASTACKTRACEPART: {
    is: '%{SPACE}at %{JAVACLASS:class}\\.%{JAVAMETHOD:method}\\(%{JAVAFILE:file}(?::%{NUMBER:line})?\\)',
    lines: ['\tat org.example.Door.open(Door.java:42)', ' at a.B.<init>(Native Method)'],
    others: ['at org.example.Door.open', 'org.example.Door.open(Door.java:42)'],
  },
  JAVATHREAD: { is: '[A-Z]{2}-Processor[0-9]+', lines: ['TP-Processor7'], others: ['Processor7'] },
  JAVALOGMESSAGE: { is: '.*', lines: ['door open'], others: ['a\nb'] },
  CATALINA_DATESTAMP: {
    is: '%{MONTH} %{MONTHDAY}, (?:20)?%{YEAR} %{HOUR}:?%{MINUTE}(?::?%{SECOND}) (?:AM|PM)',
    lines: ['Mar 9, 2031 8:15:30 AM'],
    others: ['Mar 9, 2031 8:15:30'],
  },
  TOMCAT_DATESTAMP: {
    is: '20%{YEAR}-%{MONTHNUM}-%{MONTHDAY} %{HOUR}:?%{MINUTE}(?::?%{SECOND}) %{ISO8601_TIMEZONE}',
    lines: ['2031-03-09 08:15:30,250 +0000'],
    others: ['2031-03-09 08:15:30'],
  },
  CATALINALOG: {
    is: '%{CATALINA_DATESTAMP:timestamp} %{JAVACLASS:class} %{JAVALOGMESSAGE:logmessage}',
    lines: [CATALINA],
    others: [TOMCAT, 'org.example.Door open'],
  },
  TOMCATLOG: {
    is: '%{TOMCAT_DATESTAMP:timestamp} \\| %{LOGLEVEL:level} \\| %{JAVACLASS:class} - %{JAVALOGMESSAGE:logmessage}',
    lines: [TOMCAT],
    others: [CATALINA, TOMCAT.replace(' | ERROR', '')],
  },
  GOLANG_LOG: {
    is: '(?:%{DATA:prefix} )?%{YEAR}/%{MONTHNUM2}/%{MONTHDAY} %{TIME}(?: %{NOTSPACE:file}:%{POSINT:line}:)? %{GREEDYDATA:message}',
    lines: ['2031/03/09 08:15:30 door open', 'door: 2031/03/09 08:15:30.123456 main.go:42: open'],
    others: ['2031-03-09 08:15:30 door open', 'door open'],
  },
  NAGIOSTIME: { is: '\\[%{NUMBER:nagios_epoch}\\]', lines: ['[1930810530]'], others: ['1930810530', '[x]'] },
  NAGIOS_CURRENT_SERVICE_STATE: nagiosPattern('CURRENT SERVICE STATE', ON_SERVICE, SERVICE_VALUES),
  NAGIOS_CURRENT_HOST_STATE: nagiosPattern('CURRENT HOST STATE', ON_HOST, HOST_VALUES),
  NAGIOS_SERVICE_ALERT: nagiosPattern('SERVICE ALERT', ON_SERVICE, SERVICE_VALUES),
  NAGIOS_HOST_ALERT: nagiosPattern('HOST ALERT', ON_HOST, HOST_VALUES),
  NAGIOS_SERVICE_NOTIFICATION: nagiosPattern(
    'SERVICE NOTIFICATION',
    [...NOTIFIED, 'nagios_service', 'nagios_state', 'nagios_contact', 'nagios_message'],
    [...NOTIFIED_VALUES, 'doors', 'CRITICAL', 'mail', 'door is shut'],
  ),
  NAGIOS_HOST_NOTIFICATION: nagiosPattern(
    'HOST NOTIFICATION',
    [...NOTIFIED, 'nagios_state', 'nagios_contact', 'nagios_message'],
    [...NOTIFIED_VALUES, 'DOWN', 'mail', 'no answer'],
  ),
  NAGIOS_PASSIVE_SERVICE_CHECK: nagiosPattern(
    'PASSIVE SERVICE CHECK',
    ['nagios_hostname', 'nagios_service', 'nagios_state', 'nagios_comment'],
    ['web-1', 'doors', '0', 'open'],
  ),
  NAGIOS_PASSIVE_HOST_CHECK: nagiosPattern(
    'PASSIVE HOST CHECK',
    ['nagios_hostname', 'nagios_state', 'nagios_comment'],
    ['web-1', '0', 'up'],
  ),
  NAGIOS_SERVICE_EVENT_HANDLER: nagiosPattern(
    'SERVICE EVENT HANDLER',
    [...ON_SERVICE.slice(0, 4), 'nagios_event_handler_name'],
    ['web-1', 'doors', 'CRITICAL', 'SOFT', 'restart'],
  ),
  NAGIOS_HOST_EVENT_HANDLER: nagiosPattern(
    'HOST EVENT HANDLER',
    [...ON_HOST.slice(0, 3), 'nagios_event_handler_name'],
    ['web-1', 'DOWN', 'HARD', 'restart'],
  ),
  NAGIOS_TIMEPERIOD_TRANSITION: nagiosPattern(
    'TIMEPERIOD TRANSITION',
    ['nagios_service', 'nagios_unknown1', 'nagios_unknown2'],
    ['workhours', '0', '1'],
  ),
  NAGIOS_SERVICE_FLAPPING_ALERT: nagiosPattern(
    'SERVICE FLAPPING ALERT',
    ['nagios_hostname', 'nagios_service', 'nagios_state', 'nagios_message'],
    ['web-1', 'doors', 'STARTED', 'door flaps'],
  ),
  NAGIOS_HOST_FLAPPING_ALERT: nagiosPattern(
    'HOST FLAPPING ALERT',
    ['nagios_hostname', 'nagios_state', 'nagios_message'],
    ['web-1', 'STOPPED', 'host is steady'],
  ),
  NAGIOS_SERVICE_DOWNTIME_ALERT: nagiosPattern(
    'SERVICE DOWNTIME ALERT',
    ['nagios_hostname', 'nagios_service', 'nagios_state', 'nagios_comment'],
    ['web-1', 'doors', 'STARTED', 'repair'],
  ),
  NAGIOS_HOST_DOWNTIME_ALERT: nagiosPattern(
    'HOST DOWNTIME ALERT',
    ['nagios_hostname', 'nagios_state', 'nagios_comment'],
    ['web-1', 'STARTED', 'repair'],
  ),
  NAGIOS_EXTERNAL_COMMAND: nagiosPattern(
    'EXTERNAL COMMAND',
    ['nagios_command', 'nagios_params'],
    ['ENABLE', 'web-1;1'],
  ),
  NAGIOSLOGLINE: {
    is: [
      ...['%{NAGIOS_CURRENT_SERVICE_STATE}', '%{NAGIOS_CURRENT_HOST_STATE}', '%{NAGIOS_SERVICE_ALERT}'],
      ...['%{NAGIOS_HOST_ALERT}', '%{NAGIOS_SERVICE_NOTIFICATION}', '%{NAGIOS_HOST_NOTIFICATION}'],
      ...[
        '%{NAGIOS_PASSIVE_SERVICE_CHECK}',
        '%{NAGIOS_PASSIVE_HOST_CHECK}',
        '%{NAGIOS_SERVICE_EVENT_HANDLER}',
      ],
      ...[
        '%{NAGIOS_HOST_EVENT_HANDLER}',
        '%{NAGIOS_TIMEPERIOD_TRANSITION}',
        '%{NAGIOS_SERVICE_FLAPPING_ALERT}',
      ],
      ...[
        '%{NAGIOS_HOST_FLAPPING_ALERT}',
        '%{NAGIOS_SERVICE_DOWNTIME_ALERT}',
        '%{NAGIOS_HOST_DOWNTIME_ALERT}',
      ],
      '%{NAGIOS_EXTERNAL_COMMAND}',
    ].join('|'),
    lines: [
      `${NAGIOS}SERVICE ALERT: web-1;doors;CRITICAL;SOFT;1;door is shut`,
      `${NAGIOS}HOST ALERT: web-1;DOWN;HARD;3;no answer`,
      `${NAGIOS}EXTERNAL COMMAND: ENABLE;web-1`,
    ],
    others: [`${NAGIOS}DOOR ALERT: web-1;x`, 'door is shut'],
  },
  BACULA_TIMESTAMP: {
    is: '%{MONTHDAY}-%{MONTH}(?:-%{YEAR})? %{HOUR}:%{MINUTE}',
    lines: ['09-Mar 08:15', '09-Mar-2031 08:15'],
    others: ['09.03. 08:15'],
  },
  BACULA_HOST: { is: '[a-zA-Z0-9-]+', lines: ['web-dir'], others: ['web dir', 'a.b'] },
  BACULA_VOLUME: { is: '%{USER}', lines: ['Full-0001'], others: ['a b'] },
  BACULA_DEVICE: { is: '%{USER}', lines: ['Tape-1'], others: ['a b'] },
  BACULA_DEVICEPATH: { is: '%{UNIXPATH}', lines: ['/dev/nst0'], others: ['nst0'] },
  BACULA_CAPACITY: { is: '%{INT}(?:,%{INT})*', lines: ['1,234,567', '42'], others: ['1,', 'a'] },
  BACULA_VERSION: { is: '%{USER}', lines: ['9.6.7'], others: ['9 6'] },
  BACULA_JOB: { is: '%{USER}', lines: ['web-1.2031-03-09_08.15.30_42'], others: ['a b'] },
  BACULA_LOGLINE: {
    is: '%{BACULA_TIMESTAMP:bts} %{BACULA_HOST:hostname} (?:JobId %{INT:jobid}: )?(?:Fatal [eE]rror: %{GREEDYDATA:fatal}|Error: %{GREEDYDATA:error}|Warning: %{GREEDYDATA:warning}|Start Backup JobId %{INT}, Job=%{BACULA_JOB:job}|Labeled new Volume "%{BACULA_VOLUME:volume}" on device "%{BACULA_DEVICE:device}" \\(%{BACULA_DEVICEPATH}\\)\\.?|%{GREEDYDATA:message})',
    lines: [
      `${BACULA}Start Backup JobId 42, Job=web-1.2031-03-09_08.15.30_42`,
      `${BACULA}Fatal error: door is shut`,
      '09-Mar 08:15 web-dir door open',
    ],
    others: ['web-dir JobId 42: x', '09-Mar web-dir JobId 42: x'],
  },
  BIND9_TIMESTAMP: {
    is: '%{MONTHDAY}-%{MONTH}-%{YEAR} %{TIME}',
    lines: ['09-Mar-2031 08:15:30.250'],
    others: ['09-Mar 08:15:30'],
  },
  BIND9: {
    is: '%{BIND9_TIMESTAMP:timestamp} queries: %{LOGLEVEL:loglevel}: client(?: @0x[0-9a-fA-F]+)? %{IP:clientip}#%{POSINT:clientport} ?\\(%{DATA:query}\\): query: %{DATA} IN %{WORD:querytype}(?: %{DATA:flags})? \\(%{IP:dns}\\)',
    lines: [BIND, BIND.replace(' @0x7f', '')],
    others: [BIND.replace('query: ', ''), '09-Mar-2031 08:15:30.250 door open'],
  },
}
