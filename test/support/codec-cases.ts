import { OWN_MEMBERS } from '../../engine/lines/stored-line/line-members.ts'
import { DAY_MS } from '../../engine/times/duration.ts'
import { bodyOf, SAMPLE_START_MS, sentSamples, take } from './sent-samples.ts'
import { SYSTEM_NAMES, systemLines } from './system-lines.ts'

/** A request body for codecs of lines. */
export interface BodyCase {
  readonly title: string
  readonly body: string | Buffer
  /** Tags of the request; null: those of the body count. */
  readonly tags?: readonly string[] | null
  readonly limitBytes?: number
}

/** Requests whose lines become one record, in order. */
export interface RecordCase {
  readonly title: string
  readonly requests: readonly (Omit<BodyCase, 'title'> & {
    readonly receivedAtMs?: number
    readonly retentionDays?: number
  })[]
}

/** Lines of one run for codecs of lines. */
export interface RunCase {
  readonly title: string
  readonly lines: readonly (string | Buffer)[]
  /** Level of each line; the levels of a list hold for the lines in turn. */
  readonly sentLevel?: string | readonly string[]
  /** A sum of OWN_MEMBERS; the sums of a list hold for the lines in turn. */
  readonly own?: number | readonly number[]
  readonly isExact?: boolean
  /** Log time. */
  readonly timeMs?: number
}

/** Runs in order; each account has its own names of fields. */
export interface SequenceCase {
  readonly title: string
  readonly runs: readonly (Omit<RunCase, 'title'> & { readonly account?: number })[]
}

/** A minute behind the first line of traffic. */
export const CODEC_NOW_MS = SAMPLE_START_MS + 60_000
const BODY_BYTES = 2_097_152
const NESTED = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`
const lineOf = (...members: readonly string[]) =>
  `{"lines":[{"line":"x"${members.map(each => `,${each}`).join('')}}]}`
const traffic = (seed: number) => bodyOf(take(sentSamples(seed), 50))

/** Lines in the form of common programs. */
const PROGRAMS = [
  '172.17.0.1 - - [10/Oct/2026:13:55:36 +0000] "GET /apache_pb.gif HTTP/1.0" 200 2326 "-" "Mozilla/5.0 (X11)"',
  'Nov 23 06:25:01 web-1 sshd[24200]: Failed password for invalid user admin from 203.0.113.9 port 38926 ssh2',
  '2026-11-23 06:25:01,143 WARN  [main] o.a.z.s.NIOServerCnxn - caught end of stream exception',
  'java.lang.IllegalStateException: no session\n\tat a.b.C.d(C.java:42)\n\tat java.base/java.lang.Thread.run(Thread.java:840)',
  'I1123 06:25:01.143 1 controller.go:114] "Reconciled" pod="kube-system/coredns-5d78c9869d-abcde" took="12.5ms"',
  "<34>1 2026-11-23T06:25:01.003Z web-1 su - ID47 - BOM'su root' failed for lonvick on /dev/pts/8",
  'level=error ts=2026-11-23T06:25:01.143Z caller=dedupe.go:112 component=remote msg="Failed to send batch"',
  '{"level":"info","ts":1795000000.143,"logger":"http","msg":"handled request","status":200,"duration":0.012}',
  '{"time":"2026-11-23T06:25:01Z","level":"ERROR","source":{"function":"main.run","line":42},"msg":"listen failed"}',
  '{"severity":"INFO","message":"GET /","httpRequest":{"requestMethod":"GET","status":404,"latency":"0.003s"}}',
  'took {"ms":12.5,"ok":true,"tags":["a","b"],"none":null}',
  '[2026-11-23T06:25:01] app.CRITICAL: Uncaught PHP Exception {"exception":"[object] (Error(code: 0))"} []',
]

/** Texts that parsers read differently. */
const NASTY = [
  '',
  ' ',
  '{}',
  '{"a":{}}',
  '{"a":[]}',
  '{"a":[{},[],[[]],null,true,false]}',
  '{"a":1,"a":2}',
  '{"10":1,"9":2,"a":3,"-1":4,"1.5":5,"01":6}',
  '{"__proto__":{"x":1},"constructor":2,"toString":3,"hasOwnProperty":4}',
  '{"":1,"a.b":2,"a":{"b":3},".":4}',
  '{"big":12345678901234567890,"edge":9007199254740993,"neg":-9223372036854775809}',
  '{"huge":1e400,"tiny":1e-400,"zero":-0,"exp":1E+2,"long":0.1000000000000000055511151231257827}',
  '{"e":"\\u0041\\u00e9\\ud83d\\ude00\\n\\t\\"\\\\\\/"}',
  '{"half":"\\ud83d","other":"\\ude00x"}',
  '{"nul":"\\u0000"}',
  '{"message":"shown","msg":"not"}',
  '{"msg":"shown"}',
  '{"message":7}',
  '{"level":"  Warn "}',
  '{"level":3}',
  '{"level":{"a":1}}',
  '{"level":"","x":"error in a value"}',
  '{"status":1,"_status":2,"__status":3}',
  '{"_line":"not mine","_app":"not mine","_tag":"perhaps","_meta":1,"_label":{"a":1}}',
  '{"timestamp":"2026","type":"t","user":{"name":"n"},"tag":["x"]}',
  '{"a":1}x',
  '{"a":1} \t\r\n',
  '{"a":1}\u00a0',
  'x{"a":1}{"b":2}',
  'x{y{"a":1}',
  '{"a":1,}',
  "{'a':1}",
  '{"a":01}',
  '{"a":NaN}',
  '{"a":tru}',
  '{"a":"tab\there"}',
  `${'{"'.repeat(40)}a":1}`,
  `${'{"x '.repeat(31)}{"a":1}`,
  `${'{"x '.repeat(32)}{"a":1}`,
  NESTED(3),
  NESTED(4),
  NESTED(256),
  NESTED(257),
  `{"a":${'['.repeat(255)}${']'.repeat(255)}}`,
  `{"a":${'['.repeat(256)}${']'.repeat(256)}}`,
  'é€😀 ERROR',
  'ſerror ﬁ error',
  '\ufeff{"a":1}',
  '\u2028{"a":"\u2028"}',
  'a\rb\r\nc\n',
  'errors, ErrorX, x_error, error_x: no word',
  `${'x'.repeat(251)} error`,
  `${'x'.repeat(250)} error`,
  `${'é'.repeat(250)} error`,
]

