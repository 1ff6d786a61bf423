import { byWireId } from '../graph/node-declaration.ts'
import { aggregate } from './aggregate.ts'
import { compactFields } from './compact-fields.ts'
import { dataProfiler } from './data-profiler.ts'
import { decryptFields } from './decrypt-fields.ts'
import { dedupe } from './dedupe.ts'
import type { Processor, ProcessorDeclaration } from './define-processor.ts'
import { dropFields } from './drop-fields.ts'
import { encryptFields } from './encrypt-fields.ts'
import { eventToMetric } from './event-to-metric.ts'
import { filter } from './filter.ts'
import { flattenFields } from './flatten-fields.ts'
import { jsScript } from './js-script.ts'
import { mapFields } from './map-fields.ts'
import { metricsTagCardinalityLimit } from './metrics-tag-cardinality-limit.ts'
import { parse } from './parse.ts'
import { parseSequentially } from './parse-sequentially.ts'
import { redact } from './redact.ts'
import { reduce } from './reduce.ts'
import { route } from './route.ts'
import { sample } from './sample.ts'
import { setTimestamp } from './set-timestamp.ts'
import { stringify } from './stringify.ts'
import { throttle } from './throttle.ts'
import { traceSampling } from './trace-sampling.ts'
import { unroll } from './unroll.ts'

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
