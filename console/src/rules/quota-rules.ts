import type { QuotaRecord, QuotaWrite } from '../api/usage.ts'

export const PERIODS = ['daily', 'monthly'] as const
export type Period = (typeof PERIODS)[number]
export type QuotaRule = QuotaRecord[Period]['rules'][number]

/** Body of a request that gives a period other rules. Limits, and the other period, stay as they are. */
export function withRules(record: QuotaRecord, period: Period, rules: readonly QuotaRule[]): QuotaWrite {
  return Object.fromEntries(
    PERIODS.map(each => {
      const { limit, discard } = record[each]
      return [each, { limit, discard, rules: (each === period ? rules : record[each].rules).map(copied) }]
    }),
  )
}

function copied({ apps, hosts, ...rule }: QuotaRule) {
  return { ...rule, apps: [...apps], hosts: [...hosts] }
}
