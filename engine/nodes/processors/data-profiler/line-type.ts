import type { CountedCaptures } from '../../../expressions/captures/counted-captures.ts'
import type { CountedWork } from '../../../expressions/counted-work.ts'
import {
  expandedPattern,
  type GrokExpression,
  grokExpression,
} from '../../../expressions/grok/grok-expression.ts'
import { GROK_LIBRARY } from '../../../expressions/grok/grok-library.ts'
import { grokSteps } from '../../../expressions/grok/grok-size.ts'
import { parseExpression } from '../../../expressions/parse-expression.ts'
import { requiredTexts } from '../../../expressions/required-texts.ts'
import { READ_AT_ONCE_BITS } from '../../../expressions/sought-text.ts'

/** Patterns in the order in which they are tried: components, section 9.4. A star stands for any end. */
const PATTERNS = [
  ...['HTTPD_COMBINEDLOG', 'HTTPD_COMMONLOG', 'HTTPD_ERRORLOG', 'SYSLOG5424LINE', 'SYSLOGPAMSESSION'],
  ...['SYSLOGLINE', 'CRONLOG', 'MONGO3_LOG', 'NAGIOSLOGLINE', 'POSTGRESQL', 'RAILS3', 'REDISLOG'],
  ...['S3_ACCESS_LOG', 'ELB_ACCESS_LOG', 'CLOUDFRONT_ACCESS_LOG', 'CATALINALOG', 'TOMCATLOG', 'REDISMONLOG'],
  ...['RUBY_LOGGER', 'SQUID3', 'BIND9', 'HAPROXYTCP', 'HAPROXYHTTP', 'BACULA_LOGLINE', 'BRO_*'],
  ...['NETSCREENSESSIONLOG', 'CISCO*', 'SHOREWALL', 'SFW2'],
]
/** Patterns for parts of lines. They match in most lines, so they are not types of lines. (Our choice.) */
const PARTS = new Set([
  ...['BRO_BOOL', 'BRO_DATA', 'CISCOMAC', 'CISCOTIMESTAMP', 'CISCOTAG', 'CISCO_ACTION', 'CISCO_REASON'],
  ...['CISCO_DIRECTION', 'CISCO_INTERVAL', 'CISCO_XLATE_TYPE'],
])
/** Units per step for reading a pattern, as for a regular expression. */
const READ_UNITS = 64

/** Names of all types of lines, in the order in which they are tried. */
export const LINE_TYPES: readonly string[] = PATTERNS.flatMap(pattern =>
  pattern.endsWith('*')
    ? [...GROK_LIBRARY.keys()].filter(name => name.startsWith(pattern.slice(0, -1)) && !PARTS.has(name))
    : [pattern],
)

/** One type of lines. Its pattern is read when the first line is tried. */
class LineType {
  readonly name: string
  #read: { readonly expression: GrokExpression; readonly texts: readonly string[] | undefined } | undefined

  constructor(name: string) {
    this.name = name
  }

  /** Reads the pattern. @returns units of this work; 0: it was read before */
  read(): number {
    if (this.#read !== undefined) return 0
    const pattern = `%{${this.name}}`
    const tree = parseExpression(expandedPattern(pattern, []), {})
    this.#read = { expression: grokExpression(pattern), texts: requiredTexts(tree) }
    return READ_UNITS * grokSteps(pattern)
  }

  /** Texts of which a line of the type contains at least one. */
  get texts(): readonly string[] | undefined {
    return this.#read?.texts
  }

  find(line: string): CountedCaptures | undefined {
    return this.#read?.expression.find(line)
  }
}

const TYPES: readonly LineType[] = LINE_TYPES.map(name => new LineType(name))

/** The first type of a line; null: the line has none, or finding it would cost too much. */
export class LineClassification implements CountedWork<string | null> {
  readonly #line: string
  readonly #mostUnits: number
  readonly #seekUnits: number
  /** Units of the types that were tried. */
  #tried = 0
  #built = 0
  #next = 0
  #matching: CountedCaptures | undefined

  constructor(line: string, mostUnits: number) {
    this.#line = line
    this.#mostUnits = mostUnits
    this.#seekUnits = (line.length >> READ_AT_ONCE_BITS) + 1
  }

  get units(): number {
    return this.#tried + (this.#matching?.units ?? 0)
  }

  get work(): number {
    return this.#tried + this.#built + (this.#matching?.work ?? 0)
  }

  get characters(): number {
    return this.#line.length
  }

  run(untilUnits: number, untilWork = Number.POSITIVE_INFINITY): string | null | undefined {
    const until = Math.min(untilUnits, this.#mostUnits)
    for (; this.#next < TYPES.length; this.#next++) {
      if (this.units >= until || this.work >= untilWork) return this.#givenUp()
      const type = TYPES[this.#next] as LineType
      const matching = this.#matching ?? this.#begin(type)
      if (matching === undefined) continue
      this.#matching = matching
      const found = matching.run(until - this.#tried, untilWork - this.#tried - this.#built)
      if (found === undefined) return this.#givenUp()
      this.#endMatching(matching)
      if (found !== null) return type.name
    }
    return null
  }

  /** null: nothing is left of the units; undefined: the work may go on later. */
  #givenUp(): null | undefined {
    if (this.units < this.#mostUnits) return undefined
    this.end()
    this.#next = TYPES.length
    return null
  }

  end(): void {
    if (this.#matching !== undefined) this.#endMatching(this.#matching)
  }

  #begin(type: LineType): CountedCaptures | undefined {
    this.#built += type.read()
    const { texts } = type
    this.#tried = Math.min(this.#mostUnits, this.#tried + this.#seekUnits * (texts?.length ?? 0))
    if (this.#tried === this.#mostUnits) return undefined
    if (texts?.some(text => this.#line.includes(text)) === false) return undefined
    return type.find(this.#line)
  }

  #endMatching(matching: CountedCaptures): void {
    this.#tried += matching.units
    this.#built += matching.work - matching.units
    this.#matching = undefined
    matching.end()
  }
}
