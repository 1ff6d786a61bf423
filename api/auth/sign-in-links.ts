import { isIPv4 } from 'node:net'
import type { FastifyRequest } from 'fastify'
import type { Clock } from '../../engine/clock/clock.ts'
import type { Entropy } from '../../engine/entropy/entropy.ts'
import { MINUTE_MS } from '../../engine/times/duration.ts'

const LIFETIME_MS = 10 * MINUTE_MS
const CODE_BYTES = 24
/** Older links end when there are more: each start and each `weir console` makes one. */
const MOST = 16

/** Headers of proxies: behind one, the peer is not the user. */
const FORWARDING =
  /^(?:via|forwarded|x-forwarded(?:-.*)?|x-original-.*|x-real-ip|x-client-ip|client-ip|true-client-ip|cf-.*|x-envoy-.*)$/
/** A host with an optional port, and nothing else that an address may have. */
const HOST = /^(?:\[[\d:a-f.]+\]|[\w.-]+)(?::\d+)?$/i

export interface SignInLinksPorts {
  readonly clock: Pick<Clock, 'monotonicMs'>
  readonly entropy: Pick<Entropy, 'bytes'>
  /** Returns the access token of the local user. */
  readonly token: () => string
}

/**
 * One-time codes for links that sign the local user in to the console. They are kept in memory alone; each works once,
 * and for ten minutes.
 */
export class SignInLinks {
  readonly #ports: SignInLinksPorts
  readonly #codes = new Map<string, { readonly endMs: number; readonly token: string | undefined }>()

  constructor(ports: SignInLinksPorts) {
    this.#ports = ports
  }

  /**
   * @param apiUrl address of the API, without a slash at its end
   * @param token access token that the session holds; default: that of the local user
   */
  create(apiUrl: string, token?: string): string {
    const { clock, entropy } = this.#ports
    const code = entropy.bytes(CODE_BYTES).toString('base64url')
    this.#codes.set(code, { endMs: clock.monotonicMs() + LIFETIME_MS, token })
    for (const oldest of this.#codes.keys()) {
      if (this.#codes.size <= MOST) break
      this.#codes.delete(oldest)
    }
    // Browsers do not send the fragment: it is in no log.
    return `${apiUrl}/console/sign-in#code=${code}`
  }

  /** @returns the access token; undefined if the code is unknown, was used, or is too old */
  take(code: string): string | undefined {
    const found = this.#codes.get(code)
    this.#codes.delete(code)
    if (found === undefined || this.#ports.clock.monotonicMs() >= found.endMs) return undefined
    return found.token ?? this.#ports.token()
  }
}

/** Whether a request comes from this machine, without a proxy, and names this machine as its host. */
export function isFromThisMachine({ headers, raw }: FastifyRequest): boolean {
  const { host } = headers
  if (host === undefined || !HOST.test(host) || !URL.canParse(`http://${host}`)) return false
  const isForwarded = Object.keys(headers).some(name => FORWARDING.test(name))
  return (
    !isForwarded &&
    isLoopback(new URL(`http://${host}`).hostname) &&
    isLoopback(raw.socket.remoteAddress ?? '')
  )
}

/** @param name host of an address, or the address of a peer */
export function isLoopback(name: string): boolean {
  const plain = name.replace(/^\[|\]$/g, '').replace(/^::ffff:/i, '')
  return plain === 'localhost' || plain === '::1' || (isIPv4(plain) && plain.startsWith('127.'))
}
