import { count, percent, size } from '../../numbers.ts'
import type { ProfileRecord } from '../requests.ts'
import { TEXT } from '../texts.ts'
import style from './node.module.css'

const SHOWN_TEMPLATES = 20
const SHOWN_VALUES = 3

/** The profile that a data-profiler has built of its lines. */
export function ProfileView({ profile }: { readonly profile: ProfileRecord }) {
  const { run, events, bytes, templates, fields } = profile
  return (
    <>
      <dl className={style.totals}>
        <div>
          <dt>{TEXT.profile.events}</dt>
          <dd>{count(events)}</dd>
        </div>
        <div>
          <dt>{TEXT.profile.bytes}</dt>
          <dd title={`${count(bytes)} B`}>{size(bytes)}</dd>
        </div>
        <div>
          <dt>{TEXT.profile.run}</dt>
          <dd>{TEXT.profile.states[run.state]}</dd>
        </div>
      </dl>
      {events === 0 && <p className={style.small}>{TEXT.profile.none}</p>}
      {templates.length > 0 && <Templates profile={profile} />}
      {fields.length > 0 && <Fields profile={profile} />}
    </>
  )
}

function Templates({ profile: { templates } }: { readonly profile: ProfileRecord }) {
  return (
    <table className={style.table}>
      <thead>
        <tr>
          <th scope="col">{TEXT.profile.template}</th>
          <th scope="col" className={style.number}>
            {TEXT.profile.lines}
          </th>
        </tr>
      </thead>
      <tbody>
        {templates.slice(0, SHOWN_TEMPLATES).map(({ template, lines }) => (
          <tr key={template}>
            <td className={style.key} title={template}>
              <code>{template}</code>
            </td>
            <td className={style.number}>{count(lines)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Fields({ profile: { fields, events } }: { readonly profile: ProfileRecord }) {
  return (
    <table className={style.table}>
      <thead>
        <tr>
          <th scope="col">{TEXT.profile.field}</th>
          <th scope="col">{TEXT.profile.values}</th>
          <th scope="col" className={style.number}>
            {TEXT.profile.share}
          </th>
        </tr>
      </thead>
      <tbody>
        {fields.map(({ field, events: having, values }) => (
          <tr key={field}>
            <td className={style.key}>
              <code>{field}</code>
            </td>
            <td className={style.key}>
              {values
                .slice(0, SHOWN_VALUES)
                .map(({ value }) => value)
                .join(', ')}
            </td>
            <td className={style.number}>{percent(having, events)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
