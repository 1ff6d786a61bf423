import { accountInAddress } from '../api/delegation.ts'
import { Problem } from '../api/problem.ts'
import { elementTexts, type LineText, lineText } from '../api/records.ts'
import { send } from '../api/request.ts'
import { LISTS, type Selection } from '../api/searches.ts'

/** Conditions of a tail. */
export type TailConditions = Pick<Selection, 'query' | (typeof LISTS)[number]>

/** Lines that a tail left out. */
export interface TailGap {
  readonly dropped: number
  readonly not_filtered?: number
  readonly thinned?: number
}

export type TailState =
  | { readonly kind: 'connecting' | 'open' }
  /** The connection was lost; it is tried again. */
  | { readonly kind: 'lost'; readonly sinceMs: number }
  /** The server refuses the tail as it is. */
  | { readonly kind: 'refused'; readonly problem: Problem }

export interface TailListener {
  readonly onState: (state: TailState) => void
  readonly onLines: (lines: readonly LineText[]) => void
  readonly onGap: (gap: TailGap) => void
  /** Called when the tail is back. @param isWhole false if the log no longer has the last line, so some may be missing */
  readonly onBack: (lostMs: number, isWhole: boolean) => void
}

/** More lines a second are thinned: nobody reads them, and the page stays quick. */
const MAX_PER_S = 10_000
const WAITS_MS = [300, 1_000, 2_000, 5_000]
/** Failures behind a known line after which the tail begins anew. */
const MOST_FAILURES = 3

/** Opens a tail that connects again by itself, behind the last line that it received. */
export class TailSocket {
  readonly #conditions: TailConditions
  readonly #listener: TailListener
  #socket: WebSocket | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #isClosed = false
  #lastId: string | undefined
  #lostMs: number | undefined
  #failures = 0
  #isWhole = true

  constructor(conditions: TailConditions, listener: TailListener) {
    this.#conditions = conditions
    this.#listener = listener
    listener.onState({ kind: 'connecting' })
    this.#connect()
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
    this.#socket?.close()
  }

  #connect(): void {
    if (this.#isClosed) return
    const socket = new WebSocket(`/ws/tail?${this.#parameters()}`)
    let wasOpen = false
    this.#socket = socket
    socket.onopen = () => {
      wasOpen = true
      this.#failures = 0
      if (this.#lostMs !== undefined) this.#listener.onBack(this.#lostMs, this.#isWhole)
      this.#lostMs = undefined
      this.#isWhole = true
      this.#listener.onState({ kind: 'open' })
    }
    socket.onmessage = ({ data }: MessageEvent<string>) => this.#read(data)
    socket.onclose = () => {
      if (!this.#isClosed) void this.#comeBack(wasOpen)
    }
  }

  #parameters(): URLSearchParams {
    const { query } = this.#conditions
    const parameters = new URLSearchParams({ max_per_s: String(MAX_PER_S) })
    if (query.trim() !== '') parameters.set('q', query)
    for (const name of LISTS)
      if (this.#conditions[name].length > 0) parameters.set(name, this.#conditions[name].join(','))
    if (this.#lastId !== undefined) parameters.set('after', this.#lastId)
    const account = accountInAddress(window.location.pathname)
    if (account !== undefined) parameters.set('delegate_account_id', account)
    return parameters
  }

  #read(data: string): void {
    if (data.startsWith('{"e":"p"')) {
      const lines = elementTexts(data).map(lineText)
      this.#lastId = lines.at(-1)?.id ?? this.#lastId
      this.#listener.onLines(lines)
    } else {
      const { e, p } = JSON.parse(data) as { readonly e: string; readonly p: TailGap }
      if (e === 'meta') this.#listener.onGap(p)
    }
  }

  async #comeBack(wasOpen: boolean): Promise<void> {
    this.#lostMs ??= Date.now()
    // Without a line there is no place to go on behind.
    if (this.#lastId === undefined) this.#isWhole = false
    this.#listener.onState({ kind: 'lost', sinceMs: this.#lostMs })
    const refusal = await this.#refusal()
    if (this.#isClosed) return
    if (refusal !== undefined && refusal.status === 400) {
      this.#listener.onState({ kind: 'refused', problem: refusal })
      return
    }
    // The server answers, but not to this tail: the log may not have the line any more.
    if (
      !wasOpen &&
      refusal === undefined &&
      ++this.#failures >= MOST_FAILURES &&
      this.#lastId !== undefined
    ) {
      this.#lastId = undefined
      this.#isWhole = false
    }
    const wait = WAITS_MS[Math.min(this.#failures, WAITS_MS.length - 1)]
    this.#timer = setTimeout(() => this.#connect(), wait)
  }

  /** A failed upgrade does not say why; the request without an upgrade does. @returns undefined if it could be served */
  async #refusal(): Promise<Problem | undefined> {
    try {
      await send(`/ws/tail?${this.#parameters()}`)
      return undefined
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      const others = error.findings.filter(({ place }) => place !== 'upgrade')
      if (error.status !== 400) return error
      return others.length === 0
        ? undefined
        : new Problem(400, others[0]?.message ?? error.message, { findings: others })
    }
  }
}
