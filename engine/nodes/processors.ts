import type { Processor, ProcessorDeclaration } from './contract/define-processor.ts'
import { byWireId } from './contract/node-declaration.ts'
import { aggregate } from './processors/aggregate.ts'
import { compactFields } from './processors/compact-fields.ts'
import { dataProfiler } from './processors/data-profiler.ts'
import { decryptFields } from './processors/decrypt-fields.ts'
import { dedupe } from './processors/dedupe.ts'
import { dropFields } from './processors/drop-fields.ts'
import { encryptFields } from './processors/encrypt-fields.ts'
import { eventToMetric } from './processors/event-to-metric.ts'
import { filter } from './processors/filter.ts'
import { flattenFields } from './processors/flatten-fields.ts'
import { jsScript } from './processors/js-script.ts'
import { mapFields } from './processors/map-fields.ts'
import { metricsTagCardinalityLimit } from './processors/metrics-tag-cardinality-limit.ts'
import { parse } from './processors/parse.ts'
import { parseSequentially } from './processors/parse-sequentially.ts'
import { redact } from './processors/redact.ts'
import { reduce } from './processors/reduce/reduce.ts'
import { route } from './processors/route.ts'
import { sample } from './processors/sample.ts'
import { setTimestamp } from './processors/set-timestamp/set-timestamp.ts'
import { stringify } from './processors/stringify.ts'
import { throttle } from './processors/throttle/throttle.ts'
import { traceSampling } from './processors/trace-sampling.ts'
import { unroll } from './processors/unroll.ts'

/** Every processor that this program runs: adding one is a file and a line here. */
export const PROCESSORS: readonly Processor[] = [dropFields, filter, reduce, route, setTimestamp, throttle]

/** Those of the contract that it does not run yet. */
const NOT_BUILT: readonly ProcessorDeclaration[] = [
  aggregate,
  compactFields,
  dataProfiler,
  decryptFields,
  dedupe,
  encryptFields,
  eventToMetric,
  flattenFields,
  jsScript,
  mapFields,
  metricsTagCardinalityLimit,
  parse,
  parseSequentially,
  redact,
  sample,
  stringify,
  traceSampling,
  unroll,
]

export const DECLARED_PROCESSORS: readonly ProcessorDeclaration[] = [...PROCESSORS, ...NOT_BUILT]

const BY_TYPE = byWireId(PROCESSORS)
const DECLARED_BY_TYPE = byWireId(DECLARED_PROCESSORS)

/** @param type wire id or alias */
export function processorOf(type: string): Processor | undefined {
  return BY_TYPE.get(type)
}

/** The same, also of those that this program does not run. */
export function declaredProcessorOf(type: string): ProcessorDeclaration | undefined {
  return DECLARED_BY_TYPE.get(type)
}
