import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['{schemas,engine,api,deploy,test}/**/*.test.ts'],
    // The embedded ClickHouse engine is unsafe in a worker thread: every file runs in a process of its own.
    pool: 'forks',
    // One more than the smallest machine has cores: the files of the cluster wait most of their time.
    maxWorkers: 3,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
