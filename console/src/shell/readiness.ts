import { useQuery } from '@tanstack/react-query'

const POLL_MS = 10_000
const POLL_TROUBLE_MS = 2_000

/** State of the server, in its own words. */
export interface Readiness {
  readonly isReachable: boolean
  readonly reasons: readonly string[]
}

export const READINESS_KEY = ['readiness']

async function readiness(): Promise<Readiness> {
  try {
    const answer = await fetch('/readyz')
    const { reasons = [] } = (await answer.json()) as { reasons?: readonly string[] }
    return { isReachable: true, reasons }
  } catch {
    return { isReachable: false, reasons: [] }
  }
}

/** @returns undefined before the first answer */
export function useReadiness(): Readiness | undefined {
  const { data } = useQuery({
    queryKey: READINESS_KEY,
    queryFn: readiness,
    // Hidden tabs do not ask.
    refetchInterval: ({ state }) =>
      state.data === undefined || isWell(state.data) ? POLL_MS : POLL_TROUBLE_MS,
  })
  return data
}

export function isWell({ isReachable, reasons }: Readiness): boolean {
  return isReachable && reasons.length === 0
}
