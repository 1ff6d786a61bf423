import type { LibraryPatterns } from './library-pattern.ts'

/** Lines of syslog, of its senders, and of Kubernetes. */
export const SYSTEM_LOGS: LibraryPatterns = {
  PROG: { is: '[\\x21-\\x5a\\x5c\\x5e-\\x7e]+', lines: ['sshd', 'postfix/smtpd'], others: ['a b', 'a[1]'] },
  SYSLOGPROG: {
    is: '%{PROG:program}(?:\\[%{POSINT:pid}\\])?',
    lines: ['sshd[42]', 'kernel'],
    others: ['sshd[x]', 'sshd[0]'],
  },
  SYSLOGHOST: { is: '%{IPORHOST}', lines: ['web-1', '192.0.2.7'], others: ['-'] },
  SYSLOGFACILITY: {
    is: '<%{NONNEGINT:facility}\\.%{NONNEGINT:priority}>',
    lines: ['<10.6>'],
    others: ['<10>', '10.6'],
  },
  SYSLOGBASE: {
    is: '%{SYSLOGTIMESTAMP:timestamp} (?:%{SYSLOGFACILITY} )?%{SYSLOGHOST:logsource} %{SYSLOGPROG}:',
    lines: ['Mar  9 08:15:30 web-1 sshd[42]:', 'Mar  9 08:15:30 <10.6> web-1 kernel:'],
    others: ['Mar  9 08:15:30 sshd[42]:', 'web-1 sshd[42]:'],
  },
  SYSLOGBASE2: {
    is: '(?:%{SYSLOGTIMESTAMP:timestamp}|%{TIMESTAMP_ISO8601:timestamp8601}) (?:%{SYSLOGFACILITY} )?%{SYSLOGHOST:logsource} (?:%{SYSLOGPROG}:)?',
    lines: ['2031-03-09T08:15:30Z web-1 sshd[42]:', 'Mar  9 08:15:30 web-1 '],
    others: ['web-1 sshd[42]:'],
  },
  SYSLOGLINE: {
    is: '%{SYSLOGBASE2} %{GREEDYDATA:message}',
    lines: ['Mar  9 08:15:30 web-1 sshd[42]: door open', '2031-03-09T08:15:30Z web-1 kernel: up'],
    others: ['door open', 'Mar  9 web-1 sshd: x'],
  },
  SYSLOGPAMSESSION: {
    is: '%{SYSLOGBASE} %{DATA:pam_module}\\(%{DATA:pam_caller}\\): session %{WORD:pam_session_state} for user %{USERNAME:username}(?: by %{GREEDYDATA:pam_by})?',
    lines: [
      'Mar  9 08:15:30 web-1 sshd[42]: pam_unix(sshd:session): session opened for user ida by (uid=0)',
      'Mar  9 08:15:30 web-1 sshd[42]: pam_unix(sshd:session): session closed for user ida',
    ],
    others: ['Mar  9 08:15:30 web-1 sshd[42]: session opened for user ida'],
  },
  SYSLOG5424PRINTASCII: { is: '[!-~]+', lines: ['web-1', 'a"b'], others: ['a b', 'é'] },
  SYSLOG5424PRI: { is: '<%{NONNEGINT:syslog5424_pri}>', lines: ['<165>'], others: ['<>', '165'] },
  SYSLOG5424SD: {
    is: '\\[(?:[^\\]"]|"(?:\\\\.|[^"\\\\])*")*\\]+',
    lines: ['[a@1 k="v"]', '[a@1 k="\\]"]'],
    others: ['[a@1', 'a@1'],
  },
  SYSLOG5424BASE: {
    is: '%{SYSLOG5424PRI}%{NONNEGINT:syslog5424_ver} +(?:-|%{TIMESTAMP_ISO8601:syslog5424_ts}) +(?:-|%{IPORHOST:syslog5424_host}) +(?:-|%{SYSLOG5424PRINTASCII:syslog5424_app}) +(?:-|%{SYSLOG5424PRINTASCII:syslog5424_proc}) +(?:-|%{SYSLOG5424PRINTASCII:syslog5424_msgid}) +(?:-|%{SYSLOG5424SD:syslog5424_sd}+)',
    lines: ['<165>1 2031-03-09T08:15:30.250Z web-1 sshd 42 ID7 [a@1 k="v"]', '<165>1 - - - - - -'],
    others: ['<165>1 2031-03-09T08:15:30Z web-1 sshd 42', '1 - - - - - -'],
  },
  SYSLOG5424LINE: {
    is: '%{SYSLOG5424BASE} +%{GREEDYDATA:syslog5424_msg}',
    lines: ['<165>1 2031-03-09T08:15:30.250Z web-1 sshd 42 ID7 - door open'],
    others: ['<165>1 2031-03-09T08:15:30.250Z web-1 door open', 'Mar  9 08:15:30 web-1 sshd: x'],
  },
  CRON_ACTION: { is: '[A-Z ]+', lines: ['CMD', 'BEGIN EDIT'], others: ['cmd', ''] },
  CRONLOG: {
    is: '%{SYSLOGBASE} \\(%{USER:user}\\) %{CRON_ACTION:action} \\(%{DATA:message}\\)',
    lines: ['Mar  9 08:15:01 web-1 CRON[42]: (root) CMD (run-parts /etc/cron.hourly)'],
    others: ['Mar  9 08:15:01 web-1 CRON[42]: root CMD run-parts'],
  },
  K8S_SEVERITY: { is: '[IWEF]', lines: ['I', 'F'], others: ['D', 'i'] },
  K8S_TIMESTAMP: {
    is: '%{MONTHNUM2}(?:0[1-9]|[12][0-9]|3[01]) %{TIME}',
    lines: ['0309 08:15:30.123456'],
    others: ['0309T08:15:30', '1309 08:15:30'],
  },
  K8S_LOG: {
    is: '%{K8S_SEVERITY:severity}%{K8S_TIMESTAMP:timestamp} +%{POSINT:pid} %{NOTSPACE:file}:%{POSINT:line}\\] %{GREEDYDATA:message}',
    lines: ['I0309 08:15:30.123456    7 server.go:42] door open'],
    others: ['0309 08:15:30.123456 7 server.go:42] door open', 'I0309 08:15:30.123456 7 server.go door'],
  },
  K8S_CONTAINER_LOG: {
    is: '%{TIMESTAMP_ISO8601:timestamp} (?:stdout|stderr) [FP] %{GREEDYDATA:message}',
    lines: ['2031-03-09T08:15:30.123456789Z stdout F door open'],
    others: ['2031-03-09T08:15:30Z out F door open'],
  },
}
