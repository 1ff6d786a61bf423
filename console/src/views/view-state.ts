import type { ViewWrite } from '../../../schemas/http/account/view.ts'
import { LISTS } from '../api/searches.ts'
import type { ViewRecord } from '../api/views.ts'

/** The part of a search that a view contains. */
export interface ViewedSearch {
  readonly query: string
  readonly lists: Readonly<Record<(typeof LISTS)[number], readonly string[]>>
}

/** Whether a view finds other lines than a search of the page. */
export function differs(view: ViewRecord, { query, lists }: ViewedSearch): boolean {
  if (view.query.trim() !== query.trim()) return true
  return LISTS.some(name => [...view[name]].sort().join('\0') !== [...lists[name]].sort().join('\0'))
}

/** Body that saves a search as a new view. */
export function newView(name: string, category: string, search: ViewedSearch): ViewWrite {
  return {
    name,
    query: search.query,
    hosts: [...search.lists.hosts],
    apps: [...search.lists.apps],
    levels: [...search.lists.levels],
    tags: [...search.lists.tags],
    category: category.trim() === '' ? [] : [category.trim()],
  }
}

/** Body that replaces a view. Its alerts stay: a replacement without them would remove them. */
export function changedView(
  view: ViewRecord,
  change: { readonly name?: string; readonly search?: ViewedSearch },
): ViewWrite {
  const { query, hosts, apps, levels, tags, category, presetids, channels } = view
  const [presetid] = presetids
  const search = change.search === undefined ? {} : newView(view.name, '', change.search)
  return {
    ...{ query, hosts, apps, levels, tags },
    ...search,
    name: change.name ?? view.name,
    category,
    ...(presetid === undefined
      ? { channels: channels.map(({ alertid: _, ...kept }) => kept) as NonNullable<ViewWrite['channels']> }
      : { presetid }),
  }
}

/** Views by their categories, those without one last. */
export function byCategory(
  views: readonly ViewRecord[],
): readonly { readonly category: string; readonly views: readonly ViewRecord[] }[] {
  const groups = new Map<string, ViewRecord[]>()
  for (const view of views)
    for (const category of view.category.length === 0 ? [''] : view.category)
      groups.set(category, [...(groups.get(category) ?? []), view])
  return [...groups]
    .sort(([a], [b]) => (a === '' ? 1 : b === '' ? -1 : a.localeCompare(b)))
    .map(([category, all]) => ({ category, views: all.sort((a, b) => a.name.localeCompare(b.name)) }))
}
