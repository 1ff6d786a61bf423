import Type from 'typebox'
import { named } from '../../named.ts'
import { TIME_FORMS } from '../time-forms.ts'

/** Bodies of `/v3/pipeline/{id}/dead-letter`, for validation and for the API document. */

const Time = Type.String({ format: 'date-time' })
const NullableTime = Type.Union([Time, Type.Null()])
const NullableId = Type.Union([Type.String({ format: 'uuid' }), Type.Null()])
const Code = Type.String({ description: 'Code of the failure, such as E_NOT_FOUND.' })
const LetterId = Type.String({ pattern: '^[0-9]{1,39}$' })

/** Maximum number of letters that one call replays. */
export const MAX_REPLAYED_LETTERS = 10_000

const Enabled = Type.Boolean({ description: 'Whether events that fail are kept.' })
const RetentionDays = Type.Integer({
  minimum: 1,
  maximum: 30,
  default: 7,
  description: 'Retention of failed events.',
})
/** 30 days. */
const MAX_GIVE_UP_AFTER_S = 2_592_000
const GiveUpAfter = Type.Union([Type.Integer({ minimum: 1, maximum: MAX_GIVE_UP_AFTER_S }), Type.Null()], {
  default: null,
  description:
    'Seconds during which delivery to a destination is retried before its events fail; null: forever.',
})

export const DeadLetterSettingsRecord = named(
  'DeadLetterSettingsRecord',
  Type.Object({
    enabled: Enabled,
    retention_days: RetentionDays,
    give_up_after_s: GiveUpAfter,
  }),
)
export type DeadLetterSettingsRecord = Type.Static<typeof DeadLetterSettingsRecord>

/** Settings of a full replacement: omitted members get their defaults. */
export const DeadLetterSettingsWrite = named(
  'DeadLetterSettingsWrite',
  Type.Object(
    {
      enabled: Enabled,
      retention_days: Type.Optional(RetentionDays),
      give_up_after_s: Type.Optional(GiveUpAfter),
    },
    { additionalProperties: false },
  ),
)
export type DeadLetterSettingsWrite = Type.Static<typeof DeadLetterSettingsWrite>

const filterMembers = {
  code: Type.Optional(Code),
  node: Type.Optional(Type.String({ description: 'Id of the node that failed.' })),
  revision: Type.Optional(Type.String({ description: 'Id of the revision that failed.' })),
  from: Type.Optional(
    Type.String({
      format: 'point in time',
      description: `Letters that failed at this time or later: ${TIME_FORMS}.`,
    }),
  ),
  to: Type.Optional(
    Type.String({
      format: 'point in time',
      description: 'Letters that failed before this time, in the same forms.',
    }),
  ),
}

export const DeadLetterFilter = named(
  'DeadLetterFilter',
  Type.Object(filterMembers, { additionalProperties: false }),
)
export type DeadLetterFilter = Type.Static<typeof DeadLetterFilter>

export const DeadLetterQuery = named(
  'DeadLetterQuery',
  Type.Object(
    {
      ...filterMembers,
      replayed: Type.Optional(Type.Enum(['true', 'false'])),
      limit: Type.Optional(
        Type.String({
          pattern: '^([1-9][0-9]?|1[0-9][0-9]|200)$',
          default: '50',
          description: 'Maximum number of entries, 1 to 200.',
        }),
      ),
      cursor: Type.Optional(
        Type.String({
          pattern: '^[0-9]{1,15}-[0-9]{1,9}$',
          description: '`meta.page.next` of the previous page.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
)
export type DeadLetterQuery = Type.Static<typeof DeadLetterQuery>

export const DeadLetterRecord = named(
  'DeadLetterRecord',
  Type.Object({
    id: LetterId,
    pipeline_id: Type.String({ format: 'uuid' }),
    node_id: Type.String(),
    revision_id: NullableId,
    code: Code,
    field: Type.Union([Type.String(), Type.Null()], { description: 'The path concerned, as configured.' }),
    message: Type.String(),
    failed_at: Time,
    replayed_at: NullableTime,
    replayed_revision_id: NullableId,
    event: Type.Object(
      {
        message: Type.Unknown(),
        metadata: Type.Unsafe<object>({ type: 'object' }),
        timestamp: Type.String(),
        annotations: Type.Optional(Type.Unsafe<object>({ type: 'object' })),
      },
      { description: 'The event as it reached the node that failed.' },
    ),
  }),
)
export type DeadLetterRecord = Type.Static<typeof DeadLetterRecord>

/** Selects letters by ids or by a filter; with neither, all letters that were not replayed yet. */
export const DeadLetterReplay = named(
  'DeadLetterReplay',
  Type.Object(
    {
      ids: Type.Optional(Type.Array(LetterId, { minItems: 1, maxItems: MAX_REPLAYED_LETTERS })),
      filter: Type.Optional(DeadLetterFilter),
    },
    { additionalProperties: false },
  ),
)
export type DeadLetterReplay = Type.Static<typeof DeadLetterReplay>

export const DeadLetterReplayRecord = named(
  'DeadLetterReplayRecord',
  Type.Object({
    replayed: Type.Integer({ description: 'Number of letters that the present revision has processed.' }),
    pending: Type.Integer({
      description: 'Number of letters that were sent to it; the list shows the result.',
    }),
    already_replayed: Type.Integer({
      description: 'Number of letters left out because a letter is replayed only once.',
    }),
    node_gone: Type.Integer({
      description: 'Number of letters left out because the present revision does not have the node.',
    }),
    not_found: Type.Integer({
      description: 'Number of ids that are not letters of the pipeline, or whose letter was removed.',
    }),
    remaining: Type.Integer({
      description: 'Number of letters beyond the limit of one call: repeat the call.',
    }),
  }),
)
export type DeadLetterReplayRecord = Type.Static<typeof DeadLetterReplayRecord>

/** Letters of one pipeline and code that were not replayed. */
export const WaitingDeadLetters = named(
  'WaitingDeadLetters',
  Type.Object({
    pipeline_id: Type.String({ format: 'uuid' }),
    title: Type.String({ description: 'Title of the pipeline.' }),
    code: Code,
    letters: Type.Integer({ minimum: 1, description: 'Number of letters that were not replayed.' }),
    first_failed_at: Time,
    last_failed_at: Time,
  }),
)
export type WaitingDeadLetters = Type.Static<typeof WaitingDeadLetters>

/** Answer with a page of letters. */
export const DeadLetterRecordListEnvelope = named(
  'DeadLetterRecordListEnvelope',
  Type.Object({
    meta: Type.Object({
      pk: Type.String(),
      type: Type.String(),
      links: Type.Unsafe<object>({ type: 'object' }),
      page: Type.Object({ next: Type.Union([Type.String(), Type.Null()]), previous: Type.Null() }),
      settings: DeadLetterSettingsRecord,
    }),
    data: Type.Array(DeadLetterRecord),
  }),
)
