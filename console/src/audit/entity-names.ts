import type { AuditEvent } from './requests.ts'

/** Digits of an id that has no name. */
const SHOWN_CHARACTERS = 8
/** Kinds whose name is that of their id. A draft has the id of its pipeline. */
const NAMED_KINDS: readonly string[] = [
  'pipeline',
  'account',
  'enterprise',
  'group',
  'token',
  'key',
  'enterprise-key',
  'view',
  'board',
  'category',
]

/** Names of entities, people and keys by their ids. */
export type Names = ReadonlyMap<string, string>

/** Name of a person or key. */
export function actorName({ name, email, id }: AuditEvent['actor']): string {
  return email ?? name ?? id
}

/** Names that changes contain, for entities that were removed since; the newest one of each counts. */
export function namesInEvents(events: readonly AuditEvent[]): Names {
  const names = new Map<string, string>()
  const learn = (id: string | undefined, name: string | null) => {
    if (id !== undefined && name !== null && !names.has(id)) names.set(id, name)
  }
  for (const { entity, name, kind, actor, before, after } of events) {
    if (NAMED_KINDS.includes(kind)) learn(entity, name)
    learn(actor.id, actorName(actor))
    // Members and tokens act under an id of their own.
    learn(memberOf(after, 'subjectId') ?? memberOf(before, 'subjectId'), name)
  }
  return names
}

/**
 * Name of a changed entity for people: its own one, or that of the pipeline or account that it belongs to. An entity
 * without any shows the beginning of its id.
 */
export function entityName({ entity, name, before, after }: AuditEvent, names: Names): string {
  if (name !== null) return name
  const [first = ''] = entity.split('/')
  const owner = [entity, memberOf(after, 'pipeline'), memberOf(before, 'pipeline'), first]
    .map(id => names.get(id ?? ''))
    .find(each => each !== undefined)
  if (owner !== undefined) return owner
  return entity.length > 2 * SHOWN_CHARACTERS ? `${entity.slice(0, SHOWN_CHARACTERS)}\u2026` : entity
}

/** Quoted texts of JSON that can be ids. */
const IDS = /"([\w.@/-]{8,64})"/g

/** Ids within texts of JSON whose names are known, in their order. */
export function namesInTexts(
  texts: readonly string[],
  names: Names,
): readonly { readonly id: string; readonly name: string }[] {
  const ids = new Set(texts.flatMap(text => [...text.matchAll(IDS)].map(([, id]) => id as string)))
  return [...ids].flatMap(id => {
    const name = names.get(id)
    return name === undefined || name === id ? [] : [{ id, name }]
  })
}

function memberOf(value: object | null, member: string): string | undefined {
  const found = (value as Record<string, unknown> | null)?.[member]
  return typeof found === 'string' ? found : undefined
}
