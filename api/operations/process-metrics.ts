import { collectDefaultMetrics, type Registry } from '@prometheus-io/client'
import { SECOND_MS } from '../../engine/times/duration.ts'
import { gaugeOf } from './metrics.ts'

/** Every metric of this program begins with it. */
const PREFIX = 'weir_'
/** Interval of the timer that measures the delay of the event loop. */
const LOOP_PRECISION_MS = 20

/** Identity of a process, for `weir_build_info`. */
export interface BuildInfo {
  readonly version: string
  readonly roles: readonly string[]
}

/** Version and roles, processor time, memory, files, event loop and garbage collection of this process. */
export function processMetrics(registry: Registry, { version, roles }: BuildInfo): void {
  const help = 'Always 1; the labels are the version of Weir, that of Node, and the roles of this process'
  gaugeOf(registry, 'weir_build_info', help, ['version', 'node', 'roles'], gauge => {
    gauge.set({ version, node: process.versions.node, roles: roles.join(',') }, 1)
  })
  collectDefaultMetrics({
    register: registry,
    prefix: PREFIX,
    eventLoopMonitoringPrecision: LOOP_PRECISION_MS,
    eventLoopUtilizationTimeout: SECOND_MS,
  })
}
