import Type from 'typebox'
import { named } from '../../named.ts'

/**
 * Profile that a running data-profiler has built, and its reset. The wire contract does not cover them: the shapes are Weir's own.
 */

const Time = Type.String({ format: 'date-time' })
const NullableTime = (description: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time', description })
const Count = (description: string) => Type.Integer({ description })

export const ProfileQuery = named(
  'ProfileQuery',
  Type.Object(
    {
      limit: Type.Optional(
        Type.String({
          pattern: '^([1-9][0-9]{0,2}|1000)$',
          default: '100',
          description: 'Maximum number of templates, of fields, and of names per role, 1 to 1000.',
        }),
      ),
      values: Type.Optional(
        Type.String({
          pattern: '^([0-9]|[1-9][0-9]|[1-4][0-9]{2}|500)$',
          default: '10',
          description: 'Maximum number of values per field, 0 to 500.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
)
export type ProfileQuery = Type.Static<typeof ProfileQuery>

export const ProfileRunRecord = named(
  'ProfileRunRecord',
  Type.Object({
    state: Type.Enum(['waiting', 'running', 'ended'], {
      description: 'A run waits for its first event, and ends after 1,000,000 events or 24 hours.',
    }),
    started_at: NullableTime('Log time of its first event; null: it waits for one.'),
    events: Count('Number of events of the run.'),
  }),
)

export const ProfiledTemplateRecord = named(
  'ProfiledTemplateRecord',
  Type.Object({
    template: Type.String({ description: 'Tokens of the lines; `<*>` stands for those that differ.' }),
    lines: Type.Integer(),
    bytes: Type.Integer(),
    apps: Type.Array(Type.String(), { description: 'The first 20 apps.' }),
    samples: Type.Array(Type.String(), { description: 'The first five lines, cut.' }),
  }),
)

const ProfiledValueRecord = named(
  'ProfiledValueRecord',
  Type.Object({
    kind: Type.Enum(['text', 'boolean', 'integer', 'null', 'array', 'object']),
    value: Type.String({
      description: 'The value, cut to 50 characters; the length of an array; the keys of an object.',
    }),
    events: Type.Integer(),
  }),
)

const ProfiledNumbers = named(
  'ProfiledNumbers',
  Type.Object({
    count: Type.Integer(),
    min: Type.Number(),
    max: Type.Number(),
    mean: Type.Number(),
  }),
)

const ProfiledTimes = named(
  'ProfiledTimes',
  Type.Object({ count: Type.Integer(), min: Type.String(), max: Type.String() }),
)

export const ProfiledFieldRecord = named(
  'ProfiledFieldRecord',
  Type.Object({
    field: Type.String({ description: 'Path such as .level' }),
    events: Count('Number of events that have the field.'),
    share: Type.Number({ description: 'Share of all profiled events, 0 to 1.' }),
    event_bytes: Count('Size of the events that have the field.'),
    bytes: Count('Size of the field: its name and its value.'),
    values: Type.Array(ProfiledValueRecord, { description: 'Values of the most events first.' }),
    distinct_values: Count('Number of the values that are kept, at most 500.'),
    other_values: Count('Number of events with a value beyond those that are kept.'),
    numbers: Type.Union([ProfiledNumbers, Type.Null()]),
    times: Type.Union([ProfiledTimes, Type.Null()]),
  }),
)

export const ProfiledNameRecord = named(
  'ProfiledNameRecord',
  Type.Object({
    name: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'null: all names beyond the first thousand, together.',
    }),
    lines: Type.Integer(),
    bytes: Type.Integer(),
  }),
)
export type ProfiledNameRecord = Type.Static<typeof ProfiledNameRecord>

const Names = (description: string) => Type.Array(ProfiledNameRecord, { description })

export const ProfileRecord = named(
  'ProfileRecord',
  Type.Object({
    at: Time,
    run: ProfileRunRecord,
    events: Count('Number of all profiled events, over all runs since the last reset.'),
    bytes: Type.Integer(),
    cut_events: Count(
      'Number of events that are only counted by name, because more would have cost too much.',
    ),
    templates: Type.Array(ProfiledTemplateRecord, { description: 'Templates of the most lines first.' }),
    total_templates: Type.Integer(),
    fields: Type.Array(ProfiledFieldRecord, { description: 'Fields of the most events first.' }),
    total_fields: Type.Integer(),
    other_fields: named('OtherFieldsRecord', Type.Object({ events: Type.Integer(), bytes: Type.Integer() })),
    apps: Names('Lines by app, the most lines first.'),
    hosts: Names('Lines by host.'),
    levels: Names('Lines by level.'),
    event_types: Names('Lines by the pattern that they match.'),
  }),
)
export type ProfileRecord = Type.Static<typeof ProfileRecord>

export const ProfileResetRecord = named(
  'ProfileResetRecord',
  Type.Object({
    reset_at: Time,
    in_effect: Type.Unsafe<boolean | null>({
      type: ['boolean', 'null'],
      description: 'Whether it holds for the next event; null: unknown to this process.',
    }),
  }),
)
export type ProfileResetRecord = Type.Static<typeof ProfileResetRecord>
