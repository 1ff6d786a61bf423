/** Files of `npm test` that fail when the campaign's subject breaks; or a sentence that says why there are none. */
export type Cover = readonly string[] | string

/**
 * Cover of each file that only `npm run campaigns` runs. A name is a path or a pattern of paths. A new campaign gets a
 * row. To find out which files cover it, break its subject once and see which of them fail.
 */
export const COVERED_CAMPAIGNS: Readonly<Record<string, Cover>> = {
  'test/bench/installation/observed-weir.test.ts':
    'It shows that the measurements of the benchmarks are complete. No promise of the program depends on them.',
  'test/bench/run.test.ts':
    'It shows that the command of the benchmarks runs. No promise of the program depends on it.',
  'test/conformance/body-scan-campaign.test.ts': ['test/conformance/body-scan-fuzz.test.ts'],
  'test/conformance/drawn-queries.test.ts': ['engine/store/search/query-language.test.ts'],
  'test/conformance/line-codec-campaign.test.ts': ['test/conformance/line-codec-fuzz.test.ts'],
  'test/console/console-campaign.test.ts': [
    'test/console/short-visit.test.ts',
    'console/src/search/line-pages.test.ts',
    'console/src/tail/tail-rows.test.ts',
    'console/src/pipelines/graph/running-counts.test.ts',
  ],
  'test/counterparts/{alert-rules,chart}.test.ts': [
    'test/conformance/chart-values.test.ts',
    'test/conformance/operations-page.test.ts',
  ],
  'test/counterparts/{loki,object-stores,pubsub,remote-write,search}.test.ts': [
    'test/conformance/destination-contracts.test.ts',
  ],
  'test/faults/campaign.test.ts': ['test/faults/short-campaign.test.ts', 'test/faults/audit.test.ts'],
  'test/faults/cluster/cluster-campaign.test.ts': [
    'test/faults/audit.test.ts',
    'test/integration/small-cluster.test.ts',
  ],
  'test/faults/deliveries/delivery-campaign.test.ts': [
    'test/faults/deliveries/delivery-audit.test.ts',
    'test/integration/example-deliveries.test.ts',
  ],
  'test/faults/run.test.ts':
    'It shows that the command of the campaigns refuses wrong options. No promise of the program depends on it.',
  'test/integration/backup-order.test.ts': ['deploy/operator/backup-installation.test.ts'],
  'test/integration/backup.test.ts': [
    'deploy/operator/backup-installation.test.ts',
    'deploy/operator/restore-installation.test.ts',
    'deploy/data-directory.test.ts',
    'deploy/log-presence.test.ts',
    'test/runtime/verification.test.ts',
  ],
  'test/integration/clickhouse-server.test.ts': [
    'deploy/store-opening.test.ts',
    'engine/store/store-failure.test.ts',
    'engine/worker/retries.test.ts',
    'test/conformance/store-contract-http.test.ts',
    'test/conformance/store-kill.test.ts',
  ],
  'test/integration/damaged-log.test.ts': [
    'engine/log/segment-log.test.ts',
    'test/runtime/lost-log-tail.test.ts',
    'deploy/operator/verify-installation.test.ts',
    'deploy/cli/operator/verify.test.ts',
  ],
  'test/integration/damaged-store.test.ts': [
    'engine/store/damaged-parts.test.ts',
    'engine/store/store-failure.test.ts',
    'test/conformance/spare-parts.test.ts',
    'api/operations/operations-routes.test.ts',
  ],
  'test/integration/lost-end-mark.test.ts': [
    'engine/store/end-mark-table.test.ts',
    'engine/store/damaged-parts.test.ts',
    'engine/configuration/configuration-end.test.ts',
  ],
  'test/integration/lost-log-tail.test.ts': [
    'test/runtime/lost-log-tail.test.ts',
    'test/runtime/lost-shares.test.ts',
    'engine/log/guarded-topic.test.ts',
    'deploy/log-ends.test.ts',
    'deploy/operator/verify-installation.test.ts',
    'deploy/cli/operator/verify.test.ts',
  ],
  'test/integration/lost-outbox-tail.test.ts': [
    'engine/replay/lost-outbox-tail.test.ts',
    'api/operations/operations-routes.test.ts',
    'deploy/operator/verify-installation.test.ts',
  ],
  'test/integration/memory-shortage.test.ts': [
    'api/http/bodies/body-room.test.ts',
    'api/http/bodies/received-bodies.test.ts',
  ],
  'test/integration/misplaced-log.test.ts': ['engine/log/segment-owner.test.ts'],
  'test/integration/older-store.test.ts': ['test/runtime/older-store.test.ts'],
  'test/integration/private-folder.test.ts': ['deploy/data-directory.test.ts'],
  'test/integration/store-role.test.ts': [
    'deploy/store-role/store-role.test.ts',
    'deploy/store-role/store-server.test.ts',
    'engine/store/embedded-server/worker-pool.test.ts',
    'test/conformance/store-contract-http.test.ts',
    'test/conformance/store-kill.test.ts',
  ],
  'test/integration/tail.test.ts': ['test/runtime/live-tails.test.ts', 'api/tail/tail-routes.test.ts'],
  'test/integration/tap.test.ts': [
    'test/runtime/taps.test.ts',
    'test/runtime/followed-taps.test.ts',
    'engine/replay/taps/tap.test.ts',
    'api/pipeline/taps/tap-routes.test.ts',
  ],
  'test/lanes/guards.test.ts': ['test/lanes/lanes.test.ts'],
  'test/simulation/{guards,long-simulation}.test.ts': [
    'test/simulation/simulation.test.ts',
    'test/simulation/patches.test.ts',
  ],
  'test/simulation/simulate.test.ts':
    'It shows that the command of the simulation counts its seeds. No promise of the program depends on it.',
}
