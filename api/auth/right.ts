import type { Role } from '../../engine/configuration/entities.ts'

/** Right of a credential: that of a role, or only to send lines. */
export type Right = Role | 'ingest'

const RANK: Readonly<Record<Role, number>> = { readonly: 0, member: 1, admin: 2, owner: 3 }

/** Whether one right includes the other. The right to read does not include sending lines. */
export function covers(held: Right, wanted: Right): boolean {
  if (wanted === 'ingest') return held !== 'readonly'
  return held !== 'ingest' && RANK[held] >= RANK[wanted]
}

/** @returns the right of a role within a scope; undefined: none */
export function narrowed(role: Role, scope: Right | null): Right | undefined {
  if (scope === null || covers(scope, role)) return role
  return covers(role, scope) ? scope : undefined
}
