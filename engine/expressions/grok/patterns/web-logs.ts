import type { LibraryPatterns } from './library-pattern.ts'

const REQUEST = '(?:%{WORD:verb} %{NOTSPACE:request}(?: HTTP/%{NUMBER:httpversion})?|%{DATA:rawrequest})'
const HAPROXY_COUNTS =
  '%{INT:actconn}/%{INT:feconn}/%{INT:beconn}/%{INT:srvconn}/%{NOTSPACE:retries} %{INT:srv_queue}/%{INT:backend_queue}'
const HAPROXY_CLIENT =
  '%{IP:client_ip}:%{INT:client_port} \\[%{HAPROXYDATE:accept_date}\\] %{NOTSPACE:frontend_name} %{NOTSPACE:backend_name}/%{NOTSPACE:server_name}'
const COMMON = '192.0.2.7 - ida [09/Mar/2031:08:15:30 +0000] "GET /doors/4 HTTP/1.1" 200 5316'
const COMBINED = `${COMMON} "https://fjord.example/" "curl/8.5"`
const ERROR_2_0 = '[Sun Mar 09 08:15:30 2031] [error] [client 192.0.2.7] door is shut'
const ERROR_2_4 =
  '[Sun Mar 09 08:15:30.123456 2031] [core:error] [pid 42:tid 7] [client 192.0.2.7:5000] AH00128: door is shut'
const HTTP_BASE =
  '192.0.2.7:5000 [09/Mar/2031:08:15:30.250] web door/one 0/0/1/2/3 200 5316 - - ---- 1/1/0/0/0 0/0 "GET /doors HTTP/1.1"'
const TCP = '192.0.2.7:5000 [09/Mar/2031:08:15:30.250] web door/one 0/1/3 5316 -- 1/1/0/0/0 0/0'
const FROM_HAPROXY = 'Mar  9 08:15:30 web-1 haproxy[42]: '
const S3 =
  'a1b2 doors [09/Mar/2031:08:15:30 +0000] 192.0.2.7 arn:aws:iam::1:user/ida 3E57 REST.GET.OBJECT door.txt "GET /doors/door.txt HTTP/1.1" 200 - 5316 5316 7 6 "-" "curl/8.5" -'
const ELB =
  '2031-03-09T08:15:30.250Z door-lb 192.0.2.7:5000 10.0.0.1:80 0.01 0.02 0.03 200 200 0 57 "GET http://fjord.example:80/doors HTTP/1.1"'
const CLOUDFRONT =
  '2031-03-09\t08:15:30\tOSL50\t5316\t192.0.2.7\tGET\td1.cloudfront.example\t/doors\t200\t-\tcurl/8.5\ta=1\t-\tHit\tabc==\td1.cloudfront.example\thttps\t42\t0.001\t-\t-\t-\tHit'

