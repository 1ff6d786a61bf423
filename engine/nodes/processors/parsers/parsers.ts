import Type from 'typebox'
import { isJsonObject, type JsonObject } from '../../../../schemas/json.ts'
import type { Problem } from '../../../event/problem.ts'
import type { CostMeter } from '../../../expressions/cost-meter.ts'
import { checkConfig } from '../../contract/config-schema.ts'
import { timeFormatProblems } from '../../options/time-format-option.ts'
import { apacheLog } from './apache-log.ts'
import { awsAlbLog } from './aws-alb-log.ts'
import { awsCloudwatchLog } from './aws-cloudwatch-log.ts'
import { awsVpcFlowLog } from './aws-vpc-flow-log.ts'
import { cef } from './cef.ts'
import { commonLog } from './common-log.ts'
import { csv } from './csv.ts'
import { CLOSED, MAX_TEXT_LENGTH, type Parser, type ParseText } from './define-parser.ts'
import { glog } from './glog.ts'
import { grok } from './grok.ts'
import { int } from './int.ts'
import { json } from './json.ts'
import { keyValue } from './key-value.ts'
import { klog } from './klog.ts'
import { linuxAuthorization } from './linux-authorization.ts'
import { nginxLog } from './nginx-log.ts'
import { queryString } from './query-string.ts'
import { regex } from './regex.ts'
import { syslog } from './syslog.ts'
import { timestamp } from './timestamp.ts'
import { tokens } from './tokens.ts'
import { url } from './url.ts'
import { userAgent } from './user-agent.ts'

const NO_OPTIONS = Type.Object({}, CLOSED)

/** Every parser, by id: adding one is a file and a line here. */
export const PARSERS: ReadonlyMap<string, Parser> = new Map(
  [
    ...[apacheLog, cef, csv, grok, keyValue, nginxLog, regex, timestamp],
    ...[awsAlbLog, awsCloudwatchLog, awsVpcFlowLog, commonLog, glog, int, json, klog, linuxAuthorization],
    ...[queryString, syslog, tokens, url, userAgent],
  ].map(parser => [parser.id, parser]),
)

export const PARSER_IDS: readonly string[] = [...PARSERS.keys()]

/** Options that name a parser; the schema of `options` depends on the parser. */
export const parserMembers = {
  parser: Type.Enum([...PARSER_IDS], { description: 'Parser of the text' }),
  options: Type.Optional(
    Type.Unsafe<JsonObject>({ type: 'object', description: 'Options of the parser, if it has any' }),
  ),
}

/**
 * The findings about the options of a parser.
 *
 * @param sent contains `parser` and `options`, of any type: findings of the schema are not repeated
 * @param at pointer to their place
 */
export function parserProblems(sent: JsonObject, at = ''): Problem[] {
  const parser = parserNamed(sent)
  if (parser === undefined) return []
  const { options } = sent
  if (options === undefined)
    return parser.optionsRequired
      ? [{ instancePath: at, message: "must have required property 'options'" }]
      : []
  if (!isJsonObject(options)) return []
  const checked = checkConfig(parser.options ?? NO_OPTIONS, options, 'the parser')
  const problems = 'problems' in checked ? [...checked.problems] : []
  if (parser.timeFormat !== undefined) problems.push(...timeFormatProblems(options, parser.timeFormat))
  return problems.map(({ instancePath, message }) => ({
    instancePath: `${at}/options${instancePath}`,
    message,
  }))
}

/** @param accepted contains `parser` and `options` without findings */
export function withParserDefaults(accepted: JsonObject): JsonObject {
  const parser = parserNamed(accepted)
  if (parser?.options === undefined || accepted.options === undefined) return accepted
  const checked = checkConfig(parser.options, accepted.options, 'the parser')
  if ('problems' in checked) return accepted
  return { ...accepted, options: parser.complete?.(checked.stored) ?? checked.stored }
}

function parserNamed({ parser }: JsonObject): Parser | undefined {
  return typeof parser === 'string' ? PARSERS.get(parser) : undefined
}

/** Reasons why stored options of a parser cannot be run. @param at pointer to their place */
export function parserRunProblems(stored: JsonObject, at = ''): Problem[] {
  const parser = parserNamed(stored)
  const problems = parser?.runProblems?.(optionsOf(stored)) ?? []
  return problems.map(({ instancePath, message }) => ({
    instancePath: `${at}/options${instancePath}`,
    message,
  }))
}

/** A parser with its options. */
export interface CompiledParser {
  readonly parseText: ParseText
  /** Texts of more UTF-16 units are not accepted. */
  readonly maxTextLength: number
}

/** @param stored options without findings @throws RangeError for an unknown parser */
export function compileParser(stored: JsonObject, meter: CostMeter): CompiledParser {
  const parser = parserNamed(stored)
  if (parser === undefined) throw new RangeError(`no parser "${String(stored.parser)}"`)
  const { maxTextLength = MAX_TEXT_LENGTH } = parser
  return { parseText: parser.compile(optionsOf(stored), meter), maxTextLength }
}

function optionsOf({ options }: JsonObject): JsonObject {
  return isJsonObject(options) ? options : {}
}
