import { readFileSync } from 'node:fs'
import { type NetConnectOpts, Socket } from 'node:net'

/**
 * Loaded into a process of the cluster before the program itself (`--import`). Leads its connections through the proxies
 * of its links, and moves its wall clock. Program and brokers are unchanged, and so are the addresses that brokers give
 * each other.
 *
 * FAULT_LINKS: JSON, port of the proxy by original port. FAULT_CLOCK: a file with the offset of the clock in
 * milliseconds, which is read repeatedly.
 */
const LOOK_EVERY_MS = 50

const proxies = JSON.parse(process.env.FAULT_LINKS ?? '{}') as Record<string, number>
const clockPath = process.env.FAULT_CLOCK
if (Object.keys(proxies).length > 0) leadThroughProxies()
if (clockPath !== undefined) moveClock(clockPath)

function leadThroughProxies(): void {
  const connect = Socket.prototype.connect as (...args: unknown[]) => Socket
  Socket.prototype.connect = function (this: Socket, ...args: unknown[]) {
    // `net.connect` hands its arguments on as one list.
    const list = Array.isArray(args[0]) ? (args[0] as unknown[]) : args
    const options = list[0] as Partial<NetConnectOpts> | undefined
    // A copy: an agent of HTTP knows its connections by these very options.
    if (typeof options === 'object' && options !== null && 'port' in options)
      list[0] = { ...options, port: proxies[String(options.port)] ?? options.port }
    return connect.apply(this, args)
  } as typeof Socket.prototype.connect
}

function moveClock(path: string): void {
  const RealDate = Date
  let offMs = 0
  const look = () => {
    offMs = Number(readFileSync(path, 'utf8')) || 0
  }
  look()
  setInterval(look, LOOK_EVERY_MS).unref()
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, args) =>
      args.length === 0 ? new target(target.now() + offMs) : Reflect.construct(target, args),
    get: (target, name) => (name === 'now' ? () => target.now() + offMs : Reflect.get(target, name, target)),
  })
}
