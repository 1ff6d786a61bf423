import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { freePort } from '../free-port.ts'
import { temporaryFolder } from '../kafka/reaper.ts'
import { type Counterpart, folderName } from './counterpart.ts'
import { buildGo, type GoProgram, goBinary } from './go-program.ts'
import { startServer } from './started-server.ts'

const PROGRAM: GoProgram = {
  package: 'github.com/grafana/loki/v3/cmd/loki',
  version: 'v3.7.8',
  // They are copied from its module file.
  replacements: [
    'github.com/Azure/azure-sdk-for-go=github.com/Azure/azure-sdk-for-go@v68.0.0+incompatible',
    'github.com/Azure/azure-storage-blob-go=github.com/MasslessParticle/azure-storage-blob-go@v0.14.1-0.20240322194317-344980fda573',
    'github.com/gocql/gocql=github.com/grafana/gocql@v0.0.0-20200605141915-ba5dc39ece85',
    'github.com/hashicorp/memberlist=github.com/grafana/memberlist@v0.3.1-0.20251126142931-6f9f62ab6f86',
    'github.com/grafana/regexp=github.com/grafana/regexp@v0.0.0-20240518133315-a468a5bfb3bc',
    'github.com/influxdata/go-syslog/v3=github.com/leodido/go-syslog/v4@v4.3.0',
    'github.com/thanos-io/objstore=github.com/grafana/objstore@v0.0.0-20250728171719-b5d3b766d1b0',
  ],
}

/** Longest line that it accepts. */
export const LOKI_LINE_BYTES = 1_000

/** Loki in one process, with one tenant, and with limits that a test reaches. */
export const lokiServer: Counterpart = {
  name: 'loki',
  product: 'Loki 3.7.8',
  folder: folderName('loki', '3.7.8', JSON.stringify(PROGRAM)),
  make: folder => buildGo(PROGRAM, folder),
  async start(folder) {
    const data = temporaryFolder('weir-loki-')
    const [http, grpc, gossip] = [await freePort(), await freePort(), await freePort()]
    const config = join(data.path, 'loki.yaml')
    writeFileSync(config, stringify(configuration(data.path, http, grpc, gossip)))
    return startServer({
      program: goBinary(folder),
      args: [`-config.file=${config}`],
      url: `http://127.0.0.1:${http}`,
      data,
    })
  },
}

function configuration(folder: string, http: number, grpc: number, gossip: number) {
  const host = '127.0.0.1'
  return {
    auth_enabled: false,
    server: {
      ...{ http_listen_address: host, http_listen_port: http },
      ...{ grpc_listen_address: host, grpc_listen_port: grpc, log_level: 'warn' },
    },
    common: {
      ...{ instance_addr: host, path_prefix: folder, replication_factor: 1 },
      storage: {
        filesystem: { chunks_directory: join(folder, 'chunks'), rules_directory: join(folder, 'rules') },
      },
      ring: { instance_addr: host, kvstore: { store: 'inmemory' } },
    },
    memberlist: { bind_addr: [host], advertise_addr: host, bind_port: gossip },
    frontend: { address: host },
    schema_config: {
      configs: [
        {
          ...{ from: '2024-01-01', store: 'tsdb', object_store: 'filesystem', schema: 'v13' },
          index: { prefix: 'index_', period: '24h' },
        },
      ],
    },
    limits_config: { max_line_size: LOKI_LINE_BYTES, max_label_names_per_series: 15 },
    analytics: { reporting_enabled: false },
  }
}
