import Type, { type TObject } from 'typebox'
import { isJsonObject, type JsonObject } from '../../../schemas/json.ts'
import type { Problem } from '../../event/problem.ts'
import { checkConfig, GrokPattern, RegularExpressionText } from '../contract/config-schema.ts'
import {
  customFormatProblems,
  type TimeFormatMembers,
  TimeFormatOption,
} from '../options/time-format-option.ts'

/** Declaration of a parser. */
export interface Parser {
  /** Undefined without options. */
  readonly options?: TObject
  readonly optionsRequired?: boolean
  /** Member that can be Custom, and the one that then has the text. */
  readonly timeFormat?: TimeFormatMembers
  /** Adds a default that depends on other options. */
  complete?(options: JsonObject): JsonObject
}

const ACCESS_LOG_TIME = '%d/%b/%Y:%T %z'
const NGINX_ERROR_LOG_TIME = '%Y/%m/%d %H:%M:%S'
const LOG_TIME = { format: 'timestamp_format', custom: 'custom_timestamp_format' } as const
const CLOSED = { additionalProperties: false } as const
const NO_OPTIONS = Type.Object({}, CLOSED)

const WITH_OPTIONS: Readonly<Record<string, Parser>> = {
  parse_apache_log: {
    options: Type.Object(
      {
        format: Type.Enum(['common', 'combined', 'error'], { description: 'Which of the logs it is' }),
        timestamp_format: Type.Optional(
          Type.String({ minLength: 1, default: ACCESS_LOG_TIME, description: 'strftime text, or Custom' }),
        ),
        custom_timestamp_format: Type.Optional(
          Type.String({ minLength: 1, description: 'strftime text, for Custom' }),
        ),
      },
      CLOSED,
    ),
    optionsRequired: true,
    timeFormat: LOG_TIME,
  },
  parse_cef: {
    options: Type.Object(
      {
        translate_custom_fields: Type.Optional(
          Type.Boolean({ description: 'Name custom fields by their labels' }),
        ),
      },
      CLOSED,
    ),
  },
  parse_csv: {
    options: Type.Object(
      {
        field_names: Type.Optional(
          Type.Array(Type.String({ minLength: 1, description: 'Name of a column' }), {
            description: 'Names of the columns; the result is an array when absent',
          }),
        ),
      },
      CLOSED,
    ),
  },
  parse_grok: {
    options: Type.Object(
      { pattern: GrokPattern({ description: 'Pattern such as %{WORD:part} %{NUMBER:number}' }) },
      CLOSED,
    ),
    optionsRequired: true,
  },
  parse_key_value: {
    options: Type.Object(
      {
        key_value_delimiter: Type.Optional(
          Type.String({ minLength: 1, description: 'Between key and value; = when absent' }),
        ),
        field_delimiter: Type.Optional(
          Type.String({ minLength: 1, description: 'Between pairs; a blank when absent' }),
        ),
      },
      CLOSED,
    ),
  },
  parse_nginx_log: {
    options: Type.Object(
      {
        format: Type.Enum(['combined', 'error'], { description: 'Which of the logs it is' }),
        timestamp_format: Type.Optional(
          Type.String({
            minLength: 1,
            description: `strftime text, or Custom; when absent ${ACCESS_LOG_TIME}, or ${NGINX_ERROR_LOG_TIME} for error`,
          }),
        ),
        custom_timestamp_format: Type.Optional(
          Type.String({ minLength: 1, description: 'strftime text, for Custom' }),
        ),
      },
      CLOSED,
    ),
    optionsRequired: true,
    timeFormat: LOG_TIME,
    complete: options => ({
      ...options,
      timestamp_format:
        options.timestamp_format ?? (options.format === 'error' ? NGINX_ERROR_LOG_TIME : ACCESS_LOG_TIME),
    }),
  },
  parse_regex: {
    options: Type.Object(
      {
        pattern: RegularExpressionText({ description: 'Expression; its named groups are the result' }),
        case_sensitive: Type.Optional(Type.Boolean({ default: true, description: 'Tell cases apart' })),
        multiline: Type.Optional(
          Type.Boolean({ default: false, description: '^ and $ match at the ends of lines, too' }),
        ),
        match_newline: Type.Optional(
          Type.Boolean({ default: false, description: 'The point matches line feeds, too' }),
        ),
        crlf_newline: Type.Optional(
          Type.Boolean({ default: false, description: 'Lines end with carriage return and line feed' }),
        ),
      },
      CLOSED,
    ),
    optionsRequired: true,
  },
  parse_timestamp: {
    options: TimeFormatOption,
    optionsRequired: true,
    timeFormat: { format: 'format', custom: 'custom_format' },
  },
}

const WITHOUT_OPTIONS = [
  ...['parse_aws_alb_log', 'parse_aws_cloudwatch_log_subscription_message', 'parse_aws_vpc_flow_log'],
  ...['parse_common_log', 'parse_glog', 'parse_int', 'parse_json', 'parse_klog'],
  ...['parse_linux_authorization', 'parse_query_string', 'parse_syslog', 'parse_tokens', 'parse_url'],
  'parse_user_agent',
]

/** Every parser: components, section 5.15. */
export const PARSERS: ReadonlyMap<string, Parser> = new Map<string, Parser>([
  ...Object.entries(WITH_OPTIONS),
  ...WITHOUT_OPTIONS.map(id => [id, {}] as const),
])

export const PARSER_IDS: readonly string[] = [...PARSERS.keys()]

/** Options that name a parser; the schema of `options` depends on the parser. */
export const parserMembers = {
  parser: Type.Enum([...PARSER_IDS], { description: 'How the text is parsed' }),
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
  const checked = checkConfig(parser.options ?? NO_OPTIONS, options)
  const problems = 'problems' in checked ? [...checked.problems] : []
  if (parser.timeFormat !== undefined) problems.push(...customFormatProblems(options, parser.timeFormat))
  return problems.map(({ instancePath, message }) => ({
    instancePath: `${at}/options${instancePath}`,
    message,
  }))
}

/** @param accepted contains `parser` and `options` without findings */
export function withParserDefaults(accepted: JsonObject): JsonObject {
  const parser = parserNamed(accepted)
  if (parser?.options === undefined || accepted.options === undefined) return accepted
  const checked = checkConfig(parser.options, accepted.options)
  if ('problems' in checked) return accepted
  return { ...accepted, options: parser.complete?.(checked.stored) ?? checked.stored }
}

function parserNamed({ parser }: JsonObject): Parser | undefined {
  return typeof parser === 'string' ? PARSERS.get(parser) : undefined
}
