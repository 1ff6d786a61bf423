import { secretHash } from '../entities.ts'
import { defineKind, type Kind } from '../kind.ts'

/** A service key of an enterprise, only for its older API. Key: ten hexadecimal digits. */
export interface EnterpriseKey {
  readonly enterprise: string
  /** 32 hexadecimal digits. */
  readonly key: string
  readonly name: string
  readonly createdAtMs: number
}

/**
 * Maximum number of keys, the same as the default limit of an account. Each key needs a person who is responsible for it.
 */
const MAX_ENTERPRISE_KEYS = 20

export const enterpriseKeys: Kind<EnterpriseKey> = defineKind('enterprise-key', {
  sealed: ['key'],
  unique: { hash: ({ key }) => secretHash(key) },
  rules: [
    ({ before, after }, view) => {
      if (before !== undefined || after === undefined) return undefined
      const held = view.list(enterpriseKeys).filter(({ value }) => value.enterprise === after.enterprise)
      if (held.length <= MAX_ENTERPRISE_KEYS) return undefined
      return { code: 'KEY_LIMIT', message: `an enterprise has at most ${MAX_ENTERPRISE_KEYS} service keys` }
    },
  ],
})
