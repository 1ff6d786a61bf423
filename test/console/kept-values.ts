import type { Page } from 'playwright-core'

/** Everything that the browser keeps until sign-out, as JSON. The page has opened the database before. */
export function keptValues(page: Page): Promise<string> {
  return page.evaluate(async () => {
    const ended = <Result>(request: IDBRequest<Result>) =>
      new Promise<Result>((done, failed) => {
        request.onsuccess = () => done(request.result)
        request.onerror = () => failed(request.error)
      })
    const database = await ended(indexedDB.open('weir-kept'))
    const values = await ended(database.transaction('values').objectStore('values').getAll())
    database.close()
    return JSON.stringify(values)
  })
}
