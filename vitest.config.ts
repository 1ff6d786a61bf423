import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** They open the embedded ClickHouse engine in their own process, which has one data folder for as long as it lives. */
const WITH_ENGINE = [
  'api/auth/access-scope.test.ts',
  'api/pipeline/pipeline-error-routes.test.ts',
  'api/search/{context,count,export,field,search}-routes.test.ts',
  'api/usage/usage-routes.test.ts',
  'engine/lines/native-block/line-block.test.ts',
  'engine/store/{embedded-connection,slow-readers,word-filters,word-index,search/query-language,search/slotted-lines,search/full-field-days,search/minute-counts}.test.ts',
  'test/runtime/verification.test.ts',
]
/** Tests that take long and seldom fail: `npm run campaigns`. */
const CAMPAIGNS = [
  // Their short forms share the cluster of small-cluster.test.ts.
  'test/integration/{access-tokens-cluster,exempt-keys-cluster,tail-cluster,tap-cluster}.test.ts',
  'test/conformance/{body-scan-campaign,drawn-queries,line-codec-campaign}.test.ts',
  'test/faults/{campaign,cluster/cluster-campaign}.test.ts',
  'test/integration/{kafka-security,lost-configuration-cluster,publishing-cluster}.test.ts',
  'test/kafka/{lost-log-tail,renewed-topic,silent-broker}.test.ts',
  'test/simulation/{guards,long-simulation}.test.ts',
  'test/support/kafka/kafka-support.test.ts',
]
/** They have a short form, which `npm test` runs, and a long one in `npm run campaigns`: see `test/support/long-form.ts`. */
const WITH_LONG_FORM = [
  'test/integration/{backup,clickhouse-server,cluster,damaged-store,dead-letter-cluster,dead-letters}.test.ts',
  'test/integration/{command-line,gateway-route,replaced-engine,throttled-pipeline}.test.ts',
  'test/integration/{lost-configuration,lost-log-tail,misplaced-log,older-store,operation}.test.ts',
  'test/integration/{schema-registry,shipping,spread-cluster,written-folders}.test.ts',
  'test/conformance/{every-endpoint,log-crash,pipeline-client,power-cut,store-contract-http,store-kill}.test.ts',
  'test/runtime/{random-worlds,spread-accounts,spread-explanation,spread-preview}.test.ts',
  'test/conformance/{installation-power-cut,sql-injection}.test.ts',
  'engine/store/search/query-language.test.ts',
  'test/{faults/run,faults/short-campaign,kafka/kafka-log,kafka/topic-copies}.test.ts',
]
/** Files that take longest, the longest first: one that began last would leave a core idle. */
const LONGEST = [
  'test/integration/spread-cluster.test.ts',
  'test/integration/lost-log-tail.test.ts',
  'test/integration/backup.test.ts',
  'test/integration/clickhouse-server.test.ts',
  'test/integration/dead-letter-cluster.test.ts',
  'test/integration/lost-configuration.test.ts',
  'test/integration/operation.test.ts',
  'engine/store/search/query-language.test.ts',
  'test/runtime/verification.test.ts',
  'test/integration/replaced-engine.test.ts',
  'test/conformance/store-contract-http.test.ts',
  'test/conformance/store-kill.test.ts',
  'test/integration/small-cluster.test.ts',
  'test/conformance/store-contract.test.ts',
]
/** They start neither a program nor an engine, and leave their process as it was. */
const LIGHT = [
  'test/bench/{figure,performance-page,lines/shapes}.test.ts',
  'test/conformance/{architecture-page,configuration-client,configuration-client-accounts,fixed-behaviours,golden-log,imports}.test.ts',
  'test/conformance/{body-scan-fuzz,line-codec,line-codec-fuzz,line-to-record,log-contract,log-power-loss}.test.ts',
  'test/conformance/{memory-store-search,node-contracts,node-declarations,node-reference}.test.ts',
  'test/conformance/{operations-page,order-and-numbers,order-through-processors}.test.ts',
  'test/conformance/{pipeline-contract,processors,rooms,schemas}.test.ts',
  'test/conformance/{search-statements,search-ways,source-files}.test.ts',
  'test/faults/audit.test.ts',
  'test/simulation/simulation.test.ts',
]
const WITHOUT_ENGINE = ['{schemas,engine,api,deploy}/**/*.test.ts', 'test/runtime/**/*.test.ts', ...LIGHT]

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

const isShuffled = process.argv.some(argument => argument.startsWith('--sequence.shuffle'))

export default defineConfig({
  test: {
    globalSetup: 'test/support/test-run.ts',
    setupFiles: ['test/support/overwritten-pieces.ts', 'test/support/drawn-values.ts'],
    // The embedded engine is unsafe in a worker thread.
    pool: 'forks',
    // One more than the smallest machine has cores: the files of the cluster wait most of their time.
    maxWorkers: 3,
    sequence: isShuffled ? {} : { sequencer: LongestFirst },
    testTimeout: 60_000,
    hookTimeout: 60_000,
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
          include: [...WITH_ENGINE, 'test/**/*.test.ts'],
          exclude: ['test/runtime/!(verification).test.ts', ...LIGHT, ...CAMPAIGNS],
        },
      },
      {
        extends: true,
        test: {
          name: 'campaigns',
          include: [...CAMPAIGNS, ...WITH_LONG_FORM],
          env: { WEIR_TEST_FORM: 'long' },
        },
      },
    ],
  },
})
