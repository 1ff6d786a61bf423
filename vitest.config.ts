import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['{schemas,engine,api,deploy,test}/**/*.test.ts'],
    // The embedded ClickHouse engine is unsafe in a worker thread: every file runs in a process of its own.
    pool: 'forks',
    // Many files wait for sessions, slices and processes: one more than the machines of CI have cores.
    maxWorkers: 3,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
