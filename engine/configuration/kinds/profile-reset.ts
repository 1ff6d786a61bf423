import { defineKind } from '../kind.ts'

/** The last reset of a node's profile. Key: see `profileResetKey`. */
export interface ProfileReset {
  readonly account: string
  readonly pipeline: string
  readonly node: string
  readonly resetAtMs: number
}

export const profileResets = defineKind<ProfileReset>('profile-reset', {
  account: ({ account }) => account,
})

/** `<pipeline>/<node>`. */
export function profileResetKey(pipeline: string, node: string): string {
  return `${pipeline}/${node}`
}
