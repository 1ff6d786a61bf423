import { LineBatchView } from '../../engine/lines/columns/line-batch-view.ts'
import type { LogRecord } from '../../engine/log/log.ts'
import { type Control, type Cut, controlType } from '../../schemas/log/control.ts'
import type {
  ExclusionCut,
  LineConditions,
  LineRulesCut,
  QuotaCut,
  QuotaPeriodCut,
  RetentionCut,
} from '../../schemas/log/cuts.ts'
import { lineBatchType } from '../../schemas/log/line-batch.ts'
import { schemaIdOf } from '../../schemas/log/wire-format.ts'
import type { Dice } from './dice.ts'
import { lineBatchValue } from './line-batches.ts'
import type { MemoryRow } from './memory-store.ts'

/** A line as the model sees it: as it would be stored. */
export interface SeenLine {
  readonly timeMs: number
  readonly app: string
  readonly host: string
  readonly level: string
  readonly text: string
}

/** Rules in force at a place of the log. */
export interface InForce {
  readonly rules: LineRulesCut | undefined
  readonly quota: QuotaCut | undefined
}

/** Result of the rules for a line: the node under which they exclude it, or its pool. */
export type Judgement = { readonly excludedBy: string } | { readonly poolDays: number | undefined }

type QueryTable = Readonly<Record<string, (line: SeenLine) => boolean>>

/** Queries to draw from, with their meaning for lines of any text. */
export const PLAIN_QUERIES: QueryTable = {
  'level:===VIP': ({ level }) => level === 'VIP',
  '-level:(INFO OR WARN)': ({ level }) => !['INFO', 'WARN'].includes(level),
  'app:b': ({ app }) => app === 'b',
  '*': () => true,
  // These match nothing.
  '_retention:>0': () => false,
  '-_mezmo_line_size:5': () => false,
  '(a': () => false,
}

/** The object that a text ends with, where no object holds another. */
function objectIn(text: string): { readonly a?: number; readonly f3?: string } {
  if (!text.endsWith('}')) return {}
  return JSON.parse(text.slice(text.lastIndexOf('{'))) as object
}

/** Queries on texts that are numbers, and on objects with one or more of the members a and f0 to f6. */
const QUERIES: QueryTable = {
  ...PLAIN_QUERIES,
  'f3:x': ({ text }) => objectIn(text).f3 === 'x',
  '-f3:*': ({ text }) => objectIn(text).f3 === undefined,
  'a:>60': ({ text }) => (objectIn(text).a ?? 0) > 60,
  'app:b OR ==7': ({ app, text }) => app === 'b' || /(^|\D)7(\D|$)/.test(text),
}

export interface DrawnNames {
  readonly apps: readonly string[]
  readonly hosts: readonly string[]
  readonly levels: readonly string[]
  readonly queries: readonly string[]
}

const NAMES: DrawnNames = {
  apps: ['a', 'b', 'c', 'unknown', 'nobody'],
  hosts: ['web-1', 'web-2'],
  levels: ['vip', '9'],
  queries: Object.keys(QUERIES),
}

/** Sometimes without a condition: such a rule matches nothing. */
function drawConditions(dice: Dice, names: DrawnNames): LineConditions {
  return {
    apps: dice.chance(0.5) ? [dice.pick(names.apps), dice.pick(names.apps)] : [],
    hosts: dice.chance(0.2) ? [dice.pick(names.hosts)] : [],
    query: dice.chance(0.6) ? dice.pick(names.queries) : '',
  }
}

export function drawRules(dice: Dice, names = NAMES): Omit<LineRulesCut, 'accountId'> {
  const id = () => `${dice.below(5)}`.padStart(10, '0')
  const exclusions = Array.from({ length: dice.below(3) }, (): ExclusionCut => {
    return { id: id(), title: '', ...drawConditions(dice, names), entirely: dice.chance(0.5) }
  })
  const retentionRules = Array.from({ length: dice.below(3) }, (): RetentionCut => {
    const levels = dice.chance(0.2) ? [dice.pick(names.levels)] : []
    return { id: id(), days: 1 + dice.below(12), ...drawConditions(dice, names), levels }
  })
  return { exclusions, retentionRules }
}

export function drawPeriods(dice: Dice, nowMs: number, names = NAMES): QuotaPeriodCut[] {
  return (['daily', 'monthly'] as const)
    .filter(() => dice.chance(0.4))
    .map(period => ({
      period,
      untilMs: nowMs + dice.below(dice.chance(0.5) ? 5_000 : 200_000),
      discards: dice.chance(0.3),
      rules: dice.chance(0.6)
        ? [{ number: 1 + dice.below(5), ...drawConditions(dice, names), entirely: dice.chance(0.5) }]
        : [],
    }))
}

/** Under which node a line is dropped as it arrives, if it is. */
export function droppedEntirely(line: SeenLine, { rules, quota }: InForce): string | undefined {
  const judgement = judge(line, {
    rules: rules && { ...rules, exclusions: rules.exclusions.filter(({ entirely }) => entirely) },
    quota: quota && {
      ...quota,
      periods: quota.periods.map(period => ({
        ...period,
        discards: false,
        rules: period.rules.filter(({ entirely }) => entirely),
      })),
    },
  })
  return 'excludedBy' in judgement ? judgement.excludedBy : undefined
}

