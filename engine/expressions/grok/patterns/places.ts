import type { LibraryPatterns } from './library-pattern.ts'

const HEX = '[0-9A-Fa-f]{1,4}'
const GROUPS = 8
/** Groups that an IPv4 address takes the place of. */
const GROUPS_OF_IPV4 = 2

/** Texts that may follow so many groups, each with a colon. They are nested, so that each group is read once. */
function afterGroups(read: number): string {
  if (read === GROUPS - 1) return `(?:${HEX}|:)`
  const further = `${HEX}:${afterGroups(read + 1)}`
  const rest = GROUPS - read - 1
  const restWithIpv4 = rest - GROUPS_OF_IPV4
  const endings = [
    ...(restWithIpv4 < 0 ? [] : [`(?:${HEX}:){0,${restWithIpv4}}%{IPV4}`]),
    `${HEX}(?::${HEX}){0,${rest - 1}}`,
  ]
  const afterGap = `:(?:${endings.join('|')})?`
  if (read === 0) return `(?::${afterGap}|${further})`
  return `(?:${afterGap}|${further}${read === GROUPS - GROUPS_OF_IPV4 ? '|%{IPV4}' : ''})`
}

/** Addresses, paths and the parts of both. */
export const PLACES: LibraryPatterns = {
  CISCOMAC: {
    is: '(?:[A-Fa-f0-9]{4}\\.){2}[A-Fa-f0-9]{4}',
    lines: ['0012.34ab.CDEF'],
    others: ['0012:34ab:cdef', '0012.34ab'],
  },
  WINDOWSMAC: {
    is: '(?:[A-Fa-f0-9]{2}-){5}[A-Fa-f0-9]{2}',
    lines: ['00-12-34-ab-CD-EF'],
    others: ['00:12:34:ab:cd:ef'],
  },
  COMMONMAC: {
    is: '(?:[A-Fa-f0-9]{2}:){5}[A-Fa-f0-9]{2}',
    lines: ['00:12:34:ab:CD:EF'],
    others: ['00-12-34-ab-cd-ef', '00:12:34:ab:cd'],
  },
  MAC: {
    is: '(?:%{CISCOMAC}|%{WINDOWSMAC}|%{COMMONMAC})',
    lines: ['0012.34ab.cdef', '00-12-34-ab-cd-ef', '00:12:34:ab:cd:ef'],
    others: ['00:12:34:ab:cd', '001234abcdef'],
  },
  IPV4: {
    is: '\\b(?:(?:25[0-5]|2[0-4][0-9]|[01]?[0-9]{1,2})\\.){3}(?:25[0-5]|2[0-4][0-9]|[01]?[0-9]{1,2})\\b',
    lines: ['192.0.2.7', '0.0.0.0', '255.255.255.255'],
    others: ['256.1.1.1', '1.2.3', '1.2.3.4.5', '1.2.3.4000'],
  },
  IPV6: {
    is: `${afterGroups(0)}(?:%[0-9A-Za-z._-]+)?`,
    lines: [
      ...['::', '::1', '2001:db8::7', '2001:DB8:0:0:0:0:0:7', '1:2:3:4:5:6:7::', '::2:3:4:5:6:7:8'],
      ...['::ffff:192.0.2.7', '1:2:3:4:5:6:192.0.2.7', 'fe80::1%eth0', '1::8', '1:2:3::5:6:7:8'],
    ],
    others: ['1:2:3:4:5:6:7', '1:2:3:4:5:6:7:8:9', '1::2::3', ':', '12345::', '08:15:30', '1::2:3:4:5:6:7:8'],
  },
  IP: {
    is: '(?:%{IPV6}|%{IPV4})',
    lines: ['192.0.2.7', '2001:db8::7'],
    others: ['fjord.example', '192.0.2', '08:15:30'],
  },
  HOSTNAME: {
    is: '\\b[0-9A-Za-z][0-9A-Za-z-]*(?:\\.[0-9A-Za-z][0-9A-Za-z-]*)*\\.?',
    lines: ['fjord.example', 'web-1', 'fjord.example.'],
    others: ['-web', 'a..b', 'a_b', ''],
  },
  IPORHOST: {
    is: '(?:%{IP}|%{HOSTNAME})',
    lines: ['192.0.2.7', '::1', 'fjord.example'],
    others: ['a_b', '-'],
  },
  HOSTPORT: {
    is: '%{IPORHOST}:%{POSINT}',
    lines: ['fjord.example:8080', '192.0.2.7:80'],
    others: ['fjord.example', 'fjord.example:0'],
  },
  UNIXPATH: {
    is: '(?:/(?:[\\w%!$@:.,+~-]|\\\\.)*)+',
    lines: ['/', '/var/log/a b'.replace(' ', '-'), '/a\\ b/'],
    others: ['var/log', '/a b', ''],
  },
  TTY: {
    is: '/dev/(?:pts|tty[pq]?)\\w*/?[0-9]+',
    lines: ['/dev/pts/0', '/dev/tty1', '/dev/ttyp12'],
    others: ['/dev/null', 'tty1'],
  },
  WINPATH: {
    is: '(?:[A-Za-z]+:|\\\\)(?:\\\\[^\\\\?*]*)+',
    lines: ['C:\\logs\\door.txt', '\\\\host\\share'],
    others: ['/var/log', 'C:', 'C:\\a?'],
  },
  PATH: {
    is: '(?:%{UNIXPATH}|%{WINPATH})',
    lines: ['/var/log/door.log', 'C:\\logs'],
    others: ['door.log', ''],
  },
  URIPROTO: { is: '[A-Za-z][A-Za-z0-9+.-]+', lines: ['https', 'svn+ssh'], others: ['1a', 'a', 'a:b'] },
  URIHOST: {
    is: '%{IPORHOST}(?::%{POSINT})?',
    lines: ['fjord.example', 'fjord.example:8080'],
    others: ['fjord.example:', ':80'],
  },
  URIPATH: {
    is: "(?:/[A-Za-z0-9$.+!*'(){},~:;=@#%&_-]*)+",
    lines: ['/', '/doors/4;v=1'],
    others: ['doors', '/a?b', '/a b'],
  },
  URIQUERY: {
    is: "[A-Za-z0-9$.+!*'|(){},~@#%&/=:;_?\\[\\]<>-]*",
    lines: ['a=1&b=[2]', ''],
    others: ['a b', 'a"b'],
  },
  URIPARAM: { is: '\\?%{URIQUERY}', lines: ['?', '?a=1'], others: ['a=1', '?a b'] },
  URIPATHPARAM: {
    is: '%{URIPATH}(?:%{URIPARAM})?',
    lines: ['/doors', '/doors?open=1'],
    others: ['?open=1', 'doors?open=1'],
  },
  URI: {
    is: '%{URIPROTO}://(?:%{USER}(?::[^@]*)?@)?(?:%{URIHOST})?(?:%{URIPATHPARAM})?',
    lines: ['https://fjord.example', 'http://ida:x@fjord.example:8080/doors?open=1', 'file:///tmp/a'],
    others: ['fjord.example', 'https:/fjord.example', 'https://fjord example'],
  },
}
