const STATEFUL_TYPES = ['throttle', 'data-profiler'] as const

/** Type of nodes whose state the page shows. */
export type StatefulType = (typeof STATEFUL_TYPES)[number]

export function hasState(type: string): type is StatefulType {
  return STATEFUL_TYPES.some(each => each === type)
}