/** Result of the rules in force for a line, in a second, plain implementation. */
export function judge(line: SeenLine, { rules, quota }: InForce): Judgement {
  const exclusion = rules?.exclusions.find(rule => isMeant(rule, line))
  if (exclusion !== undefined) return { excludedBy: `exclusion-${exclusion.id}` }
  for (const { period, untilMs, discards, rules: ofQuota } of quota?.periods ?? []) {
    if (line.timeMs >= untilMs) continue
    const rule = ofQuota.find(each => isMeant(each, line))
    if (rule !== undefined) return { excludedBy: `quota-${period}-${rule.number}` }
    if (discards) return { excludedBy: `quota-${period}` }
  }
  return { poolDays: rules?.retentionRules.find(rule => isMeant(rule, line))?.days }
}

/**
 * Expected rows of one account: the rows without any rule, changed by the rules in force at their place on the log. The
 * rules exclude rows or change their retention.
 *
 * @param free rows of the same log with rules that do nothing
 */
export function judgedRows(records: readonly LogRecord[], free: readonly MemoryRow[]): MemoryRow[] {
  return free.flatMap(row => {
    const line = {
      timeMs: Number(row.t),
      app: row.app as string,
      host: row.host as string,
      level: row.level as string,
      text: row.line as string,
    }
    const offset = row.offset as bigint
    const judgement = judge(line, inForceAt(records, offset))
    if ('excludedBy' in judgement) return []
    const { poolDays } = judgement
    if (poolDays === undefined) return [row]
    return [{ ...row, retention: keptDays(row, poolDays, behaviourAt(records, offset)), pool: poolDays }]
  })
}

/** Retention of a line. Until the fifth behaviour, a rule could only shorten the account's retention. */
function keptDays({ retention }: MemoryRow, poolDays: number, behaviour: number): number {
  return behaviour < 5 ? Math.min(retention as number, poolDays) : poolDays
}

/** The highest that a control record before has named. */
function behaviourAt(records: readonly LogRecord[], offset: bigint): number {
  return records
    .filter(record => record.offset < offset && schemaIdOf(record.value) === controlType.id)
    .reduce((highest, { value }) => Math.max(highest, controlType.decode(value).behaviour), 1)
}

/** Returns the log with rules that have no effect, and without lines that they drop entirely. */
export function withoutRules(records: readonly LogRecord[]): LogRecord[] {
  let timeMs = 0
  return records.map(record => {
    timeMs = Math.max(timeMs, record.appendTimeMs, deadlineOf(record))
    if (schemaIdOf(record.value) === lineBatchType.id)
      return { ...record, value: undropped(record.value, timeMs, inForceAt(records, record.offset)) }
    const cut = cutOf(record)
    if (cut?.kind !== 'line-rules' && cut?.kind !== 'quota') return record
    const { accountId } = JSON.parse(cut.payload) as { accountId: string }
    const payload = JSON.stringify({ accountId, exclusions: [], retentionRules: [], periods: [] })
    const body = { 'weir.Cut': { ...cut, payload } }
    return { ...record, value: controlType.encode({ behaviour: 3, body }) }
  })
}

/** A record of lines as `lineBatchValue` makes them. */
function undropped(value: Buffer, timeMs: number, inForce: InForce): Buffer {
  const batch = LineBatchView.decode(value)
  let index = 0
  const requests = batch.requests.map(({ lines: count, idempotency }) => {
    const lines = Array.from({ length: count }, () => {
      const at = index++
      return { line: batch.lineText(at), app: batch.app(at), level: batch.level(at) }
    })
    const isLeft = ({ line: text, app, level }: (typeof lines)[number]) => {
      const seen = { timeMs, app: app || 'unknown', host: 'web-1', level: level.toUpperCase(), text }
      return droppedEntirely(seen, inForce) === undefined
    }
    return { lines: lines.filter(isLeft), ...(idempotency && { idempotency }) }
  })
  return lineBatchValue(requests, batch.account)
}

/** Cuts before an offset with the highest versions. */
function inForceAt(records: readonly LogRecord[], offset: bigint): InForce {
  const newest = (kind: Cut['kind']) =>
    records
      .filter(record => record.offset < offset)
      .flatMap(record => cutOf(record) ?? [])
      .filter(cut => cut.kind === kind)
      .toSorted((a, b) => b.version - a.version)[0]?.payload
  const read = <Payload>(payload: string | undefined) =>
    payload === undefined ? undefined : (JSON.parse(payload) as Payload)
  return { rules: read(newest('line-rules')), quota: read(newest('quota')) }
}

function isMeant({ apps, hosts, levels = [], query }: LineConditions, line: SeenLine): boolean {
  if (apps.length + hosts.length + levels.length + query.length === 0) return false
  if (apps.length > 0 && !apps.includes(line.app)) return false
  if (hosts.length > 0 && !hosts.includes(line.host)) return false
  if (levels.length > 0 && !levels.some(level => level.toUpperCase() === line.level)) return false
  return query === '' || (QUERIES[query] as (line: SeenLine) => boolean)(line)
}

function deadlineOf({ value }: LogRecord): number {
  if (schemaIdOf(value) !== controlType.id) return 0
  const { body }: Control = controlType.decode(value)
  return 'weir.Tick' in body ? body['weir.Tick'].deadlineMs : 0
}

function cutOf({ value }: LogRecord): Cut | undefined {
  if (schemaIdOf(value) !== controlType.id) return undefined
  const { body }: Control = controlType.decode(value)
  return 'weir.Cut' in body ? body['weir.Cut'] : undefined
}
