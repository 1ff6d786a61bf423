import type {
  ExclusionCut,
  LineConditions,
  LineRulesCut,
  QuotaCut,
  QuotaPeriodCut,
  RetentionCut,
} from '../../engine/configuration/deployed.ts'
import type { LogRecord } from '../../engine/log/log.ts'
import { type Control, type Cut, controlType } from '../../schemas/control.ts'
import { schemaIdOf } from '../../schemas/wire-format.ts'
import type { Dice } from './dice.ts'
import type { MemoryRow } from './memory-store.ts'

/** A line as the model sees it. */
interface SeenLine {
  readonly app: string
  readonly host: string
  readonly level: string
  readonly text: string
}

const numberIn = (text: string) => Number(/"a":(\d+)/.exec(text)?.[1] ?? Number.NaN)

/** Queries that are drawn, with what they mean. */
const QUERIES: Readonly<Record<string, (line: SeenLine) => boolean>> = {
  'f3:x': ({ text }) => text.includes('"f3":"x"'),
  '-f3:*': ({ text }) => !text.includes('"f3":"x"'),
  'a:>60': ({ text }) => numberIn(text) > 60,
  'level:===VIP': ({ level }) => level === 'VIP',
  'app:b OR ==7': ({ app, text }) => app === 'b' || text === '7' || numberIn(text) === 7,
  '*': () => true,
  // Those that match nothing.
  '_retention:>0': () => false,
  '-_mezmo_line_size:5': () => false,
  '(a': () => false,
}

function drawConditions(dice: Dice): LineConditions & { readonly apps: string[]; readonly hosts: string[] } {
  return {
    apps: dice.chance(0.5) ? [dice.pick(['a', 'b', 'unknown']), dice.pick(['c', 'nobody'])] : [],
    hosts: dice.chance(0.2) ? [dice.pick(['web-1', 'web-2'])] : [],
    levels: dice.chance(0.2) ? [dice.pick(['vip', '9'])] : [],
    query: dice.chance(0.6) ? dice.pick(Object.keys(QUERIES)) : '',
  }
}

export function drawRules(dice: Dice): Omit<LineRulesCut, 'accountId'> {
  const id = () => `${dice.below(5)}`.padStart(10, '0')
  const exclusions = Array.from({ length: dice.below(3) }, (): ExclusionCut => {
    const { levels: _, ...conditions } = drawConditions(dice)
    return { id: id(), title: '', ...conditions }
  })
  const retentionRules = Array.from(
    { length: dice.below(3) },
    (): RetentionCut => ({ id: id(), days: 1 + dice.below(12), ...drawConditions(dice) }),
  )
  return { exclusions, retentionRules }
}

export function drawPeriods(dice: Dice, nowMs: number): QuotaPeriodCut[] {
  return (['daily', 'monthly'] as const)
    .filter(() => dice.chance(0.4))
    .map(period => {
      const { levels: _, ...conditions } = drawConditions(dice)
      return {
        period,
        untilMs: nowMs + dice.below(dice.chance(0.5) ? 5_000 : 200_000),
        discards: dice.chance(0.3),
        rules: dice.chance(0.6) ? [{ number: 1 + dice.below(5), ...conditions }] : [],
      }
    })
}

/**
 * What should be stored of one account, said once more as plainly as can be: rows without any rule, of which those are
 * left out, or get another retention, that the rules in force at their place in the log name.
 *
 * @param free what the same log gives when its rules say nothing
 */
export function judgedRows(records: readonly LogRecord[], free: readonly MemoryRow[]): MemoryRow[] {
  return free.flatMap(row => judgedRow(row, inForceAt(records, row.offset as bigint)))
}

/** The same log, its rules without effect. */
export function withoutRules(records: readonly LogRecord[]): LogRecord[] {
  return records.map(record => {
    const cut = cutOf(record)
    if (cut?.kind !== 'line-rules' && cut?.kind !== 'quota') return record
    const { accountId } = JSON.parse(cut.payload) as { accountId: string }
    const payload = JSON.stringify({ accountId, exclusions: [], retentionRules: [], periods: [] })
    return {
      ...record,
      value: controlType.encode({ behaviour: 3, body: { 'weir.Cut': { ...cut, payload } } }),
    }
  })
}

interface InForce {
  readonly rules: LineRulesCut | undefined
  readonly quota: QuotaCut | undefined
}

/** Of the cuts before an offset, those with the highest version. */
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

function judgedRow(row: MemoryRow, { rules, quota }: InForce): MemoryRow[] {
  const line = {
    app: row.app as string,
    host: row.host as string,
    level: row.level as string,
    text: row.line as string,
  }
  if (rules?.exclusions.some(rule => isMeant(rule, line))) return []
  for (const period of quota?.periods ?? []) {
    if (Number(row.t) >= period.untilMs) continue
    if (period.discards || period.rules.some(rule => isMeant(rule, line))) return []
  }
  const rule = rules?.retentionRules.find(each => isMeant(each, line))
  if (rule === undefined) return [row]
  return [{ ...row, retention: Math.min(row.retention as number, rule.days), pool: rule.days }]
}

function isMeant({ apps, hosts, levels = [], query }: LineConditions, line: SeenLine): boolean {
  if (apps.length + hosts.length + levels.length + query.length === 0) return false
  if (apps.length > 0 && !apps.includes(line.app)) return false
  if (hosts.length > 0 && !hosts.includes(line.host)) return false
  if (levels.length > 0 && !levels.some(level => level.toUpperCase() === line.level)) return false
  return query === '' || (QUERIES[query] as (line: SeenLine) => boolean)(line)
}

function cutOf({ value }: LogRecord): Cut | undefined {
  if (schemaIdOf(value) !== controlType.id) return undefined
  const { body }: Control = controlType.decode(value)
  return 'weir.Cut' in body ? body['weir.Cut'] : undefined
}
