import { type CommandLine, commandLine, type RunOptions } from './command-line.ts'
import { type TestInstallation, testInstallation } from './test-installation.ts'

/** A command line, and the installation that its commands talk to by HTTP. */
export interface ServedCommandLine {
  readonly line: CommandLine
  readonly installation: TestInstallation
  /** Environment of the commands: address, access token and data folder. A test can change it. */
  readonly env: Record<string, string>
  run(args: readonly string[], options?: Omit<RunOptions, 'env'>): ReturnType<CommandLine['run']>
  close(): Promise<void>
}

export async function servedCommandLine(): Promise<ServedCommandLine> {
  const line = await commandLine()
  const installation = await testInstallation()
  const env: Record<string, string> = {
    WEIR_URL: await installation.app.listen({ port: 0, host: '127.0.0.1' }),
    WEIR_ACCESS_TOKEN: installation.credentials.accessToken,
    WEIR_DATA_DIR: line.folder,
  }
  return {
    line,
    installation,
    env,
    run: (args, options) => line.run(args, { ...options, env }),
    close: async () => {
      await installation.app.close()
      await line.close()
    },
  }
}
