import { accountInAddress } from './delegation.ts'

/**
 * Values that the browser keeps until sign-out, such as drafts and the last queries. They can contain parts of lines, so
 * each account that is acted for has its own.
 */
const DATABASE = 'weir-kept'
const STORE = 'values'

let opened: Promise<IDBDatabase> | undefined

function database(): Promise<IDBDatabase> {
  opened ??= new Promise((done, failed) => {
    const request = indexedDB.open(DATABASE, 1)
    request.onupgradeneeded = () => request.result.createObjectStore(STORE)
    request.onsuccess = () => done(request.result)
    request.onerror = () => failed(request.error)
  })
  return opened
}

function ended<Result>(request: IDBRequest<Result>): Promise<Result> {
  return new Promise((done, failed) => {
    request.onsuccess = () => done(request.result)
    request.onerror = () => failed(request.error)
  })
}

function keyOf(name: string): string {
  return `${accountInAddress(window.location.pathname) ?? ''} ${name}`
}

/** @returns the value that was kept under a name; undefined if none was, or if the browser keeps nothing */
export async function keptValue<Value>(name: string): Promise<Value | undefined> {
  try {
    const values = (await database()).transaction(STORE).objectStore(STORE)
    return (await ended(values.get(keyOf(name)))) as Value | undefined
  } catch {
    return undefined
  }
}

/** Keeps a value under a name; undefined removes it. A browser that keeps nothing is not an error. */
export async function keep(name: string, value: unknown): Promise<void> {
  try {
    const values = (await database()).transaction(STORE, 'readwrite').objectStore(STORE)
    const request: IDBRequest =
      value === undefined ? values.delete(keyOf(name)) : values.put(value, keyOf(name))
    await ended(request)
  } catch {
    // Private windows of some browsers have no such store.
  }
}

/** Removes everything, because somebody signs out. */
export async function forgetAll(): Promise<void> {
  sessionStorage.clear()
  try {
    await ended((await database()).transaction(STORE, 'readwrite').objectStore(STORE).clear())
  } catch {
    // There is nothing to remove.
  }
}
