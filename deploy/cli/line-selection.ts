import type { Command } from 'commander'
import { CommandError, EXIT } from './command-error.ts'
import type { Times } from './times/times.ts'

/** Options by which commands select lines, in addition to a query. */
export interface LineLists {
  readonly app?: string
  readonly host?: string
  readonly level?: string
  readonly tags?: string
}

export interface PeriodOptions {
  readonly from: string
  readonly to: string
}

export function withLineLists(command: Command): Command {
  return command
    .option('--app <list>', 'only lines of these applications (comma-separated)')
    .option('--host <list>', 'only lines of these hosts')
    .option('--level <list>', 'only lines of these levels')
    .option('--tags <list>', 'only lines with one of these tags')
}

/** Parameters of the service for these options. */
export function listParameters({ app, host, level, tags }: LineLists) {
  return { apps: app, hosts: host, levels: level, tags }
}

/** @param from default of the start */
export function withPeriod(command: Command, from: string): Command {
  return command
    .option(
      '--from <time>',
      'start of the period: 1h, now-1d12h, today, 2026-01-31, 2026-01-31T12:00:00Z, a UNIX time',
      from,
    )
    .option('--to <time>', 'end of the period, inclusive', 'now')
}

/** Bounds of a period, UNIX ms. @throws CommandError for texts that are not times, or in the wrong order */
export function periodOf(
  options: PeriodOptions,
  times: Times,
): { readonly from: number; readonly to: number } {
  const from = times.read('--from', options.from, 'start')
  const to = times.read('--to', options.to, 'end')
  if (from > to) throw new CommandError(EXIT.usage, '--from must not be later than --to.')
  return { from, to }
}
