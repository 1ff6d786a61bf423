import type { LibraryPattern, LibraryPatterns } from './library-pattern.ts'

const NETSCREEN =
  'Mar  9 08:15:30 web-1 door: NetScreen device_id=door-1 [Root]system-notification-00257(traffic): start_time="2031-03-09 08:15:30" duration=42 policy_id=7 service=https proto=6 src zone=Trust dst zone=Untrust action=Permit sent=42 rcvd=57 src=192.0.2.7 dst=192.0.2.8 src_port=5000 dst_port=443 src-xlated ip=192.0.2.9 port=6000 dst-xlated ip=192.0.2.8 port=443 session_id=4242 reason=Close'
const SHOREWALL_LINE =
  'Mar  9 08:15:30 web-1 kernel: Shorewall:net2fw:DROP:IN=eth0 OUT= MAC=00:12:34:ab:cd:ef:00:12:34:ab:cd:00:08:00 SRC=192.0.2.7 DST=192.0.2.8 LEN=40 TOS=0x00 PREC=0x00 TTL=57 ID=42 PROTO=TCP SPT=5000 DPT=22 WINDOW=1024'
const SFW2_LINE =
  'Mar  9 08:15:30 web-1 kernel: SFW2-INext-DROP-DEFLT IN=eth0 OUT= MAC=00:12:34 SRC=192.0.2.7 DST=192.0.2.8 LEN=40 TOS=0x00 PREC=0x00 TTL=57 ID=42 DF PROTO=TCP SPT=5000 DPT=22 WINDOW=1024'

const SOURCE = '(?:%{DATA:src_interface}:)?%{IP:src_ip}(?:/%{INT:src_port})?(?:\\(%{DATA:src_fwuser}\\))?'
const TARGET = '(?:%{DATA:dst_interface}:)?%{IP:dst_ip}(?:/%{INT:dst_port})?(?:\\(%{DATA:dst_fwuser}\\))?'
const HASHES = '(?: \\[%{DATA:hashcode1}, %{DATA:hashcode2}\\])?'

/** A message of a firewall from one line of it. */
function message(is: string, ...lines: readonly string[]): LibraryPattern {
  return { is, lines, others: ['door open', ''] }
}

/** Fields of Bro in their order, parted by tabs. Each is a name and the pattern that it has. */
function broLine(
  fields: readonly (readonly [name: string, pattern: string])[],
  values: string,
): LibraryPattern {
  const is = fields.map(([name, pattern]) => `%{${pattern}:${name}}`).join('\\t')
  const line = values.replaceAll(' ', '\t')
  return { is, lines: [line], others: [values, line.slice(line.indexOf('\t') + 1)] }
}

const BRO_ENDS = [
  ...([
    ['ts', 'NUMBER'],
    ['uid', 'NOTSPACE'],
    ['orig_h', 'IP'],
    ['orig_p', 'INT'],
  ] as const),
  ...([
    ['resp_h', 'IP'],
    ['resp_p', 'INT'],
  ] as const),
] as const
const BRO_CONNECTION = '1930810530.250 CHh7 192.0.2.7 5000 192.0.2.8 80'

/** Names of further fields that may be anything. */
function broData(...names: readonly string[]): (readonly [string, string])[] {
  return names.map(name => [name, 'BRO_DATA'] as const)
}

