/**
 * Files of `npm test` that fail when the subject of another file breaks, as paths or patterns of paths; or a sentence that
 * says why there are none.
 */
export type Cover = readonly string[] | string

/**
 * Cover of each file that only `npm run campaigns` or `npm run test:cluster` runs. Names of rows are paths or patterns,
 * too. A new campaign, and a new file that needs brokers, gets a row. To find out which files cover it, break its subject
 * once, and see which of them fail.
 */
export const COVERED_FILES: Readonly<Record<string, Cover>> = {
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
  'test/counterparts/alert-rules.test.ts': ['test/conformance/watching.test.ts'],
  'test/counterparts/chart.test.ts': ['test/conformance/chart-values.test.ts'],
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
    'test/lanes/lanes.test.ts',
  ],
  'test/faults/run.test.ts':
    'It shows that the command of the campaigns refuses wrong options. No promise of the program depends on it.',
  'test/integration/access-tokens-cluster.test.ts': [
    'test/integration/small-cluster.test.ts', // the ingesting process knows a token until it is revoked
    'api/tokens/token-routes.test.ts', // a revocation by another process
    'engine/configuration/configuration-log.test.ts', // another process sees a change
    'engine/configuration/history.test.ts', // every process reports the changes
    'deploy/cli/token.test.ts', // the command
  ],
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
  'test/integration/cluster.test.ts': [
    'engine/configuration/configuration-log.test.ts', // writers of two processes; a writer reads its own change
    'engine/log/kafka/{assign-partitions,member-data}.test.ts', // partitions of engines that join and leave
    'engine/worker/partition-ownership.test.ts', // an engine that was replaced stores nothing more
    'api/ingest/recent-answers.test.ts', // an attempt that another process has answered
    'test/integration/small-cluster.test.ts', // a key at several processes
    'test/simulation/simulation.test.ts', // a throttle passes its limit through kills
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
  'test/integration/dead-letter-cluster.test.ts': [
    'test/runtime/dead-letters.test.ts', // one letter each, and one replay, through kills
    'engine/fold/dead-letters/dead-letter-exchange.test.ts', // letters and their replay in each partition
    'api/pipeline/dead-letters/dead-letter-routes.test.ts', // the list of all partitions, and replays at the same time
  ],
  'test/integration/dead-letters.test.ts': [
    'test/runtime/dead-letters.test.ts', // a failed event is one letter and replayed once, despite kills and repeats
    'engine/fold/dead-letters/{dead-letter-exchange,dead-letter-memory}.test.ts', // replays run in the present revision, once, also after a restart
    'api/pipeline/dead-letters/dead-letter-routes.test.ts', // pages have every letter; a replay waits and counts
    'api/answers-in-effect.test.ts', // what fails after the answer to the settings is kept
    'test/integration/deliveries.test.ts', // the program keeps letters and replays them
  ],
  'test/integration/exempt-keys-cluster.test.ts': [
    'test/integration/small-cluster.test.ts', // a process without an engine exempts a key, and reports counts of the others
    'test/runtime/exemptions.test.ts', // an exemption holds on every partition of a spread account
  ],
  'test/integration/exempt-keys.test.ts': [
    'test/runtime/exemptions.test.ts', // exempt events pass uncounted, through kills and publications, until their end
    'engine/fold/cuts/exemption.test.ts', // an exemption is in a restored fold
    'engine/fold/rules/account-exemptions.test.ts', // it holds for its pipeline, node and key alone
    'api/pipeline/throttle/throttle-routes.test.ts', // buckets and exemptions that are shown
    'api/answers-in-effect.test.ts', // the answer comes once the next line meets it
    'test/integration/throttled-pipeline.test.ts', // the limit of the program, through a kill and a publication
  ],
  'test/integration/explanation.test.ts': [
    'test/runtime/explanation.test.ts', // ways, reasons, revisions and windows
    'test/runtime/spread-explanation.test.ts', // ids lead back to their line; query, limit and missing
    'api/pipeline/explain/explanation-routes.test.ts', // batches, absent lines, other accounts, wrong requests
    'api/pipeline/explain/lines-as-sent.test.ts', // lines that a query finds
  ],
  'test/integration/full-store.test.ts': [
    'test/conformance/failed-writes.test.ts', // writes that the disk refuses are noticed, of inserts and of merges
    'engine/store/failed-writes/{part-files,definition-room}.test.ts', // whole parts, and space for definitions
    'engine/store/store-failure.test.ts', // a full disk refuses a block, which is inserted again
    'engine/worker/retries.test.ts', // repetitions until the store takes it
    'test/faults/short-campaign.test.ts', // acknowledged lines are there once, after kills
  ],
  'test/integration/gateway-route.test.ts': [
    'api/ingest/push-routes.test.ts', // keys, pauses, acknowledgement, metadata, codings
    'test/runtime/gateway-routes.test.ts', // every reader gets each event once, also after a restart
    'engine/fold/dead-letters/dead-letter.test.ts', // letters of a route come back with their entrance
    'api/pipeline/explain/lines-as-sent.test.ts', // events that a query finds
  ],
  'test/integration/kafka-destination.test.ts': [
    'test/conformance/node-contracts.test.ts', // records, keys, and the judgement of answers
    'engine/delivery/destinations/{destination-remote,transports}.test.ts', // records are sent, and outcomes explained
    'deploy/outbound/{kafka-producers,lz4-frame}.test.ts', // connections of accounts, and a compression
    'deploy/outbound/{installation-outbound,tcp-outbound}.test.ts', // addresses that are denied
    'engine/log/kafka/protocol/*.test.ts', // bytes of requests, and errors of single partitions
  ],
  'test/integration/kafka-security.test.ts': [
    'deploy/cluster/kafka-links.test.ts', // login, authority, and the remedy for each refusal
    'deploy/settings/settings.test.ts', // settings that cannot be used
  ],
  'test/integration/line-rules.test.ts': [
    'test/runtime/line-rules.test.ts', // exclusions, pools and quotas, counted and explained, through kills
    'engine/fold/cuts/{line-rules,quota}.test.ts', // which lines a cut concerns
    'engine/worker/quota-watch.test.ts', // when a quota acts, and ends
    'api/line-rules/line-rule-routes.test.ts', // quotas are applied at once
    'api/answers-in-effect.test.ts', // the next line meets a rule
    'deploy/installation.test.ts', // the program compares what is stored with the quotas
  ],
  'test/integration/lost-configuration-cluster.test.ts': [
    'engine/configuration/configuration-end.test.ts', // a lost end is recognised and accepted, also once the store answers
    'test/integration/lost-configuration.test.ts', // the program refuses the start, and names the command
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
  'test/integration/misplaced-log.test.ts': [
    'engine/log/segment-owner.test.ts',
    'engine/log/segment-log.test.ts', // a verification does not cut a torn end
  ],
  'test/integration/older-store.test.ts': ['test/runtime/older-store.test.ts'],
  'test/integration/operation.test.ts': [
    'test/conformance/log-contract.test.ts', // a full log, also after a restart
    'api/ingest/ingest-routes.test.ts', // its answer: 503 with retry-after
    'deploy/installation.test.ts', // another or no secret key, other partitions, a missing or empty store
    'deploy/data-directory.test.ts', // a folder of a newer program
    'deploy/servers.test.ts', // addresses for ingestion and metrics alone, a port that is taken
    'deploy/{tls,settings/settings}.test.ts', // certificates and settings that cannot be used
    'deploy/bin/weir.test.ts', // code and sentences of a start with such settings, and .env
    'test/integration/command-line.test.ts', // the output of a start contains no credential
  ],
  'test/integration/outbound.test.ts': [
    'deploy/servers.test.ts', // an installation does not connect to its own ports
    'deploy/outbound/installation-outbound.test.ts', // the rules for addresses
    'api/streams/stream-routes.test.ts', // a stream is tried, and the answer reveals nothing else
  ],
  'test/integration/preview.test.ts': [
    'test/runtime/preview.test.ts', // both sides run on the same lines; differences
    'engine/replay/preview/preview-replay.test.ts', // the period, and the revisions in force
    'api/pipeline/previews/preview-outcome.test.ts', // counts of both sides
    'api/pipeline/previews/preview-routes.test.ts', // runs on the kept lines, and saves nothing
    'api/pipeline/previews/previews.test.ts', // is shown and cancelled under its pipeline and for its account alone
  ],
  'test/integration/private-folder.test.ts': ['deploy/data-directory.test.ts'],
  'test/integration/publishing-cluster.test.ts': ['test/integration/small-cluster.test.ts'],
  'test/integration/quarantine-cluster.test.ts': [
    'engine/worker/record-quarantine.test.ts', // a worker passes the record; the command is safe beside workers
    'deploy/watchdog/fold-watchdog.test.ts', // a process that stands ends, and names the command
    'deploy/operator/quarantine-installation.test.ts', // the command of an installation
    'engine/log/kafka/assign-partitions.test.ts', // another engine gets the partition
  ],
  'test/integration/quarantine.test.ts': [
    'engine/worker/record-quarantine.test.ts', // a record fails at its node in every fold; a passed one is refused
    'engine/graph/quarantined.test.ts', // which events fail
    'deploy/operator/quarantine-installation.test.ts', // the topic of the record, the marked end
    'deploy/installation.test.ts', // records are read with their quarantine
    'deploy/watchdog/fold-watchdog.test.ts', // a process that stands ends, and names the command
    'test/integration/command-line.test.ts', // the watchdog runs in the program
    'deploy/cli/operator/quarantine.test.ts', // the command and the list
    'api/system/system-routes.test.ts', // the list of the API
  ],
  'test/integration/replaced-engine.test.ts': [
    'test/conformance/store-contract.test.ts', // an insert of an older owner stores nothing
    'engine/worker/partition-ownership.test.ts', // a newer owner; an insert of unknown outcome
    'test/conformance/store-kill.test.ts', // an insert over HTTP is settled
    'test/simulation/simulation.test.ts', // both guards, through drawn faults
  ],
  'test/integration/retention.test.ts': [
    'deploy/given-retention.test.ts', // the first start decides, and later ones say so
    'test/runtime/line-rules.test.ts', // days and pool of a line by a rule
    'engine/lines/scan/timestamp.test.ts', // a line keeps its own time within bounds
    'engine/configuration/retention-history.test.ts', // the retention that a verification assumes
    'api/line-rules/retention-routes.test.ts', // clients that know 90 days
    'deploy/cli/retention.test.ts', // the command
    'engine/fold/cuts/account.test.ts', // the next line has the retention of the cut
    'api/answers-in-effect.test.ts', // a change is answered once partitions have its cut
  ],
  'test/integration/schema-registry.test.ts': [
    'schemas/log/registry-ids.test.ts', // ids of a registry in records, and schemas of other versions
    'engine/log/registry-log.test.ts', // ids on the log; a registry that is away
    'deploy/settings/settings.test.ts', // settings that cannot be used
  ],
  'test/integration/shipping.test.ts': [
    'test/faults/short-campaign.test.ts', // acknowledged lines are there once, after kills
    'test/integration/command-line.test.ts', // order, and bytes of usage
    'deploy/cli/ship/delivery.test.ts', // a batch that is sent again is stored once
    'deploy/data-directory.test.ts', // one process per folder
    'engine/fold/repeats.test.ts', // keys in a checkpoint
    'api/ingest/recent-answers.test.ts', // repeats, other bodies, passed numbers
    'deploy/installation.test.ts', // keys are judged by the log after a start
  ],
  'test/integration/spread-cluster.test.ts': [
    'test/runtime/spread-accounts.test.ts', // each key passes its limit while the account is spread and gathered
    'test/runtime/first-spread.test.ts', // engines of older programs, and new partitions
    'test/simulation/spread-trial.test.ts', // the same through drawn faults
    'engine/fold/spread/*.test.ts', // the parts of the exchange
  ],
  'test/integration/spread-explanation.test.ts': [
    'test/runtime/spread-explanation.test.ts', // lines are explained through all partitions, from either end
    'deploy/cli/explain.test.ts', // the command
    'deploy/installation.test.ts', // the program spreads an account
  ],
  'test/integration/spread-preview.test.ts': [
    'test/runtime/spread-preview.test.ts', // exact counts over all partitions
    'api/pipeline/previews/preview-routes.test.ts', // all partitions take part, also once the account is gathered
    'api/pipeline/previews/preview-outcome.test.ts', // the assumption, and lines under way
    'deploy/installation.test.ts', // the program spreads an account
  ],
  'test/integration/stop.test.ts': [
    'api/http/open-connections.test.ts', // silent connections and half requests do not delay a stop
    'deploy/graceful-stop.test.ts', // a stop that takes too long
    'deploy/{hang-up,tls}.test.ts', // what is read again
    'deploy/bin/weir.test.ts', // the program ends with its launcher
    'test/integration/command-line.test.ts', // the program goes on after a hang-up, and stops with 0
  ],
  'test/integration/store-role.test.ts': [
    'deploy/store-role/store-role.test.ts',
    'deploy/store-role/store-server.test.ts',
    'engine/store/embedded-server/worker-pool.test.ts',
    'test/conformance/store-contract-http.test.ts',
    'test/conformance/store-kill.test.ts',
  ],
  'test/integration/tail-cluster.test.ts': [
    'test/integration/small-cluster.test.ts', // lines are shown while the engines are paused
    'test/runtime/live-tails.test.ts', // rows equal the stored ones; an account that is spread meanwhile
  ],
  'test/integration/tail.test.ts': ['test/runtime/live-tails.test.ts', 'api/tail/tail-routes.test.ts'],
  'test/integration/tap-cluster.test.ts': [
    'test/integration/small-cluster.test.ts', // a process without an engine shows events
    'test/runtime/followed-taps.test.ts', // publications, lost records, and a log that is away
  ],
  'test/integration/tap.test.ts': [
    'test/runtime/taps.test.ts',
    'test/runtime/followed-taps.test.ts',
    'engine/replay/taps/tap.test.ts',
    'api/pipeline/taps/tap-routes.test.ts',
  ],
  'test/kafka/api-without-store.test.ts': ['deploy/store-opening.test.ts'],
  'test/kafka/given-service-keys.test.ts': ['deploy/given-service-keys.test.ts'],
  'test/kafka/kafka-group.test.ts': [
    'engine/log/kafka/{assign-partitions,member-data}.test.ts', // shares of members, and the behaviour in force
    'test/integration/small-cluster.test.ts', // two engines share the partitions
  ],
  'test/kafka/lost-log-tail.test.ts': [
    'test/runtime/lost-log-tail.test.ts', // both topics; an accepted loss, and requests under way
    'engine/log/guarded-topic.test.ts', // a partition that lacks its end accepts nothing
  ],
  'test/kafka/renewed-topic.test.ts': [
    'engine/log/guarded-topic.test.ts', // an end that steps back, below the received offsets or the marks
    'test/runtime/lost-log-tail.test.ts', // new lines follow the lost records
    'engine/configuration/configuration-log.test.ts', // a change is refused with a sentence
  ],
  'test/kafka/silent-broker.test.ts':
    'It shows mended faults of the client library, which only the library itself with brokers and open connections has.',
  'test/kafka/topic-copies.test.ts': ['engine/log/kafka/wanted-copies.test.ts'],
  'test/lanes/guards.test.ts': [
    'test/lanes/lanes.test.ts',
    'engine/delivery/fold/{delivery-fold,lane,lane-cursor}.test.ts', // guards that need more worlds than lanes.test.ts has
    'engine/worker/outbox/{lane-checkpoints,outbox-worker}.test.ts', // the same
  ],
  'test/support/kafka/{kafka-support,schema-registry}.test.ts':
    'They show that the brokers and the registry of other tests work. No promise of the program depends on them.',
  'test/simulation/simulate.test.ts':
    'It shows that the command of the simulation counts its seeds. No promise of the program depends on it.',
  'test/simulation/{guards,long-simulation}.test.ts': [
    'test/simulation/simulation.test.ts',
    'test/simulation/patches.test.ts',
    'engine/worker/partition-{start,worker,ownership}.test.ts', // guards that need more worlds than simulation.test.ts has
  ],
}
