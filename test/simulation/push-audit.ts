import { must } from './broken-promise.ts'
import { closeCopies } from './close-copies.ts'
import type { Meaning, PushedEvents } from './model.ts'
import type { PushAttempt, PushedRequest } from './pusher.ts'
import type { StoredRow } from './simulated-store.ts'
import type { World } from './world.ts'

/**
 * Checks from the pushers' side: the events of an acknowledged attempt are on the log once, complete, and met a pipeline.
 * Those of a refused one are absent. Those of an attempt without an answer, or with an uncertain one, are there at most
 * once.
 */
export function expectPushed({ pushers }: World, meanings: readonly Meaning[]): void {
  const found = new Map<string, PushedEvents[]>()
  for (const { pushed } of meanings)
    for (const events of pushed) {
      const name = `${events.request}/${events.attempt}`
      found.set(name, [...(found.get(name) ?? []), events])
    }
  for (const { requests } of pushers) {
    let last = -1n
    for (const request of requests)
      for (const [index, attempt] of request.attempts.entries()) {
        const name = `${request.name}/${index + 1}`
        const copies = found.get(name) ?? []
        expectCopies(name, attempt, copies)
        for (const copy of copies) expectWhole(name, request, copy)
        found.delete(name)
        must(
          !attempt.isTakenFromHold,
          'a front that knows of a hold takes no pushes of its account',
          () => name,
        )
        const [events] = copies
        if (events === undefined || attempt.answer?.status !== 200) continue
        expectRead(name, attempt, events)
        if (!attempt.isHeard) continue
        must(events.offset > last, 'pushes of one client keep their order', () => name)
        last = events.offset
      }
  }
  must(found.size === 0, 'nothing is on the log that nobody pushed', () => [...found.keys()].join(', '))
}

function expectCopies(name: string, { answer }: PushAttempt, copies: readonly PushedEvents[]): void {
  const what = () => `${name} was answered ${answer?.status}, and is there ${copies.length} times`
  const isDoubled = closeCopies(copies.map(({ lines: [line] }) => line?.timeMs ?? 0)) > 1
  must(!isDoubled, 'no push is doubled', what)
  must(copies.length > 0 || answer?.status !== 200, 'no acknowledged push is lost', what)
  must(
    copies.length === 0 || answer === undefined || !isRefusal(answer),
    'nothing of a refused push is kept',
    what,
  )
}

/** An answer with status 503 is a refusal only if its body says so. Otherwise the result is open. */
function isRefusal({ status, body }: NonNullable<PushAttempt['answer']>): boolean {
  return (
    (status >= 400 && status < 500) ||
    /are paused$|is paused: send the events later$|is about to start$/.test(String(body.error))
  )
}

/** All of its events or none, in their order, as they were sent. */
function expectWhole(name: string, { account, events }: PushedRequest, found: PushedEvents): void {
  const [client] = name.split('.')
  const sent = events.map(({ text, app, level }) => `host-${client} ${app} ${level} ${text}`)
  const kept = found.lines.map(({ host, text, app, level }) => `${host} ${app} ${level} ${text}`)
  must(
    account === found.account && sent.join('\n') === kept.join('\n'),
    'a push is on the log as it was sent, whole',
    () => `${name} has ${kept.length} events instead of ${sent.length}`,
  )
}

/**
 * A front that does not know a change yet may accept events that no pipeline reads any more; otherwise a pipeline reads
 * them.
 */
function expectRead(name: string, { known }: PushAttempt, { met, isRead }: PushedEvents): void {
  const isBehind = [...met].some(([pipeline, number]) => number > (known.get(pipeline) ?? 0))
  must(isRead || isBehind, 'what is acknowledged meets a pipeline', () => {
    const texts = (numbers: ReadonlyMap<string, number>) => [...numbers].map(each => each.join(' '))
    return `${name} met ${texts(met)}, and its front knew of ${texts(known)}`
  })
}

/**
 * Every body that was refused is an error of the sources that would have had it; every event that failed, one of its node.
 */
export function expectErrors(rows: readonly StoredRow[], { errors }: Meaning): void {
  const counts = new Map<string, number>()
  for (const { account, pipeline, node, code, count } of rows) {
    const name = `${account} ${pipeline} ${node} ${code}`
    counts.set(name, (counts.get(name) ?? 0) + Number(count))
  }
  const text = (of: ReadonlyMap<string, number>) =>
    [...of]
      .map(each => each.join(': '))
      .sort()
      .join('; ')
  must(
    text(counts) === text(errors),
    'every refused body and every failed event is counted once',
    () => `there are "${text(counts)}" instead of "${text(errors)}"`,
  )
}
