import type { AuditEvent } from './requests.ts'

/** A changed member of an entity as JSON texts; undefined where it did not exist. */
export interface ChangedMember {
  /** JSON pointer; the empty one stands for the whole entity. */
  readonly pointer: string
  readonly before: string | undefined
  readonly after: string | undefined
}

/** The members that an event changed, or the whole entity where it was created or removed. */
export function changedMembers({ action, changed, before, after }: AuditEvent): readonly ChangedMember[] {
  const pointers = action === 'changed' ? changed : ['']
  return pointers.map(pointer => ({
    pointer,
    before: textAt(before, pointer),
    after: textAt(after, pointer),
  }))
}

function textAt(value: object | null, pointer: string): string | undefined {
  let found: unknown = value ?? undefined
  for (const part of pointer.split('/').slice(1)) {
    if (typeof found !== 'object' || found === null) return undefined
    found = (found as Record<string, unknown>)[part.replaceAll('~1', '/').replaceAll('~0', '~')]
  }
  return found === undefined ? undefined : JSON.stringify(found, null, 2)
}
