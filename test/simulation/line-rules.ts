import type { LineRules } from '../../engine/configuration/kinds/line-rules.ts'
import type { QuotaState } from '../../engine/configuration/kinds/quotas.ts'
import type { Dice } from '../support/dice.ts'
import { type DrawnNames, drawPeriods, drawRules, PLAIN_QUERIES } from '../support/rules-model.ts'
import { APPS, LEVELS } from './recipe.ts'

const NAMES: DrawnNames = {
  apps: [...APPS.filter(app => app !== ''), 'unknown'],
  hosts: ['host-0', 'host-1'],
  levels: LEVELS,
  queries: Object.keys(PLAIN_QUERIES),
}

export function drawLineRules(dice: Dice, account: string): LineRules {
  const { exclusions, retentionRules } = drawRules(dice, NAMES)
  const isActive = () => dice.chance(0.85)
  return {
    account,
    exclusions: exclusions.map(({ entirely, ...rule }) => {
      return { ...rule, active: isActive(), indexonly: !entirely }
    }),
    streamExclusions: [],
    retentionRules: retentionRules.map(({ id, days, apps, hosts, levels = [], query }, index) => {
      const [app = ''] = apps
      const [host = ''] = hosts
      const [level = ''] = levels
      const conditions = { app, host, level, query }
      return { id, name: `rule ${index}`, priority: dice.below(3), days, active: isActive(), ...conditions }
    }),
  }
}

/** A decision on a quota, as the measuring process would write it. */
export function drawQuotaState(dice: Dice, account: string, nowMs: number): QuotaState {
  const inForce = drawPeriods(dice, nowMs, NAMES).map(({ rules, ...period }) => ({
    ...period,
    rules: rules.map(({ entirely, ...rule }) => {
      return { ...rule, percent: 50, active: true, indexonly: !entirely }
    }),
  }))
  return { account, inForce }
}