const INVALID_UTF8 = [
  Buffer.from([0xff, 0xfe, 0x20, 0x45, 0x52, 0x52, 0x4f, 0x52]),
  Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xc3]), Buffer.from('"}')]),
  Buffer.concat([Buffer.from('{"'), Buffer.from([0xed, 0xa0, 0xbd]), Buffer.from('":1}')]),
]

const manyNames = (count: number, first = 0) =>
  JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, name) => [`n${first + name}`, name])))

const SYSTEM_LINES = 25
/** Three lines. */
const TAGGED = '{"lines":["a",{"line":"b"},"c"]}'

export const BODY_CASES: readonly BodyCase[] = [
  { title: 'traffic', body: traffic(1) },
  { title: 'more traffic, with tags', body: traffic(2), tags: ['a', 'b'] },
  { title: 'programs', body: JSON.stringify({ lines: PROGRAMS.map(line => ({ line })) }) },
  { title: 'programs as bare texts', body: JSON.stringify({ lines: PROGRAMS }) },
  { title: 'nasty texts', body: JSON.stringify({ lines: NASTY.map(line => ({ line, app: 'a' })) }) },
  { title: 'no lines', body: '{"lines":[]}' },
  {
    title: 'blanks everywhere',
    body: ' \r\n{\t"lines" : [ { "line" : "a" , "app" : "b" } , "bare" ] } \r\n',
  },
  { title: 'a byte order mark', body: '\ufeff{"lines":[{"line":"a"}]}' },
  { title: 'an older agent', body: '{"e":"ls","ls":[{"line":"a","f":"/var/log/a","t":1795000000}]}' },
  {
    title: 'everything that a request says',
    body: '{"hostname":" h ","mac":"00:11:22:33:44:55","ip":"10.0.0.1","tags":"a, b,a","apikey":"k","lines":["x"]}',
  },
  {
    title: 'tags of request, body and line',
    body: '{"tags":["of body"],"lines":[{"line":"x","tags":["own","of request"]},{"line":"y","tags":"p,q"}]}',
    tags: ['of request'],
  },
  {
    title: 'all members of a line',
    body: lineOf(
      ...['"timestamp":1795000000000', '"app":"web"', '"level":"info"', '"env":"prod"', '"file":"/a"'],
      ...['"host":"h2"', '"meta":{"a":[1,-2.5e3]}', '"label":{"l":1}', '"annotation":{"n":"x"}', '"other":7'],
    ),
  },
  ...[
    '1795000000',
    '1795000000.25',
    '"1795000000000"',
    '"2026-11-18T00:00:00.5+01:00"',
    '"nonsense"',
    '""',
    '1',
    '99999999999999',
    '-5',
    '1e12',
    '1e400',
    'null',
    'true',
    '{}',
    '1795000000000000',
    '1795000000000000123',
    '17950000000000000000',
    // It is a time of these days once 64 bits have overflowed.
    '20241744073709551616',
    `1795000000.${'1'.repeat(120)}`,
    `"2026-11-18T10:00:00.${'1'.repeat(120)}Z"`,
    `"${'soon '.repeat(30)}"`,
    '1795000000000.9',
    '01795000000000',
    '" 1795000000000"',
    '"1795000000.25"',
    '"01795000000000"',
    '"2026-11-18T10:00:00Z"',
    '"2026-11-18 10:00:00,123456789-0930"',
    '"2026-11-18t23:59:60z"',
    '"2026-11-18T24:00:00Z"',
    '"2026-11-31T00:00:00Z"',
    '"2024-02-29T00:00:00Z"',
    '"1970-01-01T00:00:00Z"',
    '"1970-01-01T00:30:00+01:00"',
    '"2026-11-18T10:00"',
    '"2026-11-18T10:00:00+1"',
    '"2026\\u002d11-18"',
  ].map(time => ({ title: `timestamp ${time}`, body: lineOf(`"timestamp":${time}`) })),
  ...[
    '""',
    '"{}"',
    '"text"',
    '"{\\"a\\":1}"',
    '{}',
    '{ "a" : [ 1 , { } ] }',
    '{"a":1,"a":2}',
    '{"10":1,"9":2}',
    '{"a":12345678901234567890,"b":1e400,"c":-0}',
    '{"a":"\\u00e9\\ud83d\\ude00","b":"\\ud83d"}',
    NESTED(23),
    NESTED(24),
    NESTED(25),
    '[1,2]',
    '7',
    '1e400',
    'true',
    'null',
    '"\\u007b}"',
    '"\\ud83d\\ude00"',
    '"\\ud83d"',
    '{"\\ude00":1}',
    '{"a":-0.5E+10,"b":[0,1e3,true,false,null]}',
    '{"a":01}',
    '{"a":1.}',
    '{"a":"\\x"}',
    '{"a":\n1}',
  ].map(meta => ({ title: `meta ${meta.slice(0, 60)} of ${meta.length}`, body: lineOf(`"meta":${meta}`) })),
  { title: 'meta at its limit', body: lineOf(`"meta":{"a":"${'x'.repeat(32_768 - 8)}"}`) },
  { title: 'meta beyond its limit', body: lineOf(`"meta":{"a":"${'x'.repeat(32_768)}"}`) },
  { title: 'meta beyond its limit for its blanks', body: lineOf(`"meta":{"a":${' '.repeat(33_000)}1}`) },
  { title: 'a text at its limit', body: JSON.stringify({ lines: [{ line: 'x'.repeat(16_384) }] }) },
  { title: 'a text beyond its limit', body: JSON.stringify({ lines: [{ line: `${'x'.repeat(16_383)}é` }] }) },
  {
    title: 'words beyond their limits',
    body: lineOf(`"app":"${'a'.repeat(600)}","level":"${'l'.repeat(200)}"`),
  },
  { title: 'escaped keys', body: '{"l\\u0069nes":[{"l\\u0069ne":"x","\\u0061pp":"web"}]}' },
  {
    title: 'keys that repeat',
    body: '{"lines":["first"],"lines":[{"line":"a","line":"b","app":"1","app":"2"}]}',
  },
  { title: 'keys like numbers', body: lineOf('"10":1', '"9":2', '"a":3') },
  {
    title: 'members of odd types',
    body: lineOf('"app":7', '"level":[1]', '"host":{"a":1}', '"file":true', '"env":null'),
  },
  {
    title: 'numbers that no double holds',
    body: lineOf('"n":12345678901234567890', '"e":1e400', '"app":1e400'),
  },
  {
    title: 'texts that are no text',
    body: '{"lines":[{"line":7},{"line":null},{"line":{"a":1}},{"line":[1]},{"line":""}]}',
  },
  { title: 'elements without a text', body: '{"lines":[{"line":"a"},7,null,{},[],"b",{"app":"x"}]}' },
  { title: 'no element with a text', body: '{"lines":[7,null,{}]}' },
  {
    title: 'escapes',
    body: '{"lines":["a\\nb\\t\\"c\\" \\\\ \\/ \\u0041 \\u00e9 \\ud83d\\ude00 \\ud83d \\ude00x"]}',
  },
  ...['\\', '\\u', '\\u00', '\\u00g0', '\\x', '\\ud83d\\u', '\\ud83d\\ude0', '\\U0041'].map(damaged => ({
    title: `damaged escape ${damaged}`,
    body: `{"lines":[{"line":"a${damaged}"}]}`,
  })),
  {
    title: 'escapes at all places of a step',
    body: JSON.stringify({
      lines: Array.from({ length: 36 }, (_, at) => ({
        line: `${'x'.repeat(at)}"\n\\${'y'.repeat(20)}\u0001é"`,
      })),
    }),
  },
  {
    title: 'pairs of surrogates and halves of them',
    body: '{"lines":["\\ud83d\\ude00","\\ude00\\ud83d","\\ud83d\\ud83d\\ude00","\\uD83D\\u0041","\\udbff\\udfff\\udc00"]}',
  },
  {
    title: 'a text that is cut within a character that an escape stands for',
    body: `{"lines":["${'x'.repeat(16_383)}\\u00e9 and more"]}`,
  },
  {
    title: 'lengths of texts',
    body: JSON.stringify({
      lines: [0, 1, 13, 14, 15, 16, 17, 126, 127, 128, 129].map(length => 'x'.repeat(length)),
    }),
  },
  {
    title: 'blanks of every kind',
    body: '\n{\r\n\t"e" : "ls" ,\n "ls"\t:\r[ {\n"line"\t:\n"a"\r,\n"app":"b" }\n,\t"c" ]\n}\t\r\n ',
  },
  {
    title: 'a member without a meaning behind the lines',
    body: '{"ls":[{"line":"a"}],"e":"x"}',
  },
  { title: 'a member without a meaning twice', body: '{"e":"x","ls":[{"line":"a"}],"e":"y"}' },
  {
    title: 'members that are null',
    body: lineOf(
      '"timestamp":null',
      '"app":null',
      '"level":null',
      '"env":null',
      '"file":null',
      '"host":null',
    ),
  },
  ...['"app":"a","app":"b"', '"line":"y"', '"timestamp":1,"timestamp":2', '"meta":{},"meta":""'].map(
    members => ({
      title: `members that repeat: ${members}`,
      body: lineOf(members),
    }),
  ),
  { title: 'host and hostname', body: lineOf('"hostname":"a","host":"b"') },
  {
    title: 'words with escapes',
    body: lineOf(
      '"app":"\\u00e9 \\"a\\""',
      '"level":"\\ud83d\\ude00"',
      '"env":"\\ud83d"',
      '"file":"C:\\\\a"',
    ),
  },
  ...['" "', '"\\t\\u00a0"', '"é"', '"\\u0041"', '" a "', '""'].map(host => ({
    title: `host ${host}`,
    body: lineOf(`"hostname":${host}`),
  })),
  {
    title: 'names that only begin like those of members',
    body: lineOf('"lines":1', '"lin":1', '"apps":"a"', '"hostnames":"a"', '"timestamps":1', '"levels":"a"'),
  },
  { title: 'control characters', body: '{"lines":["a\u0001b","tab\there"]}' },
  {
    title: 'invalid UTF-8',
    body: Buffer.concat([Buffer.from('{"lines":["'), INVALID_UTF8[0] as Buffer, Buffer.from('"]}')]),
  },
  {
    title: 'half a character',
    body: Buffer.concat([
      Buffer.from('{"lines":[{"line":"a'),
      Buffer.from([0xe2, 0x82]),
      Buffer.from('"}]}'),
    ]),
  },
  ...[
    [0xc0, 0x80],
    [0xe0, 0x80, 0x80],
    [0xed, 0xa0, 0x80],
    [0xf4, 0x90, 0x80, 0x80],
    [0xf8, 0x88, 0x80, 0x80, 0x80],
    [0x80],
  ].map(bytes => ({
    title: `bytes that are no character: ${Buffer.from(bytes).toString('hex')}`,
    body: Buffer.concat([Buffer.from('{"lines":[{"line":"a'), Buffer.from(bytes), Buffer.from('"}]}')]),
  })),
  { title: 'nested at the limit', body: `{"lines":["x"],"deep":${'['.repeat(255)}${']'.repeat(255)}}` },
  { title: 'nested beyond the limit', body: `{"lines":["x"],"deep":${'['.repeat(256)}${']'.repeat(256)}}` },
  ...[
    '',
    'text',
    'null',
    '7',
    '"lines"',
    '[]',
    '[{"line":"a"}]',
    '{"a":1}',
    '{"lines":{}}',
    '{"lines":null}',
  ].map(body => ({ title: `not lines: ${body}`, body })),
  { title: 'lines of JSON', body: '{"line":"a"}\n{"line":"b"}\r\n' },
  ...['{"lines":["a"]', '{"lines":["a"]}x', '{"lines":["a",]}', "{'lines':['a']}", '{"lines":[01]}'].map(
    body => ({
      title: `damaged: ${body}`,
      body,
    }),
  ),
  {
    title: 'too many lines for the limit',
    body: JSON.stringify({ lines: Array(60).fill('') }),
    limitBytes: 400,
  },
  {
    title: 'too many members for the limit',
    body: lineOf(...Array.from({ length: 20_000 }, (_, key) => `"k${key}":1`)),
    limitBytes: 300_000,
  },
  ...SYSTEM_NAMES.map((system, number) => ({
    title: `lines of ${system}`,
    body: bodyOf(
      systemLines(system, SYSTEM_LINES).map((line, row) =>
        row % 5 === 4
          ? { line }
          : { timestamp: SAMPLE_START_MS + row, line, app: system, file: `/${number}` },
      ),
    ),
  })),
  ...[0, 1].map(less => ({
    title: `lines that count ${less} bytes more than the limit`,
    body: JSON.stringify({ lines: Array(8).fill('') }),
    limitBytes: JSON.stringify({ lines: Array(8).fill('') }).length + 8 * (64 - 2) - less,
  })),
  ...[0, 1].flatMap(less =>
    [TAGGED, `{"tags":"of body","lines":${TAGGED.slice(9)}`].map((body, form) => ({
      title: `tags of the request that count ${less} bytes more than the limit, body ${form}`,
      body,
      tags: Array.from({ length: 102 }, (_, tag) => `tag ${tag}`),
      limitBytes: body.length + 3 * 2 * 64 - less,
    })),
  ),
  ...[
    '{"hostname":7,"mac":null,"ip":[1],"tags":["a",5,"","a",{"b":1}],"apikey":true,"lines":["x"]}',
    `{"hostname":"${'h'.repeat(300)}","ip":"\\t10.0.0.1 ","tags":"${'t'.repeat(90)}","lines":["x"]}`,
    '{"hostname":"without lines","apikey":"k"}',
    '{"hostname":"first","hostname":"last","lines":[null]}',
  ].map((body, number) => ({ title: `members beside the lines ${number}`, body })),
].map(each => ({ tags: null, limitBytes: BODY_BYTES, ...each }))

