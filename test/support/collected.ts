import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Whether nothing holds an object any longer. */
export async function isCollected(held: WeakRef<object>): Promise<boolean> {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  // A reference counts as used until the end of the task that made it.
  await new Promise(resolve => setImmediate(resolve))
  collect()
  return held.deref() === undefined
}
