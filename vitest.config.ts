import { defineConfig } from 'vitest/config'

/** They open the embedded ClickHouse engine in their own process, which has one data folder for as long as it lives. */
const WITH_ENGINE = [
  'api/auth/access-scope.test.ts',
  'api/pipeline/pipeline-error-routes.test.ts',
  'api/search/{export-routes,query-language}.test.ts',
  'api/usage/usage-routes.test.ts',
  'engine/store/{embedded-connection,line-block,word-index}.test.ts',
  'test/runtime/verification.test.ts',
]
/** What takes long and is seldom at stake: `npm run campaigns`. */
const CAMPAIGNS = [
  'test/conformance/installation-power-cut.test.ts',
  'test/faults/{campaign,cluster/cluster-campaign}.test.ts',
  'test/integration/{kafka-security,lost-configuration-cluster,publishing-cluster}.test.ts',
  'test/kafka/{lost-log-tail,silent-broker,topic-copies}.test.ts',
  'test/simulation/guards.test.ts',
  'test/support/kafka/kafka-support.test.ts',
]
const WITHOUT_ENGINE = ['{schemas,engine,api,deploy}/**/*.test.ts', 'test/runtime/**/*.test.ts']

export default defineConfig({
  test: {
    // The embedded engine is unsafe in a worker thread.
    pool: 'forks',
    // One more than the smallest machine has cores: the files of the cluster wait most of their time.
    maxWorkers: 3,
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
          exclude: ['test/runtime/!(verification).test.ts', ...CAMPAIGNS],
        },
      },
      { extends: true, test: { name: 'campaigns', include: CAMPAIGNS } },
    ],
  },
})
