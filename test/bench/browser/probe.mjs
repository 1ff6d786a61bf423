// Measurements within a page of the console, as `weirProbe`. Plain JavaScript: it runs in the browser as it stands.
const LIST = '[role=grid]'
const LINE = '[role=grid] [data-text]'
const FRAME_MS = 1000 / 60

const nextFrame = () => new Promise(requestAnimationFrame)
/** The time at which what was drawn in this frame is on the screen, about. */
const painted = async () => {
  await nextFrame()
  await new Promise(resolve => setTimeout(resolve))
  return performance.now()
}

let firstLineMs
const reactions = []
let longestTaskMs = 0

new MutationObserver((_, observer) => {
  if (document.querySelector(LINE) === null) return
  observer.disconnect()
  void painted().then(ms => {
    firstLineMs = ms
  })
}).observe(document, { childList: true, subtree: true })

for (const type of ['keydown', 'click'])
  addEventListener(
    type,
    async ({ timeStamp }) => {
      reactions.push((await painted()) - timeStamp)
    },
    { capture: true },
  )

new PerformanceObserver(list => {
  for (const { duration } of list.getEntries()) longestTaskMs = Math.max(longestTaskMs, duration)
}).observe({ type: 'longtask' })

/** Whether the middle of the list shows no line. */
function isBlank(list) {
  const { left, top, width, height } = list.getBoundingClientRect()
  const row = document.elementFromPoint(left + width / 2, top + height / 2)?.closest('[role=row]')
  return !row?.querySelector('[data-text]')
}

globalThis.weirProbe = {
  /** Milliseconds between frames for some time. */
  async frames(ms) {
    const times = []
    const endMs = performance.now() + ms
    while (performance.now() < endMs) times.push(await nextFrame())
    return times.slice(1).map((time, at) => time - times[at])
  },

  /** Scrolls from the beginning of the list to its end. @returns times between frames, and the longest blank time in frames */
  async scroll(ms) {
    const list = document.querySelector(LIST)
    const frames = Math.round(ms / FRAME_MS)
    const times = []
    let blank = 0
    let longestBlank = 0
    for (let at = 0; at <= frames; at++) {
      list.scrollTop = ((list.scrollHeight - list.clientHeight) * at) / frames
      times.push(await nextFrame())
      blank = isBlank(list) ? blank + 1 : 0
      longestBlank = Math.max(longestBlank, blank)
    }
    return { intervals: times.slice(1).map((time, at) => time - times[at]), longestBlank }
  },

  /** Milliseconds from the first paint, and from the first byte of the lines to the first line. */
  opened() {
    const [paint] = performance.getEntriesByName('first-contentful-paint')
    const search = performance.getEntriesByType('resource').find(({ name }) => name.includes('/v3/search?'))
    return {
      paintMs: paint?.startTime ?? null,
      linesMs: firstLineMs === undefined ? null : firstLineMs - search.responseStart,
    }
  },

  /** Milliseconds from each key and click to the next frame. */
  reactions: () => reactions.splice(0),
  longestTask: () => longestTaskMs,
  heapBytes: () => performance.memory.usedJSHeapSize,

  /** Milliseconds until an element that a click makes appear is painted. */
  async appears(clicked, selector, count = 1) {
    const startMs = performance.now()
    document.querySelector(clicked).click()
    while (document.querySelectorAll(selector).length < count) await nextFrame()
    return (await painted()) - startMs
  },
}
