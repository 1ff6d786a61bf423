import type { LineRulesCut, RetentionCut } from '../../../schemas/log/cuts.ts'
import { lineRules, noLineRules, type RetentionRule } from '../kinds/line-rules.ts'
import { defineEntityCuts } from './entity-cuts.ts'

export const lineRulesCuts = defineEntityCuts({
  cut: 'line-rules',
  kind: lineRules,

  payloadOf: ({ id, value }) => ({
    accountId: id,
    exclusions: value.exclusions
      .filter(({ active }) => active)
      .map(({ id, title, apps, hosts, query, indexonly }) => {
        return { id, title, apps, hosts, query, entirely: !indexonly }
      }),
    retentionRules: value.retentionRules
      .filter(({ active }) => active)
      .toSorted((a, b) => a.priority - b.priority)
      .map(retentionCut),
  }),

  withoutEffect: ({ payload }) => noLineRules((JSON.parse(payload) as LineRulesCut).accountId),
})

function retentionCut({ id, days, host, app, level, query }: RetentionRule): RetentionCut {
  const listed = (name: string) => (name === '' ? [] : [name])
  return { id, days, apps: listed(app), hosts: listed(host), levels: listed(level), query }
}