/** Lines of firewalls and of watchers of networks. */
export const NETWORK_LOGS: LibraryPatterns = {
  NETSCREENSESSIONLOG: {
    is: '%{SYSLOGTIMESTAMP:date} %{IPORHOST:device} %{NOTSPACE}: NetScreen device_id=%{NOTSPACE:device_id}%{DATA}: start_time=%{QUOTEDSTRING:start_time} duration=%{INT:duration} policy_id=%{INT:policy_id} service=%{DATA:service} proto=%{INT:proto} src zone=%{WORD:src_zone} dst zone=%{WORD:dst_zone} action=%{WORD:action} sent=%{INT:sent} rcvd=%{INT:rcvd} src=%{IPORHOST:src_ip} dst=%{IPORHOST:dst_ip} src_port=%{INT:src_port} dst_port=%{INT:dst_port} src-xlated ip=%{IPORHOST:src_xlated_ip} port=%{INT:src_xlated_port} dst-xlated ip=%{IPORHOST:dst_xlated_ip} port=%{INT:dst_xlated_port} session_id=%{INT:session_id} reason=%{GREEDYDATA:reason}',
    lines: [NETSCREEN],
    others: [NETSCREEN.replace('NetScreen', 'Door'), SHOREWALL_LINE],
  },
  SHOREWALL: {
    is: '%{SYSLOGTIMESTAMP:timestamp} %{SYSLOGHOST:nf_host} kernel:.*Shorewall:%{WORD:nf_action1}?:%{WORD:nf_action2}?.*IN=%{USERNAME:nf_in_interface}?.*(?:OUT= *MAC=%{COMMONMAC:nf_dst_mac}:%{COMMONMAC:nf_src_mac}|OUT=%{USERNAME:nf_out_interface}).*SRC=%{IPV4:nf_src_ip}.*DST=%{IPV4:nf_dst_ip}.*LEN=%{WORD:nf_len}.*TOS=%{WORD:nf_tos}.*PREC=%{WORD:nf_prec}.*TTL=%{INT:nf_ttl}.*ID=%{INT:nf_id}.*PROTO=%{WORD:nf_protocol}.*SPT=%{INT:nf_src_port}.*DPT=%{INT:nf_dst_port}.*',
    lines: [SHOREWALL_LINE],
    others: [SFW2_LINE, SHOREWALL_LINE.replace('SRC=', 'FROM=')],
  },
  SFW2_LOG_PREFIX: {
    is: 'SFW2-INext-%{NOTSPACE:nf_action}',
    lines: ['SFW2-INext-DROP-DEFLT'],
    others: ['SFW2'],
  },
  SFW2: {
    is: '(?:%{SYSLOGTIMESTAMP:timestamp}|%{TIMESTAMP_ISO8601:timestamp}) %{HOSTNAME:nf_host} kernel%{DATA}%{SFW2_LOG_PREFIX} IN=%{USERNAME:nf_in_interface}? OUT=%{USERNAME:nf_out_interface}? MAC=%{NOTSPACE:nf_mac} SRC=%{IP:nf_src_ip} DST=%{IP:nf_dst_ip}.*PROTO=%{WORD:nf_protocol}(?:.*SPT=%{INT:nf_src_port}.*DPT=%{INT:nf_dst_port})?.*',
    lines: [SFW2_LINE],
    others: [SHOREWALL_LINE, SFW2_LINE.replace('SRC=', 'FROM=')],
  },
  BRO_BOOL: { is: '[TF]', lines: ['T', 'F'], others: ['t', 'TF'] },
  BRO_DATA: { is: '[^\\t]+', lines: ['-', 'a b'], others: ['', 'a\tb'] },
  BRO_HTTP: broLine(
    [
      ...BRO_ENDS,
      ['trans_depth', 'INT'],
      ...broData('method', 'domain', 'uri', 'referrer', 'user_agent'),
      ...([
        ['request_body_len', 'NUMBER'],
        ['response_body_len', 'NUMBER'],
      ] as const),
      ...broData('status_code', 'status_msg', 'info_code', 'info_msg', 'filename', 'bro_tags'),
      ...broData('username', 'password', 'proxied', 'orig_fuids', 'orig_mime_types'),
      ...broData('resp_fuids', 'resp_mime_types'),
    ],
    `${BRO_CONNECTION} 1 GET fjord.example /doors - curl/8.5 0 42 200 OK - - - (empty) - - - - - F1 text/html`,
  ),
  BRO_DNS: broLine(
    [
      ...BRO_ENDS,
      ['proto', 'WORD'],
      ['trans_id', 'INT'],
      ...broData('query', 'qclass', 'qclass_name', 'qtype', 'qtype_name', 'rcode', 'rcode_name'),
      ...([
        ['AA', 'BRO_BOOL'],
        ['TC', 'BRO_BOOL'],
        ['RD', 'BRO_BOOL'],
        ['RA', 'BRO_BOOL'],
      ] as const),
      ...broData('Z', 'answers', 'TTLs'),
      ['rejected', 'BRO_BOOL'],
    ],
    `${BRO_CONNECTION} udp 42 fjord.example 1 C_INTERNET 1 A 0 NOERROR F F T T 0 192.0.2.8 60.0 F`,
  ),
  BRO_CONN: broLine(
    [
      ...BRO_ENDS,
      ['proto', 'WORD'],
      ...broData('service', 'duration', 'orig_bytes', 'resp_bytes', 'conn_state', 'local_orig'),
      ...broData('missed_bytes', 'history', 'orig_pkts', 'orig_ip_bytes', 'resp_pkts', 'resp_ip_bytes'),
      ...broData('tunnel_parents'),
    ],
    `${BRO_CONNECTION} tcp http 0.25 42 57 SF - 0 ShADadFf 5 300 4 250 (empty)`,
  ),
  BRO_FILES: broLine(
    [
      ['ts', 'NUMBER'],
      ['fuid', 'NOTSPACE'],
      ...broData('tx_hosts', 'rx_hosts', 'conn_uids', 'source', 'depth', 'analyzers', 'mime_type'),
      ...broData('filename', 'duration', 'local_orig', 'is_orig', 'seen_bytes', 'total_bytes'),
      ...broData('missing_bytes', 'overflow_bytes', 'timedout', 'parent_fuid', 'md5', 'sha1', 'sha256'),
      ...broData('extracted'),
    ],
    '1930810530.250 F1 192.0.2.8 192.0.2.7 CHh7 HTTP 0 MD5 text/html - 0.1 - F 42 42 0 0 F - d41d - - -',
  ),
  CISCOTIMESTAMP: {
    is: '%{MONTH} +%{MONTHDAY}(?: %{YEAR})? %{TIME}',
    lines: ['Mar  9 08:15:30', 'Mar 9 2031 08:15:30'],
    others: ['2031-03-09 08:15:30'],
  },
  CISCOTAG: { is: '[A-Z0-9]+-%{INT}-(?:[A-Z0-9_]+)', lines: ['ASA-6-106015'], others: ['ASA', 'ASA-x-1'] },
  CISCO_TAGGED_SYSLOG: {
    is: '<%{POSINT:syslog_pri}>%{CISCOTIMESTAMP:timestamp}(?: %{SYSLOGHOST:sysloghost})? ?: %%{CISCOTAG:ciscotag}:',
    lines: ['<166>Mar  9 2031 08:15:30 web-1 : %ASA-6-106015:', '<166>Mar  9 08:15:30: %ASA-6-106015:'],
    others: ['Mar  9 08:15:30: %ASA-6-106015:'],
  },
  CISCO_ACTION: {
    is: 'Built|Teardown|Deny|Denied|denied|requested|permitted|denied by ACL|discarded|est-allowed|Dropping|created|deleted',
    lines: ['Built', 'denied by ACL', 'est-allowed'],
    others: ['opened', 'built'],
  },
  CISCO_REASON: {
    is: 'Duplicate TCP SYN|Failed to locate egress interface|Invalid transport field|No matching connection|DNS Response|DNS Query|(?:%{WORD}\\s*)*',
    lines: ['Duplicate TCP SYN', 'TCP FINs', ''],
    others: ['a: b'],
  },
  CISCO_DIRECTION: {
    is: 'Inbound|inbound|Outbound|outbound',
    lines: ['inbound', 'Outbound'],
    others: ['in'],
  },
  CISCO_INTERVAL: {
    is: 'first hit|%{INT}-second interval',
    lines: ['first hit', '300-second interval'],
    others: ['second hit'],
  },
  CISCO_XLATE_TYPE: { is: 'static|dynamic', lines: ['static'], others: ['fixed'] },
  CISCOFW104001: message(
    '\\((?:Primary|Secondary)\\) Switching to ACTIVE - %{GREEDYDATA:switch_reason}',
    '(Primary) Switching to ACTIVE - door open',
  ),
  CISCOFW104002: message(
    '\\((?:Primary|Secondary)\\) Switching to STANDBY - %{GREEDYDATA:switch_reason}',
    '(Secondary) Switching to STANDBY - door shut',
  ),
  CISCOFW104003: message(
    '\\((?:Primary|Secondary)\\) Switching to FAILED\\.',
    '(Primary) Switching to FAILED.',
  ),
  CISCOFW104004: message('\\((?:Primary|Secondary)\\) Switching to OK\\.', '(Primary) Switching to OK.'),
  CISCOFW105003: message(
    '\\((?:Primary|Secondary)\\) Monitoring on [Ii]nterface %{GREEDYDATA:interface_name} waiting',
    '(Primary) Monitoring on interface inside waiting',
  ),
  CISCOFW105004: message(
    '\\((?:Primary|Secondary)\\) Monitoring on [Ii]nterface %{GREEDYDATA:interface_name} normal',
    '(Primary) Monitoring on interface inside normal',
  ),
  CISCOFW105005: message(
    '\\((?:Primary|Secondary)\\) Lost Failover communications with mate on [Ii]nterface %{GREEDYDATA:interface_name}',
    '(Primary) Lost Failover communications with mate on interface inside',
  ),
  CISCOFW105008: message(
    '\\((?:Primary|Secondary)\\) Testing [Ii]nterface %{GREEDYDATA:interface_name}',
    '(Primary) Testing interface inside',
  ),
  CISCOFW105009: message(
    '\\((?:Primary|Secondary)\\) Testing on [Ii]nterface %{GREEDYDATA:interface_name} (?:Passed|Failed)',
    '(Primary) Testing on interface inside Passed',
  ),
  CISCOFW106001: message(
    `%{CISCO_DIRECTION:direction} %{WORD:protocol} connection %{CISCO_ACTION:action} from %{IP:src_ip}/%{INT:src_port} to %{IP:dst_ip}/%{INT:dst_port} flags %{GREEDYDATA:tcp_flags} on interface %{GREEDYDATA:interface}`,
    'Inbound TCP connection denied from 192.0.2.7/5000 to 192.0.2.8/22 flags SYN on interface outside',
  ),
  CISCOFW106006_106007_106010: message(
    `%{CISCO_ACTION:action} %{CISCO_DIRECTION:direction} %{WORD:protocol} (?:from|src) ${SOURCE} (?:to|dst) ${TARGET} (?:on interface %{DATA:interface}|due to %{CISCO_REASON:reason})`,
    'Deny inbound UDP from 192.0.2.7/5000 to 192.0.2.8/53 on interface outside',
    'Deny inbound UDP from 192.0.2.7/5000 to 192.0.2.8/53 due to DNS Query',
  ),
  CISCOFW106014: message(
    `%{CISCO_ACTION:action} %{CISCO_DIRECTION:direction} %{WORD:protocol} src ${SOURCE} dst ${TARGET} \\(type %{INT:icmp_type}, code %{INT:icmp_code}\\)`,
    'Deny inbound icmp src outside:192.0.2.7 dst inside:192.0.2.8 (type 8, code 0)',
  ),
  CISCOFW106015: message(
    '%{CISCO_ACTION:action} %{WORD:protocol} \\(%{DATA:policy_id}\\) from %{IP:src_ip}/%{INT:src_port} to %{IP:dst_ip}/%{INT:dst_port} flags %{DATA:tcp_flags} {1,2}on interface %{GREEDYDATA:interface}',
    'Deny TCP (no connection) from 192.0.2.7/5000 to 192.0.2.8/22 flags RST  on interface inside',
  ),
  CISCOFW106021: message(
    '%{CISCO_ACTION:action} %{WORD:protocol} reverse path check from %{IP:src_ip} to %{IP:dst_ip} on interface %{GREEDYDATA:interface}',
    'Deny TCP reverse path check from 192.0.2.7 to 192.0.2.8 on interface outside',
  ),
  CISCOFW106023: message(
    `%{CISCO_ACTION:action}(?: protocol)? %{WORD:protocol} src ${SOURCE} dst ${TARGET}(?: \\(type %{INT:icmp_type}, code %{INT:icmp_code}\\))? by access-group "?%{DATA:policy_id}"?${HASHES}`,
    'Deny tcp src outside:192.0.2.7/5000 dst inside:192.0.2.8/22 by access-group "doors" [0x0, 0x0]',
  ),
  CISCOFW106100: message(
    'access-list %{NOTSPACE:policy_id} %{CISCO_ACTION:action} %{WORD:protocol} %{DATA:src_interface}/%{IP:src_ip}\\(%{INT:src_port}\\)(?:\\(%{DATA:src_fwuser}\\))? -> %{DATA:dst_interface}/%{IP:dst_ip}\\(%{INT:dst_port}\\)(?:\\(%{DATA:dst_fwuser}\\))? hit-cnt %{INT:hit_count} %{CISCO_INTERVAL:interval} \\[%{DATA:hashcode1}, %{DATA:hashcode2}\\]',
    'access-list doors permitted tcp inside/192.0.2.7(5000) -> outside/192.0.2.8(22) hit-cnt 1 first hit [0x1, 0x0]',
  ),
  CISCOFW110002: message(
    `%{CISCO_REASON:reason} for %{WORD:protocol} from ${SOURCE} to %{IP:dst_ip}/%{INT:dst_port}`,
    'Failed to locate egress interface for UDP from inside:192.0.2.7/5000 to 192.0.2.8/53',
  ),
  CISCOFW302010: message(
    '%{INT:connection_count} in use, %{INT:connection_count_max} most used',
    '7 in use, 42 most used',
  ),
  CISCOFW302013_302014_302015_302016: message(
    '%{CISCO_ACTION:action}(?: %{CISCO_DIRECTION:direction})? %{WORD:protocol} connection %{INT:connection_id} for %{DATA:src_interface}:%{IP:src_ip}/%{INT:src_port}(?: \\(%{IP:src_mapped_ip}/%{INT:src_mapped_port}\\))?(?:\\(%{DATA:src_fwuser}\\))? to %{DATA:dst_interface}:%{IP:dst_ip}/%{INT:dst_port}(?: \\(%{IP:dst_mapped_ip}/%{INT:dst_mapped_port}\\))?(?:\\(%{DATA:dst_fwuser}\\))?(?: duration %{TIME:duration} bytes %{INT:bytes})?(?: %{CISCO_REASON:reason})?(?: \\(%{DATA:user}\\))?',
    'Built inbound TCP connection 42 for outside:192.0.2.7/5000 (192.0.2.7/5000) to inside:192.0.2.8/22 (192.0.2.8/22)',
    'Teardown TCP connection 42 for outside:192.0.2.7/5000 to inside:192.0.2.8/22 duration 0:00:30 bytes 4242 TCP FINs',
  ),
  CISCOFW302020_302021: message(
    '%{CISCO_ACTION:action}(?: %{CISCO_DIRECTION:direction})? %{WORD:protocol} connection for faddr %{IP:dst_ip}/%{INT:icmp_seq_num}(?:\\(%{DATA:fwuser}\\))? gaddr %{IP:src_xlated_ip}/%{INT:icmp_code_xlated} laddr %{IP:src_ip}/%{INT:icmp_code}(?: \\(%{DATA:user}\\))?',
    'Built outbound ICMP connection for faddr 192.0.2.8/0 gaddr 192.0.2.9/1 laddr 192.0.2.7/1',
  ),
  CISCOFW305011: message(
    '%{CISCO_ACTION:action} %{CISCO_XLATE_TYPE:xlate_type} %{WORD:protocol} translation from %{DATA:src_interface}:%{IP:src_ip}(?:/%{INT:src_port})?(?:\\(%{DATA:src_fwuser}\\))? to %{DATA:src_xlated_interface}:%{IP:src_xlated_ip}/%{DATA:src_xlated_port}',
    'Built dynamic TCP translation from inside:192.0.2.7/5000 to outside:192.0.2.9/6000',
  ),
  CISCOFW313001_313004_313008: message(
    '%{CISCO_ACTION:action} %{WORD:protocol} type=%{INT:icmp_type}, code=%{INT:icmp_code} from %{IP:src_ip} on interface %{DATA:interface}(?: to %{IP:dst_ip})?',
    'Denied ICMP type=8, code=0 from 192.0.2.7 on interface outside',
  ),
  CISCOFW313005: message(
    '%{CISCO_REASON:reason} for %{WORD:protocol} error message: %{WORD:err_protocol} src %{DATA:err_src_interface}:%{IP:err_src_ip}(?:\\(%{DATA:err_src_fwuser}\\))? dst %{DATA:err_dst_interface}:%{IP:err_dst_ip}(?:\\(%{DATA:err_dst_fwuser}\\))? \\(type %{INT:err_icmp_type}, code %{INT:err_icmp_code}\\) on %{DATA:interface} interface\\.  Original IP payload: %{WORD:protocol} src %{IP:orig_src_ip}/%{INT:orig_src_port}(?:\\(%{DATA:orig_src_fwuser}\\))? dst %{IP:orig_dst_ip}/%{INT:orig_dst_port}(?:\\(%{DATA:orig_dst_fwuser}\\))?',
    'No matching connection for ICMP error message: icmp src outside:192.0.2.7 dst inside:192.0.2.8 (type 3, code 3) on outside interface.  Original IP payload: udp src 192.0.2.8/53 dst 192.0.2.7/5000',
  ),
  CISCOFW321001: message(
    "Resource '%{WORD:resource_name}' limit of %{POSINT:resource_limit} reached for system",
    "Resource 'doors' limit of 42 reached for system",
  ),
  CISCOFW402117: message(
    '%{WORD:protocol}: Received a non-IPSec packet \\(protocol= %{WORD:orig_protocol}\\) from %{IP:src_ip} to %{IP:dst_ip}\\.?',
    'IPSEC: Received a non-IPSec packet (protocol= ICMP) from 192.0.2.7 to 192.0.2.8',
  ),
  CISCOFW402119: message(
    '%{WORD:protocol}: Received an %{WORD:orig_protocol} packet \\(SPI= %{DATA:spi}, sequence number= %{DATA:seq_num}\\) from %{IP:src_ip} \\(user= %{DATA:user}\\) to %{IP:dst_ip} that failed anti-replay checking\\.?',
    'IPSEC: Received an ESP packet (SPI= 0x1, sequence number= 0x2) from 192.0.2.7 (user= ida) to 192.0.2.8 that failed anti-replay checking.',
  ),
  CISCOFW419001: message(
    `%{CISCO_ACTION:action} %{WORD:protocol} packet from ${SOURCE} to ${TARGET}, reason: %{GREEDYDATA:reason}`,
    'Dropping TCP packet from outside:192.0.2.7/5000 to inside:192.0.2.8/22, reason: MSS exceeded',
  ),
  CISCOFW419002: message(
    `%{CISCO_REASON:reason} from ${SOURCE} to ${TARGET} with different initial sequence number`,
    'Duplicate TCP SYN from outside:192.0.2.7/5000 to inside:192.0.2.8/22 with different initial sequence number',
  ),
  CISCOFW500004: message(
    '%{CISCO_REASON:reason} for protocol=%{WORD:protocol}, from %{IP:src_ip}/%{INT:src_port} to %{IP:dst_ip}/%{INT:dst_port}',
    'Invalid transport field for protocol=UDP, from 192.0.2.7/5000 to 192.0.2.8/0',
  ),
  CISCOFW602303_602304: message(
    '%{WORD:protocol}: An %{CISCO_DIRECTION:direction} %{GREEDYDATA:tunnel_type} SA \\(SPI= %{DATA:spi}\\) between %{IP:src_ip} and %{IP:dst_ip} \\(user= %{DATA:user}\\) has been %{CISCO_ACTION:action}\\.?',
    'IPSEC: An outbound LAN-to-LAN SA (SPI= 0x1) between 192.0.2.7 and 192.0.2.8 (user= ida) has been created.',
  ),
  CISCOFW710001_710002_710003_710005_710006: message(
    '%{WORD:protocol} (?:request|access) %{CISCO_ACTION:action} from %{IP:src_ip}/%{INT:src_port} to %{DATA:dst_interface}:%{IP:dst_ip}/%{INT:dst_port}',
    'TCP access denied from 192.0.2.7/5000 to outside:192.0.2.8/22',
    'UDP request discarded from 192.0.2.7/5000 to outside:192.0.2.8/53',
  ),
  CISCOFW713172: message(
    'Group = %{DATA:group}, IP = %{IP:src_ip}, Automatic NAT Detection Status:\\s+Remote end\\s*%{DATA:is_remote_natted}\\s*behind a NAT device\\s+This\\s+end\\s*%{DATA:is_local_natted}\\s*behind a NAT device',
    'Group = doors, IP = 192.0.2.7, Automatic NAT Detection Status: Remote end is NOT behind a NAT device This end is behind a NAT device',
  ),
  CISCOFW733100: message(
    '\\[\\s*%{DATA:drop_type}\\s*\\] drop %{DATA:drop_rate_id} exceeded\\. Current burst rate is %{INT:drop_rate_current_burst} per second, max configured rate is %{INT:drop_rate_max_burst}; Current average rate is %{INT:drop_rate_current_avg} per second, max configured rate is %{INT:drop_rate_max_avg}; Cumulative total count is %{INT:drop_total_count}',
    '[ Scanning] drop rate-1 exceeded. Current burst rate is 7 per second, max configured rate is 10; Current average rate is 8 per second, max configured rate is 5; Cumulative total count is 4242',
  ),
}
