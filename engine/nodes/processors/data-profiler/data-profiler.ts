import { hash } from 'node:crypto'
import Type from 'typebox'
import type { JsonObject } from '../../../../schemas/json.ts'
import { TWELFTH_BEHAVIOUR } from '../../../../schemas/log/behaviour-numbers.ts'
import type { Event } from '../../../event/event.ts'
import { pass } from '../../../event/outcome.ts'
import { FREE_UNITS } from '../../../expressions/expression-budget.ts'
import { canonicalJson } from '../../../json/canonical-json.ts'
import { textFormBytes } from '../../../json/json-size.ts'
import { FieldPath } from '../../contract/config-schema.ts'
import { type CostMeter, defineProcessor } from '../../contract/define-processor.ts'
import type { StateBounds } from '../../contract/state-bounds.ts'
import { type EventRoles, rolesReader } from './event-roles.ts'
import { leafFieldsOf } from './leaf-fields.ts'
import { splitLine } from './line-templates.ts'
import { LineClassification } from './line-type.ts'
import { Profile, type ProfiledEvent } from './profile.ts'

const MAX_FIELDS = 10
const MAX_FIELD_LENGTH = 512

const ROLES = {
  app_fields: ['.app'],
  host_fields: ['.host'],
  level_fields: ['.level'],
  line_fields: ['.msg'],
}
const ACCESS = '192.0.2.7 - ida [09/Mar/2031:08:15:30 +0000] "GET /doors/4 HTTP/1.1" 200 5316'

/** Units that the profile of an event leaves to other nodes: it is never why an event fails. (Our choice.) */
const LEFT_UNITS = FREE_UNITS / 2
/** Maximum units for finding the type of a line; beyond them it has none. (Our choice.) */
const MAX_TYPE_UNITS = 100_000
const UNITS_PER_FIELD = 64
/** Binary logarithm of the tokens that are compared per unit: 4. */
const COMPARED_AT_ONCE_BITS = 2
/** Binary logarithm of the bytes of an event that are measured per unit: 16. */
const MEASURED_AT_ONCE_BITS = 4

/**
 * Data profiler: passes all events with annotations, and keeps a profile of them. A run ends after a number of events or a time; then
 * events just pass. Rules: components, section 5.3. Our choice: other options begin a new run, which adds to the profile, and an event
 * whose profile would cost too much is only counted.
 */
export const dataProfiler = defineProcessor({
  type: 'data-profiler',
  since: TWELFTH_BEHAVIOUR,
  summary: 'Build a profile of the passing events, and mark events with their kind.',
  notes: [
    'Of each role, the first field with a text that is not empty counts. A message that is a text is the line. If that text is a JSON object, its members are tried as well.',
    'While a run is on, each event has the annotations `app`, `host` and `level` where they are found, `message_key` (the field of the line), and `classification` with `event_types` (the name of the first [grok pattern](grok.md#types-of-lines) that matches the line), `total_bytes` and `event_count`. Only scripts read annotations.',
    '`GET /v3/pipeline/{id}/transform/{node}/profile` and `weir pipeline profile` show the profile, and `POST …/profile/reset` empties it. The size of an event is that of its message as text or JSON; the size of a field is that of its name and its value.',
    'A run ends after 1,000,000 events or 24 hours of log time; then events just pass, without annotations. A reset or other options begin a new run.',
    'The profile has at most 1,000 templates of lines (the one that matched longest ago is forgotten), 1,000 fields and 1,000 names of a role; others are counted together. A field has at most 500 distinct values, 65 of them integers. Objects are divided into fields down to eight levels.',
  ],
  config: Type.Object(
    {
      app_fields: rolePaths(1, 'Fields that may contain the name of the app, in order of trial'),
      host_fields: rolePaths(1, 'Fields that may contain the name of the host, in order of trial'),
      level_fields: rolePaths(1, 'Fields that may contain the level, in order of trial'),
      line_fields: rolePaths(1, 'Fields that may contain the line, in order of trial'),
      label_fields: Type.Optional(rolePaths(0, 'Fields that contain labels; they are not profiled')),
    },
    { additionalProperties: false },
  ),
  errors: [],

  compile(config, _report, meter) {
    const options = hash('sha256', canonicalJson(config))
    const rolesOf = rolesReader(config)
    return (event, state: Profile, nowMs) => {
      if (state.isOver(options, nowMs)) return pass(event)
      const roles = rolesOf(event)
      const type = typeOf(roles.line, meter)
      // Nothing below can be suspended, so the event is profiled once.
      const profiled = profiledEvent(messageBytes(event), roles, type, state, meter)
      state.add(profiled, options, nowMs)
      return pass(event.withAnnotations(annotationsOf(event, roles, type, profiled.bytes)))
    }
  },

  state: {
    create: (_seed, bounds?: StateBounds) => new Profile(bounds),
    advance: () => true,
    snapshot: state => state.snapshot(),
    restore: (bytes, bounds) => Profile.restore(bytes, bounds),
    measure: state => state.measure(),
    keeps: () => true,
    profile: {
      show: (state, atMs) => state.profile(atMs),
      reset: state => state.reset(),
    },
    placement: {
      by: 'node',
      empty: state => state.empty(),
      absorb: (state, data) => state.absorb(data),
    },
  },

  configs: [
    {
      sent: {
        app_fields: ['.app', '.container'],
        host_fields: ['.host', '.hostname'],
        level_fields: ['.level'],
        line_fields: ['.line', '.message'],
      },
    },
    {
      sent: {
        app_fields: ['.app'],
        host_fields: ['metadata.query.hostname'],
        level_fields: ['.level'],
        line_fields: ['.'],
        label_fields: ['.labels'],
      },
    },
  ],

  examples: [
    {
      title: 'events pass with annotations: the values of the roles, the place of the line, and its type',
      config: ROLES,
      steps: [
        {
          event: { app: 'oven', msg: 'oven 4 at 231' },
          outcome: pass({ app: 'oven', msg: 'oven 4 at 231' }),
          annotationsAfter: {
            app: 'oven',
            message_key: '.msg',
            classification: { event_types: {}, total_bytes: 36, event_count: 1 },
          },
        },
        {
          event: { app: '', host: 'web-1', level: 'info', msg: ACCESS },
          outcome: pass({ app: '', host: 'web-1', level: 'info', msg: ACCESS }),
          annotationsAfter: {
            host: 'web-1',
            level: 'info',
            message_key: '.msg',
            classification: { event_types: { HTTPD_COMMONLOG: 1 }, total_bytes: 128, event_count: 1 },
          },
        },
        {
          event: { other: 1 },
          outcome: pass({ other: 1 }),
          annotationsAfter: { classification: { event_types: {}, total_bytes: 11, event_count: 1 } },
        },
      ],
    },
    {
      title: 'a message that is a text is the line, and a JSON object in it has fields',
      config: ROLES,
      steps: [
        {
          event: 'oven 7 at 228',
          outcome: pass('oven 7 at 228'),
          annotationsAfter: {
            message_key: '.',
            classification: { event_types: {}, total_bytes: 13, event_count: 1 },
          },
        },
        {
          event: '{"app":"oven","level":7}',
          outcome: pass('{"app":"oven","level":7}'),
          annotationsAfter: {
            app: 'oven',
            message_key: '.',
            classification: { event_types: {}, total_bytes: 24, event_count: 1 },
          },
        },
      ],
    },
    {
      title: 'a run ends after 24 hours: later events just pass',
      config: ROLES,
      steps: [
        {
          event: { msg: 'a' },
          outcome: pass({ msg: 'a' }),
          annotationsAfter: {
            message_key: '.msg',
            classification: { event_types: {}, total_bytes: 11, event_count: 1 },
          },
        },
        { event: { msg: 'b' }, atMs: 24 * 3_600_000, outcome: pass({ msg: 'b' }) },
      ],
    },
  ],
})

