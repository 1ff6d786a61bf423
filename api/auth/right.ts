import type { Role } from '../../engine/configuration/entities.ts'

/** What a credential may do: what a role may, or send lines and nothing else. */
export type Right = Role | 'ingest'

const RANK: Readonly<Record<Role, number>> = { readonly: 0, member: 1, admin: 2, owner: 3 }

/** Whether whoever has one right has the other, too. Who may only read cannot send lines. */
export function covers(held: Right, wanted: Right): boolean {
  if (wanted === 'ingest') return held !== 'readonly'
  return held !== 'ingest' && RANK[held] >= RANK[wanted]
}

/** @returns what a scope leaves of a role; undefined: nothing */
export function narrowed(role: Role, scope: Right | null): Right | undefined {
  if (scope === null || covers(scope, role)) return role
  return covers(role, scope) ? scope : undefined
}
