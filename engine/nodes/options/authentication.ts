import Type, { type TOptional, type TString } from 'typebox'
import { isJsonObject, type JsonValue } from '../../../schemas/json.ts'
import { type Problem, pointerTo } from '../../event/problem.ts'
import { Secret } from '../contract/secret.ts'

/** Methods of authentication, each with the members that it needs. */
const STRATEGIES = {
  none: [],
  basic: ['user', 'password'],
  bearer: ['token'],
  aws: ['access_key_id', 'secret_access_key', 'region'],
} as const

type Strategy = keyof typeof STRATEGIES
type Member = (typeof STRATEGIES)[Strategy][number]

const DESCRIPTIONS: Readonly<Record<Member, string>> = {
  user: 'User name; required when strategy is "basic"',
  password: 'Password; required when strategy is "basic"',
  token: 'Token; required when strategy is "bearer"',
  access_key_id: 'Id of the access key; required when strategy is "aws"',
  secret_access_key: 'Secret of the access key; required when strategy is "aws"',
  region: 'Region that requests are signed for; required when strategy is "aws"',
}

const SECRETS: ReadonlySet<Member> = new Set(['password', 'token', 'secret_access_key'])

/** The option `auth`. Clients that know a single form send all of its members, and leave unused ones empty. */
export function authentication(strategies: readonly Strategy[], options: { default?: object } = {}) {
  const properties = membersOf(strategies).map(member => {
    const description = { description: DESCRIPTIONS[member] }
    const option = SECRETS.has(member) ? Secret(description) : Type.String(description)
    return [member, Type.Optional(option)] as const
  })
  return Type.Object(
    {
      strategy: Type.Enum([...strategies], { description: 'Method by which the sender proves who it is' }),
      ...(Object.fromEntries(properties) as Record<Member, TOptional<TString>>),
    },
    { additionalProperties: false, description: 'Credentials for the destination', ...options },
  )
}

/** Requires the members of the chosen strategy, and refuses those that only another one uses. */
export function authenticationProblems(
  auth: JsonValue | undefined,
  strategies: readonly Strategy[],
): Problem[] {
  const strategy = isJsonObject(auth) ? strategies.find(each => each === auth.strategy) : undefined
  if (!isJsonObject(auth) || strategy === undefined) return [] // reported by the schema
  const needed: readonly string[] = STRATEGIES[strategy]
  const unused = membersOf(strategies).filter(member => !needed.includes(member))
  return [
    ...needed.flatMap(member => missing(auth[member], member)),
    ...unused
      .filter(member => typeof auth[member] === 'string' && auth[member] !== '')
      .map(member => ({
        instancePath: pointerTo('/auth', member),
        message: `must NOT be sent when strategy is "${strategy}"`,
      })),
  ]
}

function missing(value: JsonValue | undefined, member: string): Problem[] {
  if (value === undefined)
    return [{ instancePath: '/auth', message: `must have required property '${member}'` }]
  if (value !== '') return []
  return [{ instancePath: pointerTo('/auth', member), message: 'must NOT have fewer than 1 characters' }]
}

function membersOf(strategies: readonly Strategy[]): Member[] {
  return strategies.flatMap((strategy): readonly Member[] => STRATEGIES[strategy])
}