/** The type of a line; undefined: it has none, or finding it would cost too much. */
function typeOf(line: string | undefined, meter: CostMeter): string | undefined {
  if (line === undefined) return undefined
  const most = Math.min(MAX_TYPE_UNITS, meter.spareUnits(line.length) - LEFT_UNITS)
  if (most <= 0) return undefined
  return meter.count(() => new LineClassification(line, most)) ?? undefined
}

/**
 * Size of a message in UTF-8 bytes: of its text, or of its JSON text. Edges count a line of log ingestion without its members, but
 * a profile compares the size of an event with those of its fields.
 */
function messageBytes(event: Event): number {
  return event.isLogLine ? textFormBytes(event.message) : event.bytes
}

function profiledEvent(
  bytes: number,
  { app, host, level, line, profiled }: EventRoles,
  type: string | undefined,
  state: Profile,
  meter: CostMeter,
): ProfiledEvent {
  const names = {
    ...(app === undefined ? {} : { apps: app }),
    ...(host === undefined ? {} : { hosts: host }),
    ...(level === undefined ? {} : { levels: level }),
    ...(type === undefined ? {} : { event_types: type }),
  }
  const fields = leafFieldsOf(profiled)
  const split = line === undefined ? undefined : splitLine(line)
  const comparisons = split === undefined ? 0 : state.comparisonsFor(split)
  const units =
    UNITS_PER_FIELD * fields.length +
    (comparisons >> COMPARED_AT_ONCE_BITS) +
    (bytes >> MEASURED_AT_ONCE_BITS)
  if (units > meter.spareUnits(bytes) - LEFT_UNITS) return { bytes, names, content: undefined }
  meter.work(units)
  return { bytes, names, content: { line: split, fields } }
}

function annotationsOf(
  event: Event,
  { app, host, level, lineKey }: EventRoles,
  type: string | undefined,
  bytes: number,
): JsonObject {
  return {
    ...event.annotations,
    ...(app === undefined ? {} : { app }),
    ...(host === undefined ? {} : { host }),
    ...(level === undefined ? {} : { level }),
    ...(lineKey === undefined ? {} : { message_key: lineKey }),
    classification: {
      event_types: type === undefined ? {} : { [type]: 1 },
      total_bytes: bytes,
      event_count: 1,
    },
  }
}

function rolePaths(minItems: number, description: string) {
  const path = FieldPath({ maxLength: MAX_FIELD_LENGTH, description: 'Field such as .level' })
  return Type.Array(path, { minItems, maxItems: MAX_FIELDS, description })
}
