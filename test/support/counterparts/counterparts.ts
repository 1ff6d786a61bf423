import { azurite } from './azurite.ts'
import type { Counterpart, ForeignProgram } from './counterpart.ts'
import { fakeGcs } from './fake-gcs.ts'
import { kubernetesTools } from './kubernetes-tools.ts'
import { lokiServer } from './loki-server.ts'
import { openSearch } from './open-search.ts'
import { prometheusServer } from './prometheus-server.ts'
import { pubsubServer } from './pubsub-server.ts'
import { versityGateway } from './versity-gateway.ts'

/** All counterparts, those first that are ready soonest. */
export const COUNTERPARTS: readonly Counterpart[] = [
  prometheusServer,
  azurite,
  openSearch,
  pubsubServer,
  versityGateway,
  fakeGcs,
  lokiServer,
]

/** All programs that `npm run counterparts` prepares. */
export const FOREIGN_PROGRAMS: readonly ForeignProgram[] = [...COUNTERPARTS, kubernetesTools]
