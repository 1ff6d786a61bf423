import { create, replace } from '../../engine/configuration/configuration-log.ts'
import { type LineRules, lineRules, noLineRules } from '../../engine/configuration/kinds/line-rules.ts'
import { newShortId } from '../../engine/configuration/mint.ts'
import { isJsonObject } from '../../schemas/json.ts'
import type { Caller } from '../auth/caller.ts'
import { accountOf } from '../auth/permission.ts'
import { authorOf } from '../configuration/author.ts'
import type { ConfigurationPorts } from '../configuration/configuration-ports.ts'
import { badRequest, notFound, type ValidationDetail } from '../http/errors.ts'
import { untilNotOvertaken } from '../http/overtaken.ts'
import { conditionDetails } from '../http/rule-conditions.ts'

type RuleListPorts = Pick<ConfigurationPorts, 'configuration' | 'entropy' | 'inEffect'>

export type ListName = 'exclusions' | 'streamExclusions' | 'retentionRules'
type RuleOf<Name extends ListName> = LineRules[Name][number]

/**
 * The rules of one kind of the caller's account, oldest first. Writes answer when the next line meets them, if this
 * process can see that. Methods with an id throw ApiError 404 when the account has no such rule.
 */
export class RuleList<Name extends ListName> {
  readonly #name: Name
  readonly #ports: RuleListPorts
  readonly #conditions: readonly string[]

  /** @param conditions members that select lines: at least one of them must do so */
  constructor(name: Name, ports: RuleListPorts, conditions: readonly string[]) {
    this.#name = name
    this.#ports = ports
    this.#conditions = conditions
  }

  list(caller: Caller): readonly RuleOf<Name>[] {
    return this.#rulesOf(accountOf(caller).shortId)[this.#name]
  }

  get(caller: Caller, id: string): RuleOf<Name> {
    return found(this.list(caller), id)
  }

  async create(caller: Caller, rule: Omit<RuleOf<Name>, 'id'>): Promise<RuleOf<Name>> {
    const created = { id: newShortId(this.#ports.entropy), ...rule } as RuleOf<Name>
    await this.#edit(caller, rules => [...rules, created])
    return created
  }

  /**
   * Returns the findings about a change beyond those of its schema: members of the body may have any type. Whether a rule
   * still selects lines is known only after the stored and the sent members are merged. An unknown rule has zero findings.
   */
  changeDetails(caller: Caller, id: string, body: unknown): ValidationDetail[] {
    const before = this.list(caller).find(each => each.id === id)
    if (before === undefined || !isJsonObject(body)) return []
    return conditionDetails({ ...before, ...body }, this.#conditions)
  }

  /** Changes the given members. @throws ApiError 400 */
  async change(caller: Caller, id: string, given: Partial<Omit<RuleOf<Name>, 'id'>>): Promise<RuleOf<Name>> {
    let changed = this.get(caller, id)
    await this.#edit(caller, rules => {
      const before = found(rules, id)
      changed = { ...before, ...given }
      const details = conditionDetails(changed, this.#conditions)
      if (details.length > 0) throw badRequest(details)
      return rules.map(rule => (rule.id === id ? changed : rule))
    })
    return changed
  }

  async remove(caller: Caller, id: string): Promise<void> {
    await this.#edit(caller, rules => {
      found(rules, id)
      return rules.filter(rule => rule.id !== id)
    })
  }

  async #edit(
    caller: Caller,
    edited: (rules: readonly RuleOf<Name>[]) => readonly RuleOf<Name>[],
  ): Promise<void> {
    const { configuration, inEffect } = this.#ports
    const { shortId: account } = accountOf(caller)
    await untilNotOvertaken(async () => {
      const before = configuration.get(lineRules, account)
      const rules = this.#rulesOf(account)
      const after: LineRules = { ...rules, [this.#name]: edited(rules[this.#name]) }
      const change =
        before === undefined ? create(lineRules, account, after) : replace(lineRules, before, after)
      await configuration.append([change], authorOf(caller))
    })
    const version = configuration.get(lineRules, account)?.version ?? 0
    await inEffect?.whenInEffect(account, 'line-rules', account, version)
  }

  #rulesOf(account: string): LineRules {
    return this.#ports.configuration.get(lineRules, account)?.value ?? noLineRules(account)
  }
}

function found<Rule extends { readonly id: string }>(rules: readonly Rule[], id: string): Rule {
  const rule = rules.find(each => each.id === id)
  if (rule === undefined) throw notFound()
  return rule
}
