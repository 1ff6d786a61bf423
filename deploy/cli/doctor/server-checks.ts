import type { SystemStatusRecord } from '../../../schemas/http/system-api.ts'
import { VERSION } from '../../version.ts'
import { apiClient } from '../api-client.ts'
import { byteSize, grouped } from '../byte-size.ts'
import { CommandError } from '../command-error.ts'
import { apiAddress } from '../connection.ts'
import type { World } from '../world.ts'
import { type Check, type Finding, ok, skipped, warning, wrong } from './finding.ts'

/** Difference of two clocks that the way of a request, and whole seconds of its header, explain. */
const CLOCKS_MS = 5_000
/** Lead of the log time that small corrections of a clock explain. */
const LEAD_MS = 60_000
const FULL_LOG = 0.9
const BEHIND_S = 60

/** Checks of the server that the command line reaches. */
export const SERVER_CHECKS: readonly Check[] = [{ name: 'server', run: server }]

async function server(world: World, stop: AbortSignal): Promise<Finding[]> {
  let sentMs = 0
  try {
    const address = apiAddress(world)
    const startMs = world.clock.wallMs()
    const api = apiClient(address, { ...world, stop })
    const answer = await api.json('/v3/system/status', {
      onHeaders: headers => {
        sentMs = Date.parse(headers.get('date') ?? '')
      },
    })
    const status = (answer as unknown as { data: SystemStatusRecord }).data
    return [
      ...readiness(status, address.url),
      ...versions(status.version),
      ...clocks(sentMs, startMs, world.clock.wallMs()),
      ...partitions(status, world.clock.wallMs()),
      ...log(status),
      ...store(status),
    ]
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    return [wrong(error.message)]
  }
}

function readiness({ ready, reasons }: SystemStatusRecord, url: string): Finding[] {
  if (ready) return [ok(`${url} is ready.`)]
  return reasons.map(reason => wrong(`${url} is not ready: ${reason}.`))
}

function versions(version: string): Finding[] {
  if (version === VERSION) return [ok(`Server and command line have version ${VERSION}.`)]
  return [warning(`The server has version ${version}, this command ${VERSION}: use the same one.`)]
}

/** @param sentMs time of the server's answer in whole seconds; NaN: unknown */
export function clocks(sentMs: number, startMs: number, endMs: number): Finding[] {
  if (!Number.isFinite(sentMs)) return [skipped('The server does not send its time.')]
  const aheadMs = sentMs > endMs ? sentMs - endMs : Math.min(0, sentMs + 1_000 - startMs)
  if (Math.abs(aheadMs) <= CLOCKS_MS) return [ok('The clocks of server and this machine agree.')]
  const seconds = Math.round(Math.abs(aheadMs) / 1000)
  return [
    wrong(
      `The clock of the server is ${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} this one: set both.`,
    ),
  ]
}

function partitions({ partitions: all }: SystemStatusRecord, nowMs: number): Finding[] {
  const findings = all.flatMap(
    ({ topic, partition, worker, trouble, behind_s: behindS, log_time: logTime }) => {
      const name = `Partition ${partition} of ${topic}`
      const leadMs = logTime === null ? 0 : Date.parse(logTime) - nowMs
      return [
        ...(trouble === null ? [] : [wrong(`${name} does not move: ${trouble}.`)]),
        ...(worker === null ? [wrong(`${name} has no worker: start an engine.`)] : []),
        ...(behindS !== null && behindS > BEHIND_S
          ? [warning(`${name} is ${grouped(behindS)} s behind: see "weir status".`)]
          : []),
        ...(leadMs > LEAD_MS
          ? [
              wrong(
                `${name} is ${grouped(leadMs / 1000)} s ahead of the clock, which was set back: correct it.`,
              ),
            ]
          : []),
      ]
    },
  )
  return findings.length > 0 ? findings : [ok(`Every partition (${all.length}) has a worker and moves.`)]
}

function log({
  log: { used_bytes: used, limit_bytes: limit, reserved_bytes: reserved, takes_ingest: takes },
}: SystemStatusRecord): Finding[] {
  if (!takes)
    return [wrong('The log is full, and lines are refused: docs/operations.md, "When space runs short".')]
  if (limit === null) return []
  const room = limit - reserved
  const sentence = `The log takes ${byteSize(used)} of the ${byteSize(room)} that lines may use.`
  return [
    used > FULL_LOG * room ? warning(`${sentence} "When space runs short" says what to do.`) : ok(sentence),
  ]
}

function store({ store: found }: SystemStatusRecord): Finding[] {
  if (found === null) return [skipped('This process has no store.')]
  if (!found.reachable)
    return [wrong('The store does not answer the server: lines are taken, but cannot be found.')]
  return [ok(`The store has ${grouped(found.rows ?? 0)} lines in ${byteSize(found.bytes ?? 0)}.`)]
}
