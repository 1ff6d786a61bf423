import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useEffect, useId, useState } from 'react'
import { type LineText, membersOf, shownValue } from '../../api/records.ts'
import { Check } from '../../components/check.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { oneRow } from '../../lines/visible-text.ts'
import { count } from '../../numbers.ts'
import { useZone } from '../../shell/preferences.ts'
import { Empty, Loading, ProblemBox } from '../../shell/states.tsx'
import { TEXT as COMMON } from '../../texts.ts'
import { dayAndTime, rangeName } from '../../times/time.ts'
import { TEXT } from '../texts.ts'
import { MOST_LINES, newestLines, type SampleSearch, samplesOf } from './samples-of-search.ts'
import style from './search-samples-dialog.module.css'

const FIRST_SEARCH: SampleSearch = { query: '', from: '1h' }
/** A row shows this many characters of its line. */
const ROW_CHARACTERS = 500

interface SearchSamplesDialogProps {
  /** Called with the chosen events, one JSON text per line. */
  readonly onTake: (samples: string) => void
  readonly onClose: () => void
}

/** Dialog in which lines of a search are chosen. Their events, as they were accepted, become samples. */
export default function SearchSamplesDialog({ onTake, onClose }: SearchSamplesDialogProps) {
  const [wanted, setWanted] = useState({ ...FIRST_SEARCH, atMs: Date.now() })
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['lines for samples', wanted],
    queryFn: ({ signal }) => newestLines(wanted, wanted.atMs, signal),
    placeholderData: before => before,
  })
  const lines = data?.lines ?? []
  const taken = lines.filter(({ id }) => chosen.has(id))
  const take = useSamples(onTake)
  const search = (next: SampleSearch) => {
    setChosen(new Set())
    take.reset()
    setWanted({ ...next, atMs: Date.now() })
  }
  return (
    <Dialog title={TEXT.simulate.fromSearch} isWide onClose={onClose}>
      <p className="soft">{TEXT.simulate.fromSearchHow}</p>
      <SearchForm onSearch={search} />
      <div className={style.results} aria-busy={isFetching}>
        <Loading isLoading={isFetching || take.isPending} />
        {error !== null && <ProblemBox error={error} onRetry={() => void refetch()} />}
        {error === null && data?.lines.length === 0 && (
          <Empty title={COMMON.nothingFound}>
            <p>{TEXT.simulate.nothingFoundWhy}</p>
          </Empty>
        )}
        {error === null && lines.length > 0 && (
          <LineChoice lines={lines} chosen={chosen} onChoose={setChosen} />
        )}
        {data?.hasMore && <p className="soft">{TEXT.simulate.newestOnly(count(MOST_LINES))}</p>}
      </div>
      {take.error !== null && <ProblemBox error={take.error} onRetry={() => take.mutate(taken)} />}
      <div className={style.buttons}>
        <button type="button" className="button" onClick={onClose}>
          {COMMON.cancel}
        </button>
        <button
          type="button"
          className="primary"
          disabled={taken.length === 0 || take.isPending || error !== null}
          onClick={() => take.mutate(taken)}
        >
          {TEXT.simulate.take(taken.length)}
        </button>
      </div>
    </Dialog>
  )
}

/** Reads the events of lines. Reading ends with the dialog. */
function useSamples(onTake: (samples: string) => void) {
  const [controller] = useState(() => new AbortController())
  useEffect(() => () => controller.abort(), [controller])
  return useMutation({
    mutationFn: (lines: readonly LineText[]) => samplesOf(lines, controller.signal),
    onSuccess: samples => {
      if (!controller.signal.aborted) onTake(samples)
    },
  })
}

function SearchForm({ onSearch }: { readonly onSearch: (search: SampleSearch) => void }) {
  const id = useId()
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const given = new FormData(event.currentTarget)
    onSearch({ query: String(given.get('query')), from: String(given.get('from')) })
  }
  return (
    <form className={style.form} onSubmit={submit}>
      <label htmlFor={`${id}-query`}>
        {COMMON.query}
        <input
          id={`${id}-query`}
          className="field"
          name="query"
          placeholder={COMMON.queryHint}
          maxLength={8_192}
          spellCheck={false}
          autoCapitalize="off"
          autoComplete="off"
        />
      </label>
      <label htmlFor={`${id}-from`}>
        {COMMON.range}
        <select id={`${id}-from`} className="field" name="from" defaultValue={FIRST_SEARCH.from}>
          {COMMON.ranges.map(each => (
            <option key={each} value={each}>
              {rangeName(each)}
            </option>
          ))}
        </select>
      </label>
      <button type="submit" className="button">
        {COMMON.search}
      </button>
    </form>
  )
}

/** Lines, each with a box. One box above them chooses all. */
function LineChoice({
  lines,
  chosen,
  onChoose,
}: {
  readonly lines: readonly LineText[]
  readonly chosen: ReadonlySet<string>
  readonly onChoose: (ids: ReadonlySet<string>) => void
}) {
  const zone = useZone(null)
  const isAll = lines.every(({ id }) => chosen.has(id))
  const choose = (id: string, isChosen: boolean) =>
    onChoose(isChosen ? new Set([...chosen, id]) : new Set([...chosen].filter(each => each !== id)))
  return (
    <>
      <Check
        label={TEXT.simulate.all(lines.length)}
        isChecked={isAll}
        onChange={isOn => onChoose(new Set(isOn ? lines.map(({ id }) => id) : []))}
      />
      <ul className={style.lines} aria-label={TEXT.simulate.foundLines}>
        {lines.map(line => {
          const { _app, _line } = membersOf(line)
          return (
            <li key={line.id}>
              <label>
                <input
                  type="checkbox"
                  checked={chosen.has(line.id)}
                  onChange={({ target }) => choose(line.id, target.checked)}
                />
                <time>{dayAndTime(line.timeMs, zone)}</time>
                <span>{oneRow(shownValue(_app))}</span>
                <code>{oneRow(shownValue(_line).slice(0, ROW_CHARACTERS))}</code>
              </label>
            </li>
          )
        })}
      </ul>
    </>
  )
}