const PLAIN = '{"lines":["a","b"]}'
const RICH = `{"lines":[${[
  '"timestamp":1795000000001',
  '"app":"web"',
  '"level":"info"',
  '"env":"prod"',
  '"file":"/a"',
  '"host":"h2"',
  '"meta":{"a":1}',
  '"other":7',
]
  .map((_, last, members) => `{"line":"x",${members.slice(0, last + 1).join()}}`)
  .join()}]}`
/** A reader finds the fault behind lines that it has appended. */
const FAULTY = [
  '{"lines":[{"line":"lost","app":"lost"},{"line":"lost","meta":{"lost":1}}],"x":}',
  `{"lines":["lost",{"line":"lost","app":"lost","pid":1}${',""'.repeat(9)}]}`,
  `{"lines":["lost",{"line":"lost","app":"lost"}${',""'.repeat(9)}]}`,
  '{"lines":[null,7]}',
]
const TIMED = `{"lines":[${[-40, -8, -7, -1, 0, 1, 2]
  .map(days => `{"line":"${days}","timestamp":${SAMPLE_START_MS + days * DAY_MS}}`)
  .join()}]}`

/** Requests that share open columns. */
export const RECORD_CASES: readonly RecordCase[] = [
  {
    title: 'requests of every form in one record',
    requests: [
      { body: bodyOf(take(sentSamples(4), 12)), tags: ['a'] },
      { body: '{"hostname":"own","tags":"of body","lines":[{"line":"x","tags":["t"],"app":"nginx"}]}' },
      { body: bodyOf(take(sentSamples(5), 12)) },
      ...SYSTEM_NAMES.map(system => ({
        body: bodyOf(systemLines(system, 3, 2).map(line => ({ line, app: system }))),
      })),
    ],
  },
  {
    title: 'requests that fail, between others',
    requests: [
      { body: PLAIN },
      ...FAULTY.flatMap(body => [{ body, limitBytes: body.length + 200 }, { body: RICH }]),
      { body: PLAIN },
    ],
  },
  {
    title: 'requests without lines, at both ends and between others',
    requests: ['{"lines":[]}', PLAIN, '{"lines":[]}', RICH, '{"hostname":"h","lines":[]}'].map(body => ({
      body,
    })),
  },
  {
    title: 'columns that begin in a later request, and are empty in the next one',
    requests: [PLAIN, RICH, PLAIN, '{"hostname":"h","lines":["c"]}'].map(body => ({ body })),
  },
  {
    title: 'requests that arrive at different times, of accounts with different retention',
    requests: [30, 7, 1].flatMap(retentionDays =>
      [-DAY_MS, 0, DAY_MS].map(ms => ({
        body: TIMED,
        receivedAtMs: CODEC_NOW_MS + ms,
        retentionDays,
      })),
    ),
  },
  {
    title: 'words that earlier requests have said',
    requests: ['a', 'b', 'a', 'c'].map(app => ({
      body: `{"lines":[{"line":"x","app":"${app}","file":"a"},{"line":"y","level":"${app}","env":"b"}]}`,
    })),
  },
  {
    title: 'more rows than columns have at first',
    requests: Array.from({ length: 5 }, (_, number) => ({
      body: bodyOf(
        Array.from({ length: 70 }, (_, row) => ({
          line: `${number} ${row}`,
          app: `app ${(number * row) % 150}`,
        })),
      ),
    })),
  },
].map(({ title, requests }) => ({
  title,
  requests: requests.map(request => ({ limitBytes: BODY_BYTES, ...request })),
}))

