import { isJsonObject, type JsonObject, type JsonValue } from '../../schemas/json.ts'
import { parseCidrBlocks } from '../addresses/cidr.ts'
import { FIELD_PATH_MESSAGE, isFieldPath } from '../event/field-path.ts'
import { MAX_PROBLEMS, type Problem, pointerTo, unknownChoice, unknownMember } from '../event/problem.ts'
import { regularExpressionProblem } from '../expressions/regular-expression.ts'
import { numericOperand, OPERATOR_NAMES, type Operator, operatorNamed } from './operators.ts'

/** Maximum number of branch levels below the root. */
const MAX_DEPTH = 6
const BRANCH_MEMBERS: readonly string[] = ['expressions', 'logical_operation']
const LEAF_MEMBERS: readonly string[] = ['field', 'str_operator', 'value', 'negate', 'case_sensitive']

export interface CheckedCondition {
  /** The conditional as sent, with the defaults of `logical_operation` and `negate` filled in. */
  readonly stored: JsonValue
  readonly problems: readonly Problem[]
}

export interface ConditionRules {
  /** Change operators belong to aggregate and change alerts; `both` for aggregate, `only` for the alerts. */
  readonly change?: 'refused' | 'both' | 'only'
  /** Default that is stored in a text leaf without this member; only the sample processor has one. */
  readonly caseSensitiveDefault?: boolean
}

/** Checks a conditional from a request and reports all findings at once, up to leaf 1,000 (components 3.2, pipeline API 3). */
export function checkCondition(value: JsonValue | undefined, rules: ConditionRules = {}): CheckedCondition {
  const check = new ConditionCheck(rules)
  return { stored: check.branch(value, '', 0), problems: check.problems }
}

/** Checks a single leaf, where a tree is not allowed. */
export function checkLeaf(value: JsonValue | undefined, rules: ConditionRules = {}): CheckedCondition {
  const check = new ConditionCheck(rules)
  return { stored: check.leaf(value, ''), problems: check.problems }
}

class ConditionCheck {
  readonly problems: Problem[] = []
  readonly #rules: ConditionRules

  constructor(rules: ConditionRules) {
    this.#rules = rules
  }

  branch(value: JsonValue | undefined, path: string, depth: number): JsonValue {
    if (!isJsonObject(value)) return this.#refuse(value, path, 'must be object')
    if (depth > MAX_DEPTH)
      return this.#refuse(value, path, `must NOT be nested more than ${MAX_DEPTH} levels deep`)
    this.#refuseSurplus(value, path, BRANCH_MEMBERS)
    const operation = value.logical_operation
    if (operation !== undefined && operation !== 'AND' && operation !== 'OR')
      this.#add(pointerTo(path, 'logical_operation'), unknownChoice(operation, ['AND', 'OR'], false))
    return {
      ...value,
      ...this.#expressions(value.expressions, path, depth),
      logical_operation: operation ?? 'AND',
    }
  }

  #expressions(expressions: JsonValue | undefined, path: string, depth: number): JsonObject {
    if (expressions === undefined) {
      this.#add(path, "must have required property 'expressions'")
      return {}
    }
    const listPath = pointerTo(path, 'expressions')
    if (!Array.isArray(expressions)) {
      this.#add(listPath, 'must be array')
      return {}
    }
    if (expressions.length === 0) this.#add(listPath, 'must NOT have fewer than 1 items')
    return {
      expressions: expressions.map((expression, index) => {
        if (this.problems.length >= MAX_PROBLEMS) return expression
        const at = pointerTo(listPath, index)
        const isBranch =
          isJsonObject(expression) &&
          (Object.hasOwn(expression, 'expressions') || Object.hasOwn(expression, 'logical_operation'))
        return isBranch ? this.branch(expression, at, depth + 1) : this.leaf(expression, at)
      }),
    }
  }

  leaf(value: JsonValue | undefined, path: string): JsonValue {
    if (!isJsonObject(value)) return this.#refuse(value, path, 'must be object')
    this.#refuseSurplus(value, path, LEAF_MEMBERS)
    this.#field(value, path)
    for (const member of ['negate', 'case_sensitive']) {
      if (value[member] !== undefined && typeof value[member] !== 'boolean')
        this.#add(pointerTo(path, member), 'must be boolean')
    }
    const operator = this.#operator(value, path)
    if (operator !== undefined) this.#operand(operator, value.value, path)
    const stored: JsonObject = { ...value, negate: value.negate ?? false }
    const { caseSensitiveDefault } = this.#rules
    const textual = operator?.operand === 'scalar' || operator?.operand === 'expression'
    if (caseSensitiveDefault !== undefined && textual) stored.case_sensitive ??= caseSensitiveDefault
    return stored
  }

  #field({ field }: JsonObject, path: string): void {
    if (field === undefined) this.#add(path, "must have required property 'field'")
    else if (typeof field !== 'string') this.#add(pointerTo(path, 'field'), 'must be string')
    else if (!isFieldPath(field)) this.#add(pointerTo(path, 'field'), FIELD_PATH_MESSAGE)
  }

  #operator({ str_operator: name }: JsonObject, path: string): Operator | undefined {
    const at = pointerTo(path, 'str_operator')
    if (name === undefined) {
      this.#add(path, "must have required property 'str_operator'")
      return undefined
    }
    if (typeof name !== 'string') {
      this.#add(at, 'must be string')
      return undefined
    }
    const operator = operatorNamed(name)
    const allowed = operator !== undefined && isAllowed(operator, this.#rules)
    if (!allowed) this.#add(at, unknownChoice(name, allowedNames(this.#rules), false))
    return operator
  }

  #operand({ operand }: Operator, value: JsonValue | undefined, path: string): void {
    const at = pointerTo(path, 'value')
    if (operand === 'none') {
      // Clients send "" here, or the operand of a previous operator.
      if (value !== undefined && !isScalar(value)) this.#add(at, 'must be string')
    } else if (operand === 'number') {
      if (numericOperand(value) === undefined) this.#add(at, 'Value must be a number')
    } else if (value === undefined) {
      this.#add(path, "must have required property 'value'")
    } else if (operand === 'scalar') {
      if (!isScalar(value)) this.#add(at, 'Value must be a string or a number')
    } else if (typeof value !== 'string') {
      this.#add(at, 'must be string')
    } else if (operand === 'blocks') {
      if (parseCidrBlocks(value) === undefined) this.#add(at, 'Must be a valid CIDR block or IP address')
    } else {
      const problem = regularExpressionProblem(value)
      if (problem !== undefined) this.#add(at, problem)
    }
  }

  #refuseSurplus(value: JsonObject, path: string, members: readonly string[]): void {
    const surplus = Object.keys(value).find(member => !members.includes(member))
    if (surplus !== undefined) this.#add(path, unknownMember(surplus, members, 'the condition'))
  }

  #refuse(value: JsonValue | undefined, path: string, message: string): JsonValue {
    this.#add(path, message)
    return value ?? null
  }

  #add(instancePath: string, message: string): void {
    this.problems.push({ instancePath, message })
  }
}

function isAllowed({ change: isChange }: Operator, { change = 'refused' }: ConditionRules): boolean {
  return isChange ? change !== 'refused' : change !== 'only'
}

function allowedNames(rules: ConditionRules): readonly string[] {
  return OPERATOR_NAMES.filter(name => isAllowed(operatorNamed(name) as Operator, rules))
}

function isScalar(value: JsonValue): boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint'
}
