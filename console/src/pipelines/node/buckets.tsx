import { useSearchParams } from 'wouter'
import { count } from '../../numbers.ts'
import { useZone } from '../../shell/preferences.ts'
import { clockTime } from '../../times/time.ts'
import type { BucketList } from '../requests.ts'
import { TEXT } from '../texts.ts'
import { keyText, spanOf } from './bucket-texts.ts'
import style from './node.module.css'

/** The busiest keys of a throttle. */
export function Buckets({ list: { meta, data } }: { readonly list: BucketList }) {
  const [parameters] = useSearchParams()
  const zone = useZone(parameters.get('tz'))
  const { threshold, window_ms: windowMs, buckets } = meta.totals
  return (
    <>
      <p className="soft">{TEXT.throttle.totals(count(buckets), count(threshold), spanOf(windowMs))}</p>
      {data.length === 0 && <p className={style.small}>{TEXT.throttle.none}</p>}
      {data.length > 0 && (
        <table className={style.table}>
          <thead>
            <tr>
              <th scope="col">{TEXT.throttle.key}</th>
              <th scope="col" className={style.number}>
                {TEXT.throttle.passed}
              </th>
              <th scope="col" className={style.number}>
                {TEXT.throttle.free}
              </th>
            </tr>
          </thead>
          <tbody>
            {data.map(bucket => (
              <tr key={`${bucket.bucket} ${bucket.key ?? bucket.key_sha256}`}>
                <td className={style.key}>{keyText(bucket)}</td>
                <td className={style.number}>{`${count(bucket.passed)} / ${count(threshold)}`}</td>
                <td className={style.number}>
                  {bucket.free_from === null
                    ? TEXT.throttle.freeNow
                    : clockTime(Date.parse(bucket.free_from), zone)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  )
}
