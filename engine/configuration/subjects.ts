import type { JsonObject } from '../../schemas/json.ts'
import { accessTokens, accountKeys } from './entities.ts'
import type { AnyKind } from './kind.ts'
import { enterpriseKeys } from './kinds/enterprise-keys.ts'
import { members } from './kinds/members.ts'

/** Person or key behind an actor of the configuration log. */
export interface Subject {
  readonly id: string
  readonly type: 'user' | 'service' | 'enterprise' | 'servicekey' | 'ingestion' | 'system'
  /** Only users have an address. */
  readonly email: string | null
  /** Name of the token or key; null for users, because a user may have several. */
  readonly name: string | null
}

const KEYS: readonly AnyKind[] = [accountKeys, enterpriseKeys]
const NAMING: readonly AnyKind[] = [members, accessTokens, ...KEYS]

/** Names of everyone who has acted, from the log; they stay known after their removal. */
export class Subjects {
  readonly #known = new Map<string, Subject>()

  areNamedBy(kind: AnyKind): boolean {
    return NAMING.includes(kind)
  }

  /** Adds a member, a token or a key in its form on the log. */
  learn(kind: AnyKind, entity: string, value: JsonObject): void {
    if (!this.areNamedBy(kind)) return
    const id = KEYS.includes(kind) ? entity : String(value.subjectId)
    this.#known.set(id, subjectOf(kind, id, value))
  }

  /** Subject of an id; an id that was never given out belongs to the program itself. */
  get(id: string): Subject {
    return this.#known.get(id) ?? { id, type: 'system', email: null, name: id }
  }
}

function subjectOf(kind: AnyKind, id: string, value: JsonObject): Subject {
  if (KEYS.includes(kind))
    return {
      id,
      type: value.type === 'ingestion' ? 'ingestion' : 'servicekey',
      email: null,
      name: String(value.name),
    }
  if (kind === (members as AnyKind) || value.kind === 'user')
    return { id, type: 'user', email: String(value.email), name: null }
  return { id, type: value.kind as 'service' | 'enterprise', email: null, name: String(value.name) }
}
