import { Plus, X } from 'lucide-react'
import { useContext } from 'react'
import { Check } from '../../components/check.tsx'
import { isJsonObject, type JsonObject, type JsonValue } from '../document/file.ts'
import { TEXT } from '../texts.ts'
import { Findings } from './described.tsx'
import style from './form.module.css'
import { FormContext } from './form-context.ts'
import { FIRST_COMPARISON, FIRST_CONDITION } from './schema.ts'
import { ScalarInput } from './simple-fields.tsx'

/** Operators without a value to compare with. */
const UNARY: readonly string[] = [
  'exists',
  'not_exists',
  'is_array',
  'is_boolean',
  'is_number',
  'is_object',
  'is_string',
  'is_null',
  'is_empty',
  'is_metric',
]
const OPERATORS: readonly string[] = [
  ...['exists', 'equal', 'contains', 'starts_with', 'ends_with', 'regex_match'],
  ...['greater', 'greater_or_equal', 'less', 'less_or_equal', 'is_ip_in_cidr_range'],
  ...['is_array', 'is_boolean', 'is_number', 'is_object', 'is_string', 'is_null', 'is_empty', 'is_metric'],
  ...['percent_change_greater', 'percent_change_greater_or_equal'],
  ...['percent_change_less', 'percent_change_less_or_equal'],
  ...['value_change_greater', 'value_change_greater_or_equal'],
  ...['value_change_less', 'value_change_less_or_equal'],
  ...['not_exists', 'not_equal', 'not_contains', 'not_regex_match'],
]

interface ConditionProps {
  readonly value: JsonValue
  /** JSON pointer of the condition. */
  readonly pointer: string
  readonly onChange: (value: JsonValue, place: string) => void
}

/** A condition as rows of comparisons, and groups of them, that are joined by AND or OR. */
export function ConditionField({ value, pointer, onChange }: ConditionProps) {
  const condition = isJsonObject(value) ? value : {}
  const rows = Array.isArray(condition.expressions) ? condition.expressions : []
  const join = condition.logical_operation === 'OR' ? 'OR' : 'AND'
  const change = (expressions: readonly JsonValue[], place = `${pointer}/expressions`) =>
    onChange({ ...condition, expressions: [...expressions] }, place)
  return (
    <div className={style.condition}>
      {(rows.length > 1 || join === 'OR') && (
        <select
          className="field"
          aria-label={TEXT.conditionJoin}
          value={join}
          onChange={({ target }) =>
            onChange({ ...condition, logical_operation: target.value }, `${pointer}/logical_operation`)
          }
        >
          <option value="AND">{TEXT.allOf}</option>
          <option value="OR">{TEXT.oneOf}</option>
        </select>
      )}
      <ol className={style.conditionRows}>
        {rows.map((row, index) => {
          const at = `${pointer}/expressions/${index}`
          const replace = (next: JsonValue, place: string) => change(rows.toSpliced(index, 1, next), place)
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: the place is all that tells the rows apart
            <li key={index}>
              {isJsonObject(row) && 'expressions' in row ? (
                <ConditionField value={row} pointer={at} onChange={replace} />
              ) : (
                <ComparisonField row={isJsonObject(row) ? row : {}} pointer={at} onChange={replace} />
              )}
              {rows.length > 1 && (
                <button
                  type="button"
                  className="quiet icon"
                  aria-label={TEXT.removeRow(index + 1)}
                  onClick={() => change(rows.toSpliced(index, 1))}
                >
                  <X size={14} aria-hidden />
                </button>
              )}
            </li>
          )
        })}
      </ol>
      <FindingsBelow
        pointer={pointer}
        own={[pointer, `${pointer}/expressions`, `${pointer}/logical_operation`]}
      />
      <div className={style.conditionButtons}>
        <button type="button" className="quiet" onClick={() => change([...rows, { ...FIRST_COMPARISON }])}>
          <Plus size={14} aria-hidden />
          {TEXT.addComparison}
        </button>
        <button type="button" className="quiet" onClick={() => change([...rows, FIRST_CONDITION])}>
          <Plus size={14} aria-hidden />
          {TEXT.addGroup}
        </button>
      </div>
    </div>
  )
}

/** One comparison of a field with a value. */
export function ComparisonField({
  row,
  pointer,
  onChange,
}: {
  readonly row: JsonObject
  readonly pointer: string
  readonly onChange: (value: JsonValue, place: string) => void
}) {
  const { pathList } = useContext(FormContext)
  const operator = typeof row.str_operator === 'string' ? row.str_operator : ''
  const set = (name: string, value: JsonValue) => onChange({ ...row, [name]: value }, `${pointer}/${name}`)
  const isUnary = UNARY.includes(operator)
  return (
    <div className={style.comparison}>
      <div className={style.comparisonRow}>
        <input
          className={`field ${style.code}`}
          aria-label={TEXT.field}
          value={typeof row.field === 'string' ? row.field : ''}
          placeholder=".field"
          list={pathList}
          autoComplete="off"
          spellCheck={false}
          onChange={({ target }) => set('field', target.value)}
        />
        <select
          className="field"
          aria-label={TEXT.operator}
          value={operator}
          onChange={({ target }) => set('str_operator', target.value)}
        >
          {!OPERATORS.includes(operator) && <option value={operator}>{operator}</option>}
          {OPERATORS.map(each => (
            <option key={each} value={each}>
              {each.replaceAll('_', ' ')}
            </option>
          ))}
        </select>
      </div>
      {!isUnary && (
        <ScalarInput
          control={{ 'aria-label': TEXT.value }}
          name={TEXT.value}
          value={row.value}
          onChange={next => set('value', next)}
        />
      )}
      <div className={style.comparisonChecks}>
        <Check label={TEXT.negate} isChecked={row.negate === true} onChange={isOn => set('negate', isOn)} />
        {!isUnary && (
          <Check
            label={TEXT.caseSensitive}
            isChecked={row.case_sensitive === true}
            onChange={isOn => set('case_sensitive', isOn)}
          />
        )}
      </div>
      <FindingsBelow pointer={pointer} />
    </div>
  )
}

/** Findings at a place and below it, or at the given places alone. */
function FindingsBelow({ pointer, own }: { readonly pointer: string; readonly own?: readonly string[] }) {
  const { findings } = useContext(FormContext)
  const here = findings.filter(each =>
    own === undefined
      ? each.pointer === pointer || each.pointer.startsWith(`${pointer}/`)
      : own.includes(each.pointer),
  )
  return <Findings messages={here.map(({ message }) => message)} />
}
