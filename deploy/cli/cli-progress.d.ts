// Types of the parts that we use: the package has none.
declare module 'cli-progress' {
  interface Options {
    readonly stream?: NodeJS.WritableStream
    readonly format?: string
    readonly barCompleteChar?: string
    readonly barIncompleteChar?: string
    readonly barsize?: number
    readonly hideCursor?: boolean
    readonly clearOnComplete?: boolean
  }
  type Payload = Readonly<Record<string, string | number>>
  class SingleBar {
    constructor(options: Options)
    start(total: number, startValue: number, payload?: Payload): void
    update(value: number, payload?: Payload): void
    stop(): void
  }
  const cliProgress: { readonly SingleBar: typeof SingleBar }
  export default cliProgress
}
