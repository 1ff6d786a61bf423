import type { Processor } from './define-processor.ts'
import { dropFields } from './drop-fields.ts'
import { filter } from './filter.ts'
import { route } from './route.ts'
import { throttle } from './throttle.ts'

/** Every processor of this program: adding one is a file and a line here. */
export const PROCESSORS: readonly Processor[] = [dropFields, filter, route, throttle]

const BY_TYPE = new Map(
  PROCESSORS.flatMap(processor =>
    [processor.type, ...(processor.aliases ?? [])].map(type => [type, processor] as const),
  ),
)

/** @param type wire id or alias */
export function processorOf(type: string): Processor | undefined {
  return BY_TYPE.get(type)
}