export const RUN_CASES: readonly RunCase[] = [
  { title: 'no lines', lines: [] },
  { title: 'programs', lines: PROGRAMS },
  { title: 'programs with a level that was sent', lines: PROGRAMS, sentLevel: 'Notice' },
  { title: 'nasty texts', lines: NASTY },
  { title: 'nasty texts as before the fifth behaviour', lines: NASTY, isExact: false },
  {
    title: 'nasty texts where the service knows much',
    lines: NASTY,
    own: Object.values(OWN_MEMBERS).reduce<number>((sum, member) => sum + member, 0),
  },
  { title: 'nasty texts where the service knows tags', lines: NASTY, own: OWN_MEMBERS._tag },
  { title: 'invalid UTF-8', lines: INVALID_UTF8 },
  { title: 'traffic', lines: take(sentSamples(3), 50).map(({ line }) => line) },
  { title: 'as many names as are indexed', lines: [manyNames(250), manyNames(250, 250), manyNames(1)] },
  {
    title: 'more names than are indexed',
    lines: [manyNames(499), '{"a":1,"b":2,"c":{"d":3}}', manyNames(2), '{"b":9}'],
  },
  {
    title: 'a name of the longest length, and one beyond',
    lines: [`{"${'n'.repeat(512)}":1}`, `{"${'n'.repeat(513)}":1}`],
  },
  { title: 'more keys than a byte numbers', lines: [manyNames(300)] },
  {
    title: 'levels and members of the service that differ from line to line',
    lines: [...PROGRAMS, ...NASTY, ...PROGRAMS],
    sentLevel: ['', 'Notice', 'error', ' Warn ', '', ' ', 'ß'],
    own: [0, OWN_MEMBERS._tag, 0, OWN_MEMBERS._meta | OWN_MEMBERS._label, OWN_MEMBERS._env],
  },
]

