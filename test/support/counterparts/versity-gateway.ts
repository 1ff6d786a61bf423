import { freePort } from '../free-port.ts'
import { temporaryFolder } from '../kafka/reaper.ts'
import { type Counterpart, folderName } from './counterpart.ts'
import { buildGo, type GoProgram, goBinary } from './go-program.ts'
import { startServer } from './started-server.ts'

const PROGRAM: GoProgram = { package: 'github.com/versity/versitygw/cmd/versitygw', version: 'v1.8.0' }

/** Key that it accepts; the region is us-east-1. */
export const S3_KEY = { accessKeyId: 'weir', secretAccessKey: 'weir-secret' }

/** S3 over a folder. Unlike S3, it refuses a key that is the folder of another key. */
export const versityGateway: Counterpart = {
  name: 's3',
  product: 'versitygw 1.8.0',
  folder: folderName('s3', '1.8.0', JSON.stringify(PROGRAM)),
  make: folder => buildGo(PROGRAM, folder),
  async start(folder) {
    const data = temporaryFolder('weir-s3-')
    const address = `127.0.0.1:${await freePort()}`
    const key = ['--access', S3_KEY.accessKeyId, '--secret', S3_KEY.secretAccessKey]
    return startServer({
      program: goBinary(folder),
      args: ['--port', address, ...key, '--quiet', 'posix', data.path],
      url: `http://${address}`,
      data,
    })
  },
}
