import type { Benchmark } from './benchmark.ts'

/** Benchmarks in the order in which they run. */
const BENCHMARKS: Readonly<Record<string, () => Promise<Benchmark>>> = {
  ingest: () => import('./ingest.ts'),
  stages: () => import('./stages.ts'),
  engine: () => import('./engine.ts'),
  'keyed-throttle': () => import('./keyed-throttle.ts'),
  preview: () => import('./preview.ts'),
  'throttle-state': () => import('./throttle-state.ts'),
  'own-store': () => import('./own-store.ts'),
  'log-append': () => import('./log-append.ts'),
  'store-insert': () => import('./store-insert.ts'),
  'end-to-end': () => import('./end-to-end.ts'),
  shapes: () => import('./shapes.ts'),
  push: () => import('./push.ts'),
  delivery: () => import('./delivery.ts'),
  recovery: () => import('./recovery.ts'),
  scaling: () => import('./scaling.ts'),
  kafka: () => import('./kafka.ts'),
  publishing: () => import('./publishing.ts'),
  search: () => import('./search.ts'),
  memory: () => import('./memory.ts'),
  tail: () => import('./tail.ts'),
  console: () => import('./console.ts'),
  outbound: () => import('./outbound.ts'),
  expressions: () => import('./expressions.ts'),
  scripts: () => import('./scripts.ts'),
  processors: () => import('./processors.ts'),
  'processor-state': () => import('./processor-state.ts'),
}

export const BENCHMARK_NAMES: readonly string[] = Object.keys(BENCHMARKS)

/** Loads a benchmark on demand: imports of one must not weigh on another. */
export function benchmarkOf(name: string): Promise<Benchmark> {
  return (BENCHMARKS[name] as () => Promise<Benchmark>)()
}
