import type { Ajv, ErrorObject, FuncKeywordDefinition } from 'ajv'
import type { DataValidationCxt } from 'ajv/dist/types/index.js'
import { MAX_PROBLEMS } from '../../engine/event/problem.ts'
import { parseQuery } from '../../engine/query-language/parse-query.ts'
import { QuerySyntaxError } from '../../engine/query-language/query-syntax-error.ts'
import { isJsonObject, type JsonValue } from '../../schemas/json.ts'
import type { Keywords, Reads } from '../../schemas/keywords.ts'
import { parseBoundedJson } from './json-body.ts'
import { hasCondition } from './rule-conditions.ts'

/** Finding of a keyword; without a path, it concerns the value itself. */
type Finding = Pick<ErrorObject, 'keyword' | 'params'> & { readonly instancePath?: string }

/** @returns the problem of a value, and the value for handlers if it differs */
type Check<Rule> = (
  rule: Rule,
  value: unknown,
  path: string,
) => { readonly findings: readonly Finding[]; readonly read?: unknown }

const TOKEN = /\{\{([^{}]*)\}\}/g

/** Adds the rules of `schemas/keywords.ts`, and the time zones, to a validator. */
export function addKeywords(ajv: Ajv): void {
  const checks: { readonly [Name in keyof Keywords]-?: Check<NonNullable<Keywords[Name]>> } = {
    reads: readAs,
    needsOneOf: (members, value) =>
      found(isJsonObject(value) && !members.some(name => name in value), 'needsOneOf', { members }),
    needsConditionOf: (members, value) =>
      found(isJsonObject(value) && !hasCondition(value, members), 'needsOneOf', { members }),
    exclusivePeers: (members, value) =>
      found(presentOf(members, value).length > 1, 'exclusivePeers', { members }),
    distinctBy: findDuplicates,
    searchQuery: (_rule, value) => findSyntaxError(value),
  }
  for (const [keyword, check] of Object.entries(checks))
    ajv.addKeyword(definition(keyword, check as Check<unknown>))
  ajv.addFormat('timezone', isZoneOrAbbreviation)
}

function definition(keyword: string, check: Check<unknown>): FuncKeywordDefinition {
  const validate: FuncKeywordDefinition['validate'] & { errors?: Partial<ErrorObject>[] } = (
    rule: unknown,
    value: unknown,
    _schema?: unknown,
    place?: DataValidationCxt,
  ) => {
    const { findings, read } = check(rule, value, place?.instancePath ?? '')
    validate.errors = [...findings]
    if (findings.length === 0 && read !== undefined && place !== undefined)
      place.parentData[place.parentDataProperty] = read
    return findings.length === 0
  }
  return { keyword, modifying: true, errors: true, validate }
}

function found(isWrong: boolean, keyword: string, params: object) {
  return { findings: isWrong ? [{ keyword, params }] : [] }
}

function readAs(reads: Reads, sent: unknown): ReturnType<Check<Reads>> {
  const wrong = (keyword: string, params: object) => ({ findings: [{ keyword, params }] })
  switch (reads.type) {
    case 'integer': {
      const value = typeof sent === 'string' && /^[+-]?\d{1,15}$/.test(sent.trim()) ? Number(sent) : sent
      if (!Number.isSafeInteger(value)) return wrong('type', { type: 'integer' })
      const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = reads
      if ((value as number) < minimum) return wrong('minimum', { limit: minimum })
      if ((value as number) > maximum) return wrong('maximum', { limit: maximum })
      return { findings: [], read: value }
    }
    case 'boolean': {
      const value = sent === 'true' ? true : sent === 'false' ? false : sent
      return typeof value === 'boolean' ? { findings: [], read: value } : wrong('type', { type: 'boolean' })
    }
    case 'word': {
      const value = typeof sent === 'number' ? String(sent) : sent
      const isWord = reads.words.includes(value as string)
      return isWord ? { findings: [], read: value } : wrong('enum', { allowedValues: reads.words })
    }
    case 'list': {
      if (sent === '') return wrong('minLength', { limit: 1 })
      const value = typeof sent === 'string' ? partsOf(sent) : sent
      return Array.isArray(value) ? { findings: [], read: value } : wrong('type', { type: 'array' })
    }
    case 'json':
      return readJson(sent, reads.tokens)
  }
}

function partsOf(text: string): string[] {
  return text
    .split(',')
    .map(part => part.trim())
    .filter(part => part !== '')
}

function readJson(sent: unknown, tokens: readonly string[] | undefined): ReturnType<Check<Reads>> {
  if (typeof sent !== 'string' && !isJsonObject(sent))
    return { findings: [{ keyword: 'type', params: { type: 'object' } }] }
  const value = typeof sent === 'string' ? parsedOrUndefined(sent) : sent
  if (value === undefined) return { findings: [{ keyword: 'json', params: {} }] }
  const unknown =
    tokens === undefined ? [] : [...new Set(tokensIn(value))].filter(token => !tokens.includes(token))
  const findings = unknown.slice(0, MAX_PROBLEMS).map(token => ({ keyword: 'token', params: { token } }))
  return { findings, read: value }
}

function parsedOrUndefined(text: string): JsonValue | undefined {
  try {
    return parseBoundedJson(text)
  } catch {
    return undefined
  }
}

/** Tokens in the texts of a value; names of members do not contain any. */
function tokensIn(value: JsonValue): string[] {
  if (typeof value === 'string') return [...value.matchAll(TOKEN)].map(([, name]) => (name as string).trim())
  return value !== null && typeof value === 'object' ? Object.values(value).flatMap(tokensIn) : []
}

function presentOf(members: readonly string[], value: unknown): string[] {
  if (!isJsonObject(value)) return []
  return members.filter(name => {
    const member = value[name]
    return member !== undefined && !(Array.isArray(member) && member.length === 0)
  })
}

function findDuplicates(member: string, value: unknown, path: string): ReturnType<Check<string>> {
  if (!Array.isArray(value)) return { findings: [] }
  const seen = new Set<unknown>()
  const findings: Finding[] = []
  for (const [index, element] of value.entries()) {
    const text = isJsonObject(element) ? element[member] : undefined
    if (text !== undefined && seen.has(text))
      findings.push({ keyword: 'distinctBy', params: {}, instancePath: `${path}/${index}` })
    if (findings.length === MAX_PROBLEMS) break
    seen.add(text)
  }
  return { findings }
}

function findSyntaxError(value: unknown): ReturnType<Check<true>> {
  if (typeof value !== 'string') return { findings: [] }
  try {
    parseQuery(value)
    return { findings: [] }
  } catch (error) {
    if (!(error instanceof QuerySyntaxError)) throw error
    return { findings: [{ keyword: 'searchQuery', params: { problem: error.problem } }] }
  }
}

/**
 * Whether a name is a time zone. Links and abbreviations such as `IST` are accepted, too, although the runtime's list lacks them. The zone of
 * a search is judged by `isTimeZone` instead, which refuses abbreviations.
 */
function isZoneOrAbbreviation(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}