const FIRST_DAY_MS = CODEC_NOW_MS - (CODEC_NOW_MS % DAY_MS)
const SECOND_DAY_MS = FIRST_DAY_MS + DAY_MS
/** Lines with the maximum number of names per day. */
const FULL = [manyNames(250), manyNames(250, 250)]
const known = (count: number) =>
  Array.from({ length: count }, (_, row) => `{"n${row % 500}":${row},"n7":"x"}`)

/** Runs of which later ones find the names of earlier ones. */
export const SEQUENCE_CASES: readonly SequenceCase[] = [
  {
    title: 'lines of eight systems',
    runs: SYSTEM_NAMES.map(system => ({ lines: systemLines(system, SYSTEM_LINES, 3) })),
  },
  {
    title: 'a name is lost on one day, and kept on the next one',
    runs: [
      { timeMs: FIRST_DAY_MS, lines: [...FULL, '{"n1":2}', '{"n2":1,"lost":1}', '{"other":1}'] },
      { timeMs: SECOND_DAY_MS - 1, lines: ['{"other":1}', '{"n1":1,"lost":2}'] },
      { timeMs: SECOND_DAY_MS, lines: ['{"lost":3}', '{"n1":3}', '{"other":{"below":1}}'] },
      { timeMs: SECOND_DAY_MS + 1, lines: [manyNames(400), manyNames(96, 400), '{"new":1}', '{"more":1}'] },
      { timeMs: SECOND_DAY_MS + DAY_MS, lines: ['{"n1":1,"lost":4}'] },
    ],
  },
  {
    title: 'the last millisecond of a day and the first one of the next',
    runs: [SECOND_DAY_MS - 1, SECOND_DAY_MS, SECOND_DAY_MS, SECOND_DAY_MS + DAY_MS - 1].map(
      (timeMs, run) => ({
        timeMs,
        lines: ['{"a":1}', `{"run${run}":"x"}`],
      }),
    ),
  },
  {
    title: 'accounts and days in turns',
    runs: [FIRST_DAY_MS, FIRST_DAY_MS, SECOND_DAY_MS, SECOND_DAY_MS].flatMap((timeMs, run) =>
      [0, 1, 2].map(account => ({
        account,
        timeMs,
        lines: take(sentSamples(10 + account + run), 6).map(({ line }, row) =>
          row === account ? `{"of${account}":{"run${run}":"x"}}` : line,
        ),
      })),
    ),
  },
  ...(
    [
      ['in the first row', ['{"lost":1}', '{"n1":1}']],
      ['behind many rows', [...known(300), '{"n1":{"lost":1}}', ...known(30), '{"other":1}']],
      ['in the second row of a few', ['{"n1":1}', '{"n1":1,"lost":[1,2]}', '{"lost":1}']],
      ['in a row with a key twice', [...known(9), '{"n1":1,"n1":2,"lost":3}', ...known(9), '{"other":1}']],
      [
        'behind rows with a key twice',
        [...known(20), ...Array(3).fill('{"n1":1,"n1":2}'), ...known(5), '{"lost":1}'],
      ],
      ['as the text for display', [...known(12), 'text', '{"msg":"x"}', '{"lost":1}']],
      ['by its length alone, which is not a loss', ['{"n1":1}', `{"${'n'.repeat(513)}":1}`]],
      ['in a value that is no field', [...known(10), '{"lost":null}', '{"lost":{}}']],
    ] as const
  ).map(([place, lines]) => ({
    title: `a name is lost ${place}`,
    runs: [
      { lines: FULL },
      { lines },
      { lines: ['{"lost":1}'] },
      { timeMs: CODEC_NOW_MS + DAY_MS, lines: ['{"lost":1}'] },
    ],
  })),
  {
    title: 'values are read as before the fifth behaviour, and then as from it on',
    runs: [false, true, true, false].map((isExact, run) => ({
      isExact,
      lines: ['{"a":12345678901234567890,"b":1.50}', '{"10":1,"9":2}', `{"run${run}":-0}`],
    })),
  },
]

