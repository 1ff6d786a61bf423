import type { JsonValue } from '../../../../schemas/json.ts'
import { defineParser } from './define-parser.ts'

/** The rest of a longer text is not looked at. (Our choice.) */
const MAX_LENGTH = 2_048

/** A name, and the text that shows it; its first group is the version. The first of a list that matches counts. */
type Known = readonly [family: string, form: RegExp]

const CRAWLERS: readonly Known[] = [
  ['Googlebot', /Googlebot(?:-[A-Z][a-z]+)?\/([\d.]+)/],
  ['bingbot', /bingbot\/([\d.]+)/],
  ['Baiduspider', /Baiduspider(?:-[a-z]+)?\/([\d.]+)/],
  ['YandexBot', /YandexBot\/([\d.]+)/],
  ['Yahoo! Slurp', /Yahoo! Slurp/],
  ['facebookexternalhit', /facebookexternalhit\/([\d.]+)/],
]
const CRAWLS = /bot\b|crawler|spider|slurp|externalhit/i
const BROWSERS: readonly Known[] = [
  ['Edge', /(?:Edge|Edg|EdgA|EdgiOS)\/([\d.]+)/],
  ['Opera', /(?:OPR|OPiOS)\/([\d.]+)/],
  ['Opera', /Opera.+Version\/([\d.]+)/],
  ['Opera', /Opera[ /]([\d.]+)/],
  ['Samsung Internet', /SamsungBrowser\/([\d.]+)/],
  ['Vivaldi', /Vivaldi\/([\d.]+)/],
  ['Firefox', /(?:Firefox|FxiOS)\/([\d.]+)/],
  ['Chrome', /(?:Chrome|CriOS|HeadlessChrome)\/([\d.]+)/],
  ['Internet Explorer', /MSIE ([\d.]+)/],
  ['Internet Explorer', /Trident\/.+rv:([\d.]+)/],
  ['Safari', /Version\/([\d.]+)(?: Mobile\/[\dA-Z]+)? Safari\//],
  ['curl', /^curl\/([\d.]+)/],
  ['Wget', /^Wget\/([\d.]+)/],
]
const SYSTEMS: readonly Known[] = [
  ['Windows Phone', /Windows Phone(?: OS)? ([\d.]+)/],
  ['Windows', /Windows NT ([\d.]+)/],
  ['Android', /Android ([\d.]+)/],
  ['Android', /Android/],
  ['iOS', /(?:iPhone|CPU) OS ([\d_]+) like Mac OS X/],
  ['macOS', /Mac OS X ([\d_.]+)/],
  ['macOS', /Macintosh/],
  ['ChromeOS', /CrOS [\w]+ ([\d.]+)/],
  ['Linux', /Linux|X11/],
]
const WINDOWS: Readonly<Record<string, string>> = {
  '10.0': '10',
  '6.3': '8.1',
  '6.2': '8',
  '6.1': '7',
  '6.0': 'Vista',
  '5.1': 'XP',
}
const APPLIANCES = /PlayStation|Nintendo|Xbox|SmartTV|SMART-TV|AppleTV|BRAVIA|HbbTV/
const PHONES = /DoCoMo|UP\.Browser|J-PHONE|Vodafone|Nokia|BlackBerry/
const SMARTPHONES = new Set(['Android', 'iOS', 'Windows Phone'])
const COMPUTERS = new Set(['Windows', 'macOS', 'ChromeOS', 'Linux'])

/** Browser, device and system of a user agent, as far as they are known. Newer names may be taken for those that they imitate. */
export const userAgent = defineParser({
  id: 'parse_user_agent',
  compile: () => whole => {
    const text = whole.slice(0, MAX_LENGTH)
    const crawler = knownIn(CRAWLERS, text)
    const browser = crawler ?? knownIn(BROWSERS, text)
    const system = knownIn(SYSTEMS, text)
    return {
      browser: { family: browser?.family ?? null, version: browser?.version ?? null },
      device: { category: categoryOf(text, crawler !== undefined || CRAWLS.test(text), system?.family) },
      os: { family: system?.family ?? null, version: versionOf(system) },
    }
  },
  examples: [
    {
      text: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/149.0.0.0 Safari/537.36 Edg/149.0.1',
      value: agent('Edge', '149.0.1', 'pc', 'Windows', '10'),
    },
    {
      text: 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
      value: agent('Safari', '18.5', 'smartphone', 'iOS', '18.5'),
    },
    {
      text: 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
      value: agent('Googlebot', '2.1', 'crawler', null, null),
    },
    { text: 'curl/8.5.0', value: agent('curl', '8.5.0', 'misc', null, null) },
    { text: '', value: agent(null, null, 'misc', null, null) },
  ],
})

interface Found {
  readonly family: string
  readonly version: string | undefined
}

function knownIn(known: readonly Known[], text: string): Found | undefined {
  for (const [family, form] of known) {
    const match = form.exec(text)
    if (match !== null) return { family, version: match[1] }
  }
  return undefined
}

function versionOf(system: Found | undefined): string | null {
  const version = system?.version?.replaceAll('_', '.')
  if (version === undefined) return null
  return system?.family === 'Windows' ? (WINDOWS[version] ?? version) : version
}

function categoryOf(text: string, isCrawler: boolean, system: string | undefined): string {
  if (isCrawler) return 'crawler'
  if (APPLIANCES.test(text)) return 'appliance'
  if (system !== undefined && SMARTPHONES.has(system)) return 'smartphone'
  if (PHONES.test(text)) return 'mobilephone'
  return system !== undefined && COMPUTERS.has(system) ? 'pc' : 'misc'
}

function agent(
  family: string | null,
  version: string | null,
  category: string,
  system: string | null,
  systemVersion: string | null,
): JsonValue {
  return {
    browser: { family, version },
    device: { category },
    os: { family: system, version: systemVersion },
  }
}
