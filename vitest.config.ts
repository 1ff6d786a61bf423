import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { COMPILED } from './test/support/compiled-scripts.ts'

/** They open the embedded ClickHouse engine in their own process, which has one data folder for as long as it lives. */
const WITH_ENGINE = [
  'api/auth/access-scope.test.ts',
  'api/pipeline/pipeline-error-routes.test.ts',
  'api/search/{context,count,export,field,search}-routes.test.ts',
  'api/usage/{usage,usage-series}-routes.test.ts',
  'deploy/operator/verify-installation.test.ts',
  'deploy/store-role/store-role.test.ts',
  'engine/lines/native-block/line-block.test.ts',
  'engine/store/{damaged-parts,embedded-connection,end-mark-table,slow-readers,wide-lines,word-filters,word-index,search/query-language,search/slotted-lines,search/full-field-days,search/minute-counts}.test.ts',
  'test/runtime/verification.test.ts',
]
/** Builds the program for the files that start it. */
const BUILT = 'test/support/built-program.ts'
/** They look at the console in a browser: `npm run test:console`. In `npm test` short-visit.test.ts does. */
const CONSOLE = ['test/console/!(short-visit|bundle|scenarios|console-campaign).test.ts']
/** The short form shows in `npm test` that the log on Kafka keeps its contract. */
const KAFKA_LOG = 'test/kafka/kafka-log.test.ts'
/**
 * They need brokers, and most of them several processes: `npm run test:cluster`. In `npm test` small-cluster.test.ts does.
 * `test/support/covered-files.ts` names the files that cover each.
 */
export const CLUSTER: readonly string[] = [
  'test/integration/!(small)-cluster.test.ts',
  'test/integration/{cluster,kafka-*,replaced-engine,schema-registry}.test.ts',
  'test/kafka/!(kafka-log).test.ts',
  'test/support/kafka/{kafka-support,schema-registry}.test.ts',
]
/**
 * Tests that take long and seldom fail: `npm run campaigns`. In `npm test` other files cover what they guard:
 * `test/support/covered-files.ts` names them.
 */
export const CAMPAIGNS: readonly string[] = [
  'test/conformance/{body-scan-campaign,drawn-queries,line-codec-campaign}.test.ts',
  'test/console/console-campaign.test.ts',
  // They need programs that `npm run counterparts` makes in minutes.
  'test/counterparts/*.test.ts',
  'test/bench/{run,installation/observed-weir}.test.ts',
  'test/faults/{campaign,run,cluster/cluster-campaign,deliveries/delivery-campaign}.test.ts',
  'test/lanes/guards.test.ts',
  'test/simulation/{guards,long-simulation,simulate}.test.ts',
  // They start, stop, kill and damage the real program.
  'test/integration/{backup,backup-order,clickhouse-server,damaged-log,damaged-store,dead-letters,exempt-keys}.test.ts',
  'test/integration/{explanation,full-store,gateway-route,line-rules,lost-end-mark,lost-log-tail,lost-outbox-tail,memory-shortage}.test.ts',
  'test/integration/{misplaced-log,older-store,operation,outbound,preview,private-folder,quarantine}.test.ts',
  'test/integration/{retention,shipping,spread-explanation,spread-preview,stop,store-role}.test.ts',
  'test/integration/{tail,tap}.test.ts',
]
/** They have a short form, which `npm test` runs, and a long one in `npm run campaigns`: see `test/support/long-form.ts`. */
const LONG_CAMPAIGNS = [
  'test/integration/{command-line,example-deliveries,lost-configuration,throttled-pipeline,written-folders}.test.ts',
  'test/conformance/{every-endpoint,log-crash,pipeline-client,power-cut,store-contract-http,store-kill}.test.ts',
  'test/runtime/{random-worlds,spread-accounts,spread-explanation,spread-memory,spread-preview,spread-state}.test.ts',
  'test/simulation/spread-trial.test.ts',
  'test/conformance/{concurrent-bodies,installation-power-cut,log-power-loss,sql-injection}.test.ts',
  'api/search/search-routes.test.ts',
  'engine/store/search/{full-field-days,query-language}.test.ts',
  'test/faults/short-campaign.test.ts',
]
export const WITH_LONG_FORM: readonly string[] = [...LONG_CAMPAIGNS, KAFKA_LOG]
/** Files that take longest, the longest first: one that began last would leave a core idle. */
const LONGEST = [
  'test/simulation/guards.test.ts',
  'test/simulation/long-simulation.test.ts',
  'test/faults/campaign.test.ts',
  'test/faults/cluster/cluster-campaign.test.ts',
  'test/conformance/line-codec-campaign.test.ts',
  'test/conformance/drawn-queries.test.ts',
  'test/console/console-campaign.test.ts',
  'test/conformance/body-scan-campaign.test.ts',
  'test/integration/spread-cluster.test.ts',
  'test/integration/lost-log-tail.test.ts',
  'test/integration/backup.test.ts',
  'test/integration/clickhouse-server.test.ts',
  'test/integration/dead-letter-cluster.test.ts',
  'test/integration/lost-configuration.test.ts',
  'test/integration/operation.test.ts',
  'test/integration/written-folders.test.ts',
  'test/faults/short-campaign.test.ts',
  'test/integration/schema-registry.test.ts',
  'test/console/accessibility.test.ts',
  'test/console/pipelines.test.ts',
  'test/runtime/verification.test.ts',
  'engine/store/search/query-language.test.ts',
  'api/search/search-routes.test.ts',
  'test/integration/replaced-engine.test.ts',
  'test/conformance/store-contract.test.ts',
  'test/conformance/store-contract-http.test.ts',
  'test/conformance/store-kill.test.ts',
  'test/integration/small-cluster.test.ts',
]
/** They start neither a program nor an engine, and leave their process as it was. */
const LIGHT = [
  'test/bench/{figure,performance-page,processor-time,lines/shapes}.test.ts',
  'test/conformance/{architecture-page,audited-kinds,chart-values,compose-files,configuration-client,configuration-client-accounts,deciding-data,destination-contracts,fixed-behaviours,golden-log,imports}.test.ts',
  'test/conformance/{body-scan-fuzz,concurrent-bodies,line-codec,line-codec-fuzz,line-to-record,log-contract,log-power-loss}.test.ts',
  'test/conformance/{memory-store-search,node-contracts,node-declarations,node-forms,node-reference,odd-events}.test.ts',
  'test/conformance/{example-pipelines,guides,long-forms,operations-page,order-and-numbers,order-through-processors}.test.ts',
  'test/conformance/{pictures,pipeline-contract,processors,rooms,schemas}.test.ts',
  'test/conformance/{search-statements,search-ways,source-files,systemd-units,watching}.test.ts',
  'test/console/scenarios.test.ts',
  'test/faults/{audit,deliveries/delivery-audit}.test.ts',
  'test/lanes/lanes.test.ts',
  'test/simulation/{patches,simulation,spread-trial}.test.ts',
]
const WITHOUT_ENGINE = [
  '{schemas,engine,api,console,deploy}/**/*.test.ts',
  'test/runtime/**/*.test.ts',
  ...LIGHT,
]

