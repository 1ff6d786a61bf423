import type { JsonObject } from '../../schemas/json.ts'
import type { NodeDocument } from '../../schemas/pipeline.ts'
import { exclusion, node } from './world.ts'

/**
 * Events and lines whose results depend on data of libraries: names of user agents, tables of Unicode, and forms of host names.
 * Some characters are new in Unicode 16 or 17, so that older tables give another result.
 */

export const DECIDED_ROUTE = '88888888-8888-4888-8888-888888888888'

const parsing = (id: string, input: string, options: JsonObject): NodeDocument =>
  node('transform', id, 'parse', [input], options)

/** The script changes the case of letters, and the filter compares without regard to it. */
const SCRIPT = `function f(message) {
  message.upper = message.text.toUpperCase()
  message.lower = message.text.toLowerCase()
  return message
}`

export const DECIDED_BY_DATA: readonly NodeDocument[] = [
  { ...node('source', 'door', 'http'), gateway_route_id: DECIDED_ROUTE },
  parsing('agent', 'door', { field: '.agent', target_field: '.browser', parser: 'parse_user_agent' }),
  parsing('address', 'agent', { field: '.address', target_field: '.url', parser: 'parse_url' }),
  parsing('letters', 'address', {
    field: '.text',
    target_field: '.found',
    parser: 'parse_regex',
    options: {
      pattern:
        '(?P<lower>\\p{Ll}+)?(?P<upper>\\p{Lu}*)(?P<others>[^\\p{L}\\p{Nd}]*)(?P<last>(?i:ſtraße|Σ\\p{Greek}+)?)',
    },
  }),
  node('transform', 'cover', 'redact', ['letters'], {
    field: '.text',
    patterns: [{ pattern: 'custom', expression: '(?i)κ\\p{Greek}+|[\\p{Nd}]{2,}', action: 'replace' }],
  }),
  node('transform', 'cased', 'js-script', ['cover'], { script: SCRIPT }),
  node('transform', 'drop', 'filter', ['cased'], {
    action: 'drop',
    conditional: { expressions: [{ field: '.text', str_operator: 'starts_with', value: 'ΔΡΌΜΟΣ ǅ' }] },
  }),
  node('sink', 'store', 'mezmo', ['drop'], {
    message: { scheme: 'Explicit field selection', line: '.' },
  }),
]

const AGENTS = [
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/149.0.0.0 Safari/537.36 Edg/149.0.1',
  'Mozilla/5.0 (Linux; Android 16; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36',
  'Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)',
  'Wget/1.25.0',
]
const ADDRESSES = [
  'https://Bäcker.example/brot?sorte=roggen',
  'https://FAß.example:443/#ß',
  'http://日本語。テスト/',
  'redis://Straße.example:6379/0',
  'http://xn--a/',
  'http://\ua7cb-new.example/',
  'http://\u{16ea0}-newer.example/',
  'http://1/',
]
const TEXTS = [
  'straßeÉÇ—Straße 42',
  'ΔΡΌΜΟΣ ǆ σίσυφος',
  'ſK-K κόσμος ١٢٣ ﬃ ŉ',
  'ǅiİı',
  '\ua7cb\u0264 \ua7cc \u{10d50}\u{10d70} \u{16ea0}\u{16ebb}',
]

export const DECIDED_MESSAGES: readonly JsonObject[] = ADDRESSES.map((address, index) => ({
  agent: AGENTS[index % AGENTS.length] as string,
  address,
  text: TEXTS[index % TEXTS.length] as string,
}))

export const DECIDED_EXCLUSIONS = [
  exclusion('6666666666', { query: '=Straße OR σίσυφος', entirely: true }),
  exclusion('7777777777', { query: '"7号" OR \ua7cb', entirely: true }),
]

export const DECIDED_LINES: readonly string[] = [
  'die Straße',
  'die STRASSE',
  'ΣΊΣΥΦΟΣ rolls',
  'zimmer７号室',
  '日本7号',
  '\u0264 is small',
  '\ua7cb is large',
]
