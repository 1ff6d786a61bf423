import { Field } from '../../components/form.tsx'
import style from './gateway.module.css'
import type { GatewayRouteRecord } from './requests.ts'
import { TEXT } from './texts.ts'

/** The address of a source that was not saved yet: one of its own, or one that it shares. */
export function ChosenAddress({
  routes,
  present,
  onChoose,
}: {
  /** Routes that the source can use. */
  readonly routes: readonly GatewayRouteRecord[]
  readonly present: string | undefined
  readonly onChoose: (routeId: string | undefined) => void
}) {
  return (
    <div className={style.part}>
      <Field label={TEXT.choose} note={TEXT.chooseWhy}>
        {control => (
          <select
            {...control}
            className="field"
            value={present ?? ''}
            onChange={({ target }) => onChoose(target.value === '' ? undefined : target.value)}
          >
            <option value="">{TEXT.own}</option>
            {routes.map(({ id, title }) => (
              <option key={id} value={id}>
                {`${title ?? TEXT.untitled} (${id.slice(0, 8)})`}
              </option>
            ))}
          </select>
        )}
      </Field>
      <p className="soft">{TEXT.unsaved}</p>
    </div>
  )
}