/** Lines of HTTP servers, proxies and load balancers. */
export const WEB_LOGS: LibraryPatterns = {
  HTTPDUSER: { is: '%{EMAILADDRESS}|%{USER}', lines: ['ida', 'ida@fjord.example', '-'], others: ['i a'] },
  HTTPD_COMMONLOG: {
    is: `%{IPORHOST:clientip} %{HTTPDUSER:ident} %{HTTPDUSER:auth} \\[%{HTTPDATE:timestamp}\\] "${REQUEST}" (?:-|%{NUMBER:response}) (?:-|%{NUMBER:bytes})`,
    lines: [COMMON, '::1 - - [09/Mar/2031:08:15:30 +0000] "-" 408 -'],
    others: [COMBINED, COMMON.replace('] ', ' '), 'GET /doors/4'],
  },
  COMMONAPACHELOG: { is: '%{HTTPD_COMMONLOG}', lines: [COMMON], others: ['GET /doors/4'] },
  HTTPD_COMBINEDLOG: {
    is: '%{HTTPD_COMMONLOG} %{QS:referrer} %{QS:agent}',
    lines: [COMBINED],
    others: [COMMON, `${COMMON} - -`],
  },
  COMBINEDAPACHELOG: { is: '%{HTTPD_COMBINEDLOG}', lines: [COMBINED], others: [COMMON] },
  HTTPD20_ERRORLOG: {
    is: '\\[%{HTTPDERROR_DATE:timestamp}\\] \\[%{LOGLEVEL:loglevel}\\] (?:\\[client %{IPORHOST:clientip}\\] )?%{GREEDYDATA:errormsg}',
    lines: [ERROR_2_0, '[Sun Mar 09 08:15:30 2031] [notice] started'],
    others: [ERROR_2_4, 'door is shut'],
  },
  HTTPD24_ERRORLOG: {
    is: '\\[%{HTTPDERROR_DATE:timestamp}\\] \\[%{WORD:module}:%{LOGLEVEL:loglevel}\\] \\[pid %{POSINT:pid}(?::tid %{NUMBER:tid})?\\](?: \\(%{POSINT:proxy_errorcode}\\)%{DATA:proxy_errormessage}:)?(?: \\[client %{IPORHOST:client}:%{POSINT:clientport}\\])?(?: %{WORD:errorcode}:)? %{GREEDYDATA:message}',
    lines: [ERROR_2_4, '[Sun Mar 09 08:15:30.123456 2031] [mpm_event:notice] [pid 42] started'],
    others: [ERROR_2_0],
  },
  HTTPD_ERRORLOG: {
    is: '%{HTTPD20_ERRORLOG}|%{HTTPD24_ERRORLOG}',
    lines: [ERROR_2_0, ERROR_2_4],
    others: [COMMON],
  },
  HAPROXYTIME: {
    is: '%{HOUR:haproxy_hour}:%{MINUTE:haproxy_minute}:%{SECOND:haproxy_second}',
    lines: ['08:15:30'],
    others: ['08:15'],
  },
  HAPROXYDATE: {
    is: '%{MONTHDAY:haproxy_monthday}/%{MONTH:haproxy_month}/%{YEAR:haproxy_year}:%{HAPROXYTIME:haproxy_time}\\.%{INT:haproxy_milliseconds}',
    lines: ['09/Mar/2031:08:15:30.250'],
    others: ['09/Mar/2031:08:15:30', '09/03/2031:08:15:30.250'],
  },
  HAPROXYCAPTUREDREQUESTHEADERS: {
    is: '%{DATA:captured_request_headers}',
    lines: ['a|b', ''],
    others: ['a\nb'],
  },
  HAPROXYCAPTUREDRESPONSEHEADERS: {
    is: '%{DATA:captured_response_headers}',
    lines: ['a|b'],
    others: ['a\nb'],
  },
  HAPROXYHTTPBASE: {
    is: `${HAPROXY_CLIENT} %{INT:time_request}/%{INT:time_queue}/%{INT:time_backend_connect}/%{INT:time_backend_response}/%{NOTSPACE:time_duration} %{INT:http_status_code} %{NOTSPACE:bytes_read} %{DATA:captured_request_cookie} %{DATA:captured_response_cookie} %{NOTSPACE:termination_state} ${HAPROXY_COUNTS} (?:\\{%{HAPROXYCAPTUREDREQUESTHEADERS}\\})? ?(?:\\{%{HAPROXYCAPTUREDRESPONSEHEADERS}\\})? ?"(?:<BADREQ>|%{WORD:http_verb} (?:%{URIPROTO:http_proto}://)?(?:%{USER:http_user}(?::[^@]*)?@)?(?:%{URIHOST:http_host})?(?:%{URIPATHPARAM:http_request})?(?: HTTP/%{NUMBER:http_version})?)?"?`,
    lines: [
      HTTP_BASE,
      HTTP_BASE.replace(' "GET', ' {fjord|x} {y} "GET'),
      HTTP_BASE.replace(/"GET.*"/, '"<BADREQ>"'),
    ],
    others: [TCP, HTTP_BASE.replace('192.0.2.7', 'web-1')],
  },
  HAPROXYHTTP: {
    is: '(?:%{SYSLOGTIMESTAMP:syslog_timestamp}|%{TIMESTAMP_ISO8601:timestamp8601}) %{IPORHOST:syslog_server} %{SYSLOGPROG}: %{HAPROXYHTTPBASE}',
    lines: [`${FROM_HAPROXY}${HTTP_BASE}`],
    others: [HTTP_BASE, `${FROM_HAPROXY}${TCP}`],
  },
  HAPROXYTCP: {
    is: `(?:%{SYSLOGTIMESTAMP:syslog_timestamp}|%{TIMESTAMP_ISO8601:timestamp8601}) %{IPORHOST:syslog_server} %{SYSLOGPROG}: ${HAPROXY_CLIENT} %{INT:time_queue}/%{INT:time_backend_connect}/%{NOTSPACE:time_duration} %{NOTSPACE:bytes_read} %{NOTSPACE:termination_state} ${HAPROXY_COUNTS}`,
    lines: [`${FROM_HAPROXY}${TCP}`],
    others: [TCP, `${FROM_HAPROXY}${HTTP_BASE}`],
  },
  SQUID3: {
    is: '%{NUMBER:timestamp} +%{NUMBER:duration} %{IP:client_address} %{WORD:cache_result}/%{NONNEGINT:status_code} %{NUMBER:bytes} %{WORD:request_method} %{NOTSPACE:url} (?:-|%{USER:user}) %{WORD:hierarchy_code}/(?:-|%{IPORHOST:server}) (?:-|%{NOTSPACE:content_type})',
    lines: [
      '1930810530.250    42 192.0.2.7 TCP_MISS/200 5316 GET http://fjord.example/doors ida DIRECT/192.0.2.8 text/html',
      '1930810530.250 42 192.0.2.7 TCP_HIT/304 0 GET http://fjord.example/ - NONE/- -',
    ],
    others: ['1930810530.250 42 TCP_MISS/200 5316 GET http://fjord.example/'],
  },
  S3_REQUEST_LINE: { is: REQUEST, lines: ['GET /doors HTTP/1.1', '-'], others: ['a\nb'] },
  S3_ACCESS_LOG: {
    is: '%{WORD:owner} %{NOTSPACE:bucket} \\[%{HTTPDATE:timestamp}\\] %{IP:clientip} %{NOTSPACE:requester} %{NOTSPACE:request_id} %{NOTSPACE:operation} %{NOTSPACE:key} (?:"%{S3_REQUEST_LINE}"|-) (?:%{INT:response}|-) (?:-|%{NOTSPACE:error_code}) (?:%{INT:bytes}|-) (?:%{INT:object_size}|-) (?:%{INT:request_time_ms}|-) (?:%{INT:turnaround_time_ms}|-) (?:%{QS:referrer}|-) (?:%{QS:agent}|-) (?:-|%{NOTSPACE:version_id})',
    lines: [S3, S3.replace('"GET /doors/door.txt HTTP/1.1" 200', '- -')],
    others: [COMBINED, S3.replace('a1b2 ', '')],
  },
  ELB_URIPATHPARAM: {
    is: '%{URIPATH:path}(?:%{URIPARAM:params})?',
    lines: ['/doors', '/doors?open=1'],
    others: ['doors'],
  },
  ELB_URI: {
    is: '%{URIPROTO:proto}://(?:%{USER}(?::[^@]*)?@)?(?:%{URIHOST:urihost})?(?:%{ELB_URIPATHPARAM})?',
    lines: ['http://fjord.example:80/doors?open=1'],
    others: ['/doors'],
  },
  ELB_REQUEST_LINE: {
    is: '(?:%{WORD:verb} %{ELB_URI:request}(?: HTTP/%{NUMBER:httpversion})?|%{DATA:rawrequest})',
    lines: ['GET http://fjord.example:80/doors HTTP/1.1', '- - - '],
    others: ['a\nb'],
  },
  ELB_ACCESS_LOG: {
    is: '%{TIMESTAMP_ISO8601:timestamp} %{NOTSPACE:elb} %{IP:clientip}:%{INT:clientport} (?:%{IP:backendip}:%{INT:backendport}|-) (?:%{NUMBER:request_processing_time}|-1) (?:%{NUMBER:backend_processing_time}|-1) (?:%{NUMBER:response_processing_time}|-1) (?:%{INT:response}|-) (?:%{INT:backend_response}|-) %{INT:received_bytes} %{INT:bytes} "%{ELB_REQUEST_LINE}"(?: %{QS:agent} %{NOTSPACE:ssl_cipher} %{NOTSPACE:ssl_protocol})?',
    lines: [ELB, `${ELB} "curl/8.5" - -`, ELB.replace('10.0.0.1:80', '-')],
    others: [ELB.replace('192.0.2.7:5000', '192.0.2.7'), COMMON],
  },
  CLOUDFRONT_ACCESS_LOG: {
    is: '%{YEAR}-%{MONTHNUM}-%{MONTHDAY}\\t%{TIME}\\t%{NOTSPACE:x_edge_location}\\t(?:%{NUMBER:sc_bytes}|-)\\t%{IPORHOST:clientip}\\t%{WORD:cs_method}\\t%{HOSTNAME:cs_host}\\t%{NOTSPACE:cs_uri_stem}\\t%{NUMBER:sc_status}\\t%{NOTSPACE:referrer}\\t%{NOTSPACE:agent}\\t%{NOTSPACE:cs_uri_query}\\t%{NOTSPACE:cookies}\\t%{WORD:x_edge_result_type}\\t%{NOTSPACE:x_edge_request_id}\\t%{HOSTNAME:x_host_header}\\t%{URIPROTO:cs_protocol}\\t%{INT:cs_bytes}\\t%{NOTSPACE:time_taken}(?:\\t%{NOTSPACE:x_forwarded_for}\\t%{NOTSPACE:ssl_protocol}\\t%{NOTSPACE:ssl_cipher}\\t%{NOTSPACE:x_edge_response_result_type})?',
    lines: [CLOUDFRONT],
    others: [CLOUDFRONT.replaceAll('\t', ' '), CLOUDFRONT.replace('OSL50\t', '')],
  },
}