const values = (count: number, more = '') =>
  `{${Array.from({ length: count }, (_, key) => `"k${key}":${key}`).join()}${more}}`

/** Lines for the form of shapes and slots. */
const SPLIT = [
  '{"ts":"2026","status":200,"ok":true,"tags":["a"],"n":null}',
  '{"ts":"2027","status":404,"ok":false,"tags":[],"n":null}',
  '{"ts":"","status":-1.50,"ok":null,"tags":{},"n":0}',
  '{ "a" : { "b" : { "c" : "x" , "d" : { "e" : [ 1 ] } } } } \t\v\n',
  '{"a":123456789012345,"b":1234567890123456,"c":-0.0,"d":0.000000000000001,"e":1e3,"f":-12345678901234.5}',
  '{"level":"info","msg":"shown","a":{"msg":"not shown"}}',
  '{"level":"info","msg":"sh\\u006fwn"}',
  '{"msg":7,"message":"shown"}',
  '{"message":{"a":1},"level":{"b":2},"msg":"shown"}',
  values(15, ',"n":null'),
  values(16, ',"n":null,"o":{"p":null} '),
  values(15, ',"msg":"the last slot"'),
  values(15, ',"msg":"not the last value","more":[1,{"a":2}]'),
  values(15, ',"a":{"b":"é","c":{"d":2}},"level":"warn"'),
  values(14, ',"a":"\\n","b":[],"msg":"in the rest"'),
  values(30),
  `{"${'k'.repeat(1018)}":1}`,
  `{"${'k'.repeat(1019)}":1}`,
  `{"a":1,"${'k'.repeat(900)}":2,"${'l'.repeat(200)}":3}`,
  `{"é":"${'€'.repeat(200)}","${'k'.repeat(130)}":"${'x'.repeat(16_384)}"}`,
  ...['{"a.b":1,"a":{"b":2}}', '{"a":1,"a":2}', '{"\\u0061":1}', '{"status":1,"_status":2}', 'x {"a":1}'],
]

