import { useQuery } from '@tanstack/react-query'
import { readCaller } from '../../api/session.ts'
import { CopyButton } from '../../components/copy-button.tsx'
import { AccessKeys } from './access-keys.tsx'
import style from './gateway.module.css'
import type { GatewayRouteRecord } from './requests.ts'
import { TEXT } from './texts.ts'

/** Address to which events of a saved source are sent, and the keys for it. It is a chunk of its own. */
export default function AddressTab({
  route,
  canWrite,
}: {
  readonly route: GatewayRouteRecord
  readonly canWrite: boolean
}) {
  const { data: caller } = useQuery({ queryKey: ['caller'], queryFn: readCaller })
  const path = `/v1/${route.id}`
  const base = caller?.ingest_url ?? null
  const address = base === null ? path : base.replace(/\/$/, '') + path
  const command = `curl '${base === null ? `$INGEST${path}` : address}' -H "authorization: $KEY" -H 'content-type: application/json' -d '{"message":"hello"}'`
  return (
    <div className={style.parts}>
      <section className={style.part} aria-label={TEXT.address}>
        <h3>{TEXT.address}</h3>
        <p className="soft">{TEXT.addressWhy}</p>
        {caller !== undefined && base === null && <p className="soft">{TEXT.unknownAddress}</p>}
        <Copied text={address} label={TEXT.copyAddress} />
        <h4>{TEXT.command}</h4>
        <Copied text={command} label={TEXT.copyCommand} />
      </section>
      <AccessKeys routeId={route.id} canWrite={canWrite} />
    </div>
  )
}

function Copied({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <div className={style.copied}>
      <code>{text}</code>
      <CopyButton text={text} label={label} />
    </div>
  )
}
