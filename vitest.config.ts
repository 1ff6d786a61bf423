import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['{schemas,engine,api,deploy,test}/**/*.test.ts'],
    // The embedded ClickHouse engine is unsafe in a worker thread: every file runs in a process of its own.
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
