import type { Registry } from '@prometheus-io/client'
import type { Clock } from '../../engine/clock/clock.ts'
import type { LaneCounts } from '../../engine/delivery/fold/lane.ts'
import type { OutboxWorkers } from '../../engine/worker/outbox/outbox-workers.ts'
import { collectedCounter, counterOf, gaugeOf, histogramOf } from './metrics.ts'

const NODE = ['pipeline', 'node']
/** Value of the label `outcome` for each count of a lane. */
const OUTCOMES = {
  handed_over: 'handedOver',
  delivered: 'delivered',
  given_up: 'givenUp',
  dropped: 'dropped',
} as const satisfies Record<string, keyof LaneCounts>
const REQUEST_BUCKETS_S = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

/** Deliveries of the outbox partitions of this process. */
export function deliveryMetrics(registry: Registry, outbox: OutboxWorkers, clock: Clock): void {
  const lanes = () => [...outbox.workers.values()].flatMap(({ fold }) => [...fold.lanes])
  const events = 'Events of destinations that send requests, by outcome'
  collectedCounter(registry, 'weir_delivery_events_total', events, [...NODE, 'outcome'], counter => {
    for (const { pipeline, node, counts } of lanes())
      for (const [outcome, count] of Object.entries(OUTCOMES))
        counter.inc({ pipeline, node, outcome }, counts[count])
  })
  gaugeOf(registry, 'weir_delivery_waiting_events', 'Events that wait for delivery', NODE, gauge => {
    for (const { pipeline, node, waiting } of lanes()) gauge.inc({ pipeline, node }, waiting)
  })
  gaugeOf(
    registry,
    'weir_delivery_lag_seconds',
    'Age of the oldest event that waits for delivery; 0 if none waits',
    NODE,
    gauge => {
      const oldest = new Map<string, { readonly labels: Record<string, string>; readonly ageMs: number }>()
      for (const { pipeline, node, waiting, oldestMs } of lanes()) {
        const ageMs = waiting === 0 ? 0 : Math.max(0, clock.wallMs() - oldestMs)
        const key = `${pipeline} ${node}`
        if (ageMs >= (oldest.get(key)?.ageMs ?? 0)) oldest.set(key, { labels: { pipeline, node }, ageMs })
      }
      for (const { labels, ageMs } of oldest.values()) gauge.set(labels, ageMs / 1_000)
    },
  )
  const requests = counterOf(
    registry,
    'weir_delivery_requests_total',
    'Attempts to deliver events, by the status of the answer; none: there was no answer',
    ['status'],
  )
  const durations = histogramOf(
    registry,
    'weir_delivery_request_seconds',
    'Time of an attempt to deliver events, up to the complete answer',
    [],
    REQUEST_BUCKETS_S,
  )
  outbox.observeAttempts(({ answer, tookMs }) => {
    requests.inc({ status: answer.status === null ? 'none' : String(answer.status) })
    durations.observe({}, tookMs / 1_000)
  })
}