/** Long files first, and the many small ones without an engine last, so that all workers end together. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted
      .map((file, place) => ({ file, rank: rankOf(file), place }))
      .sort((a, b) => a.rank - b.rank || a.place - b.place)
      .map(({ file }) => file)
  }
}

function rankOf({ moduleId, project }: TestSpecification): number {
  if (project.name === 'units') return LONGEST.length + 1
  const place = LONGEST.findIndex(path => moduleId.endsWith(`/${path}`))
  return place === -1 ? LONGEST.length : place
}

// Node keeps the compiled modules of the tests for the next file.
process.env.NODE_COMPILE_CACHE ??= COMPILED

const isShuffled = process.argv.some(argument => argument.startsWith('--sequence.shuffle'))

export default defineConfig({
  test: {
    globalSetup: 'test/support/test-run.ts',
    setupFiles: ['test/support/overwritten-pieces.ts', 'test/support/drawn-values.ts'],
    // The embedded engine is unsafe in a worker thread.
    pool: 'forks',
    // Node itself loads the modules: there is no build step, and calls between modules cost less than by Vite's runner.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // One more than the smallest machine has cores: the files of the cluster wait most of their time.
    maxWorkers: 3,
    sequence: isShuffled ? {} : { sequencer: LongestFirst },
    // A machine that does other work, too, is several times slower.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    // CI keeps messages alone, so they contain the compared values.
    chaiConfig: { truncateThreshold: 1_000 },
    projects: [
      {
        extends: true,
        test: {
          name: 'units',
          include: WITHOUT_ENGINE,
          exclude: WITH_ENGINE,
          // The modules are loaded once in each process, and not once for each file: a third of the time of all these.
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'whole',
          globalSetup: BUILT,
          include: [...WITH_ENGINE, 'test/**/*.test.ts'],
          exclude: ['test/runtime/!(verification).test.ts', ...LIGHT, ...CONSOLE, ...CLUSTER, ...CAMPAIGNS],
        },
      },
      {
        extends: true,
        test: { name: 'console', globalSetup: BUILT, include: CONSOLE },
      },
      {
        extends: true,
        test: {
          name: 'cluster',
          globalSetup: BUILT,
          include: [...CLUSTER, KAFKA_LOG],
          env: { WEIR_TEST_FORM: 'long' },
        },
      },
      {
        extends: true,
        test: {
          name: 'campaigns',
          globalSetup: BUILT,
          include: [...CAMPAIGNS, ...LONG_CAMPAIGNS],
          setupFiles: ['test/support/time-limit.ts'],
          env: { WEIR_TEST_FORM: 'long' },
          // Some of them take more than a minute while the machine does other work.
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
    ],
  },
})
