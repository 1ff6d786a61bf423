import { hash } from 'node:crypto'
import { isJsonObject, type JsonObject } from '../../../../schemas/json.ts'
import type { Condition } from '../../../conditions/condition.ts'
import type { Problem } from '../../../event/problem.ts'
import { canonicalJson } from '../../../json/canonical-json.ts'
import { newOutputName, outputNameOf } from '../../options/output-name.ts'

export const HEAD_RATE = 10
export const TRACE_ID_FIELD = '.trace_id'
export const PARENT_SPAN_ID_FIELD = '.parent_span_id'

export interface Rule {
  readonly rate: number
  readonly conditional: unknown
}

/** Options of trace sampling. */
export interface TraceOptions {
  readonly sample_type: 'head' | 'tail'
  readonly trace_id_field?: string
  readonly rate?: number
  readonly parent_span_id_field?: string
  readonly conditionals?: readonly Rule[]
}

/** Options that the other way of sampling does not use. */
const REFUSED = { head: ['parent_span_id_field', 'conditionals'], tail: ['rate'] } as const

/** Rules of tail sampling with their conditions; none for head sampling. */
export function conditionalsOf({
  conditionals = [],
}: TraceOptions): { rate: number; conditional: Condition }[] {
  return conditionals.map(({ rate, conditional }) => ({ rate, conditional: conditional as Condition }))
}

/** Text of the rules that count traces: their counts mean nothing to other rules. */
export function rulesText(config: TraceOptions): string {
  const { sample_type: type, rate = HEAD_RATE } = config
  const rules = conditionalsOf(config).map(({ rate: its, conditional }) => [its, conditional])
  return hash('sha256', canonicalJson(type === 'head' ? rate : rules))
}

/** Text of the options that identify traces and their roots. */
export function identityText({
  sample_type: type,
  trace_id_field: trace = TRACE_ID_FIELD,
  parent_span_id_field: parent = PARENT_SPAN_ID_FIELD,
}: TraceOptions): string {
  return canonicalJson([type, trace, type === 'tail' ? parent : null])
}

/** Members that the chosen way of sampling lacks, or does not use. */
export function memberProblems(sent: JsonObject): Problem[] {
  const type = sent.sample_type
  if (type !== 'head' && type !== 'tail') return []
  const problems: Problem[] = REFUSED[type]
    .filter(member => sent[member] !== undefined)
    .map(member => ({ instancePath: `/${member}`, message: `must NOT be sent for ${type} sampling` }))
  if (type === 'tail' && sent.conditionals === undefined)
    problems.push({ instancePath: '', message: "must have required property 'conditionals'" })
  return problems
}

/** Rules of options that may have any type. */
export function rulesOf({ conditionals }: JsonObject): JsonObject[] {
  return Array.isArray(conditionals) ? conditionals.filter(isJsonObject) : []
}

/** A client's own names stay; a rule without one keeps the earlier name at its place, or gets a new one. */
export function namedRules(rules: readonly JsonObject[], previous: readonly JsonObject[]): JsonObject[] {
  const taken = new Set(rules.map(outputNameOf))
  return rules.map((rule, index) => {
    if (outputNameOf(rule) !== '') return rule
    const before = outputNameOf(previous[index])
    const name = taken.has(before) ? newOutputName(String(index), taken) : before
    taken.add(name)
    return { ...rule, _output_name: name }
  })
}
