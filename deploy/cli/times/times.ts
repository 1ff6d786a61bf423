import {
  type PointInTimeReading,
  readPointInTime,
  type TimeZone,
} from '../../../engine/times/point-in-time.ts'
import { CommandError, EXIT } from '../command-error.ts'
import type { World } from '../world.ts'

/** Times as users write and read them, in their zone. */
export interface Times {
  /** Name of the zone, for headings. */
  readonly zone: string
  /**
   * Reads the value of an option.
   *
   * @param edge  millisecond of the day that a bare date means
   * @param unsigned  direction of a span without a sign; default: past
   * @returns UNIX milliseconds
   * @throws CommandError for a text that is not a time
   */
  read(
    option: string,
    text: string,
    edge: PointInTimeReading['edge'],
    unsigned?: PointInTimeReading['unsigned'],
  ): number
  /** Time to the second, such as 2026-02-28 09:30:00. */
  text(ms: number): string
  /** Time to the millisecond with its distance to UTC, such as 2026-02-28T09:30:00.000Z. */
  iso(ms: number): string
}

/** Times in the zone that `--tz`, `--utc` or WEIR_TZ name; default: UTC. @throws CommandError for an unknown zone */
export async function timesOf({ env, clock }: World): Promise<Times> {
  const zone = await zoneNamed(env.WEIR_TZ || 'UTC')
  return {
    zone: zone.name,
    read: (option, text, edge, unsigned = 'past') => {
      const ms = readPointInTime(text.trim(), { nowMs: clock.wallMs(), edge, unsigned, zone })
      if (ms !== undefined) return ms
      const span = unsigned === 'past' ? '1h or 1d12h (that long ago)' : '2h or 1d12h (from now)'
      throw new CommandError(
        EXIT.usage,
        `${option} "${text}" is not a time. Write ${span}, now-1h, now, today, yesterday, ` +
          '2026-01-31, 2026-01-31T12:00:00Z, or a UNIX time in seconds or milliseconds.',
      )
    },
    text: ms => new Date(zone.toClockMs(ms)).toISOString().slice(0, 19).replace('T', ' '),
    iso: ms => {
      const clockMs = zone.toClockMs(ms)
      const text = new Date(clockMs).toISOString()
      return zone.name === 'UTC' ? text : `${text.slice(0, -1)}${offsetText(clockMs - ms)}`
    },
  }
}

const UTC: TimeZone & { readonly name: string } = {
  name: 'UTC',
  toClockMs: utcMs => utcMs,
  toUtcMs: clockMs => clockMs,
}

async function zoneNamed(wanted: string): Promise<typeof UTC> {
  const name = wanted === 'local' ? new Intl.DateTimeFormat().resolvedOptions().timeZone : wanted
  if (name.toUpperCase() === 'UTC') return UTC
  // Loaded on demand: most commands use UTC.
  const { timeZone } = await import('./time-zone.ts')
  const zone = timeZone(name)
  if (zone !== undefined) return { name, ...zone }
  throw new CommandError(
    EXIT.usage,
    `"${wanted}" is not a time zone. Write a name such as Europe/Berlin, an offset such as +02:00, "local" or UTC.`,
  )
}

function offsetText(offsetMs: number): string {
  const minutes = Math.round(Math.abs(offsetMs) / 60_000)
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60].map(part => String(part).padStart(2, '0'))
  return `${offsetMs < 0 ? '-' : '+'}${hours}:${rest}`
}
