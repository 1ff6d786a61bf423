import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { runProgram } from '../../deploy/cli/program.ts'
import type { Credentials } from '../../deploy/data-directory.ts'
import { commandWorld } from './command-world.ts'
import { type HttpStandIn, httpStandIn, type StandInReply, type StandInRequest } from './http-stand-in.ts'

export interface RunOptions {
  /** Default: the address of the server and an access token. */
  readonly env?: Record<string, string>
  readonly terminal?: boolean
  /** Width of the output in columns; default: 100. */
  readonly columns?: number
  /** Typed input. */
  readonly typed?: string
}

export interface CommandLine {
  readonly folder: string
  readonly service: HttpStandIn
  /** Answer of the server from now on. */
  reply: (request: StandInRequest) => StandInReply
  run(args: readonly string[], options?: RunOptions): Promise<{ code: number; out: string; err: string }>
  credentials(changes?: Partial<Credentials>): Credentials
  /** Leaves them in the data folder, as a server would. */
  writeCredentials(changes?: Partial<Credentials>): Promise<void>
  close(): Promise<void>
}

/** The command line in this process, with a data folder of its own and a server that answers as the test says. */
export async function commandLine(): Promise<CommandLine> {
  const folder = await mkdtemp(join(tmpdir(), 'weir-cli-'))
  const service = await httpStandIn(request => line.reply(request))
  const line: CommandLine = {
    folder,
    service,
    reply: () => ({ body: {} }),
    run: async (args, { env, terminal = false, columns = 100, typed } = {}) => {
      const world = commandWorld({
        env: env ?? { WEIR_URL: service.url, WEIR_ACCESS_TOKEN: 'sts_x', WEIR_DATA_DIR: folder },
        terminal,
        stdin: Readable.from(typed === undefined ? [] : [typed]),
      })
      Object.assign(world.stdout, { columns })
      const code = await runProgram(args, world)
      return { code, out: world.out(), err: world.err() }
    },
    credentials: changes => ({
      apiUrl: service.url,
      ingestUrl: service.url,
      accountId: 'a1b2c3d4e5',
      accessToken: 'sts_local',
      enterpriseAccessToken: 'ste_local',
      ingestionKey: 'ik',
      serviceKey: 'sk',
      ...changes,
    }),
    writeCredentials: changes =>
      writeFile(join(folder, 'credentials.json'), JSON.stringify(line.credentials(changes))),
    close: async () => {
      await service.close()
      await rm(folder, { recursive: true })
    },
  }
  return line
}
