import type { NodeProfile, ProfiledField, ProfiledName } from '../../../engine/nodes/contract/profile-view.ts'
import type { PresentProfile } from '../../../engine/replay/node-profiles.ts'
import type { ProfiledNameRecord, ProfileRecord } from '../../../schemas/http/pipeline/profile-api.ts'
import { isoTime } from '../../http/iso-time.ts'

/** Maximum lengths of the lists of an answer. */
export interface ProfileBounds {
  /** Maximum number of templates, of fields, and of names per role. */
  readonly entries: number
  /** Maximum number of values per field. */
  readonly values: number
}

/** The profile as the API shows it: of each list the entries with the highest counts. */
export function profileRecord({ atMs, profile }: PresentProfile, bounds: ProfileBounds): ProfileRecord {
  const { run, events, bytes, cutEvents, templates, fields, otherFields, counts } = profile
  return {
    at: isoTime(atMs),
    run: {
      state: run.state,
      started_at: run.startedMs === undefined ? null : isoTime(run.startedMs),
      events: run.events,
    },
    events,
    bytes,
    cut_events: cutEvents,
    templates: highest(templates, ({ lines }) => lines, bounds.entries).map(template => ({
      ...template,
      apps: [...template.apps],
      samples: [...template.samples],
    })),
    total_templates: templates.length,
    fields: highest(fields, field => field.events, bounds.entries).map(field =>
      fieldRecord(field, profile, bounds),
    ),
    total_fields: fields.length,
    other_fields: { ...otherFields },
    apps: nameRecords(counts.apps, bounds),
    hosts: nameRecords(counts.hosts, bounds),
    levels: nameRecords(counts.levels, bounds),
    event_types: nameRecords(counts.event_types, bounds),
  }
}

function fieldRecord(
  { field, events, eventBytes, bytes, values, otherValues, numbers, times }: ProfiledField,
  { events: all, cutEvents }: NodeProfile,
  bounds: ProfileBounds,
): ProfileRecord['fields'][number] {
  return {
    field,
    events,
    share: events / (all - cutEvents),
    event_bytes: eventBytes,
    bytes,
    values: highest(values, value => value.events, bounds.values).map(value => ({ ...value })),
    distinct_values: values.length,
    other_values: otherValues,
    numbers: numbers === undefined ? null : { ...numbers },
    times: times === undefined ? null : { ...times },
  }
}

function nameRecords(names: readonly ProfiledName[], { entries }: ProfileBounds): ProfiledNameRecord[] {
  return highest(names, ({ lines }) => lines, entries).map(({ name, ...count }) => ({
    name: name ?? null,
    ...count,
  }))
}

function highest<Entry>(entries: readonly Entry[], count: (entry: Entry) => number, limit: number): Entry[] {
  return entries.toSorted((one, other) => count(other) - count(one)).slice(0, limit)
}