/** Lines whose row has the app `a`. */
const WORDS = [
  ...[
    '{"app":"a","n":1}',
    '{"app":"a","n":2}',
    '{"app":"b","n":1}',
    '{"app":"a","n":1}',
    '{"app":"ab","n":1}',
  ],
  ...[
    '{"app":"\\u0061","n":1}',
    '{"app":["a"],"n":1}',
    '{"app":1}',
    '{"app":{"app":"a"}}',
    '{"b":{"app":"a"}}',
  ],
  ...['info', 'warn', 'INFO', 'Info', 'warning', 'WARN', ' info', '', '30', 'é'].map(
    level => `{"level":"${level}","n":1}`,
  ),
  ...[
    '{"level":30}',
    '{"level":31}',
    '{"level":"30","x":"info"}',
    '{"a":{"level":"info"}}',
    '{"level":"\\u0069nfo"}',
  ],
  '{"level":"info","app":"a","msg":"x"}',
  ...['info', 'debug', 'DEBUG', 'debug', 'debug'].map(level => `{"app":"a","level":"${level}"}`),
  values(15, ',"app":"a","level":"info","n":1'),
  values(15, ',"app":"a","level":"warn","n":2'),
  values(15, ',"app":"b","level":"warn","n":2'),
  values(16, ',"app":"a","level":"info"'),
  values(16, ',"level":"info","app":"a"'),
  values(16, ',"app":"a","level":"info","n":1'),
  values(15, ',"o":[1],"app":"a","n":1'),
  values(15, ',"o":[1],"app":"a"'),
  values(15, ',"msg":"x","app":"a"'),
  values(15, ',"msg":"x","app":"a","n":1'),
  values(15, ',"app":"a","msg":"x"'),
]

export const SLOT_CASES: readonly RunCase[] = [
  ...RUN_CASES,
  { title: 'slots', lines: SPLIT },
  {
    title: 'slots where the service knows tags and meta',
    lines: SPLIT,
    own: OWN_MEMBERS._tag | OWN_MEMBERS._meta,
  },
  { title: 'slots with a level that was sent', lines: SPLIT, sentLevel: 'Notice' },
  {
    title: 'slots of lines with names that are left out',
    lines: [manyNames(250), manyNames(250, 250), ...SPLIT],
  },
  { title: 'words of the row', lines: WORDS },
  {
    title: 'words of the row whose names are left out',
    lines: [manyNames(250), manyNames(250, 250), ...WORDS],
  },
]
