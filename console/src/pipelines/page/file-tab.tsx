import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { CodeEditor } from '../../components/code-editor.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { Loading } from '../../shell/states.tsx'
import { documentOf } from '../document/sent-document.ts'
import type { OpenDraft } from '../open-draft.ts'
import { TEXT } from '../texts.ts'
import style from './page.module.css'

const LINES = 24

/** The draft as one document in YAML, which can be edited as a whole. */
export default function FileTab({ draft, canWrite }: OpenDraft) {
  const { data: yaml } = useQuery({
    queryKey: ['yaml'],
    queryFn: () => import('yaml'),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const [typed, setTyped] = useState<string>()
  const [wrong, setWrong] = useState<string>()
  if (yaml === undefined) return <Loading isLoading />
  const shown = yaml.stringify(draft.document)
  const text = typed ?? shown
  const apply = () => {
    const result = parsed(() => yaml.parse(text))
    if ('wrong' in result)
      return setWrong([result.place, result.wrong].filter(each => each !== '').join(': '))
    setWrong(undefined)
    setTyped(undefined)
    draft.change(result.document)
  }
  return (
    <div className={style.file}>
      <div className={style.fileHead}>
        <p className="soft">{TEXT.file.note}</p>
        <CopyButton text={text} label={TEXT.file.copy} />
        {canWrite && (
          <button type="button" className="primary" disabled={text === shown} onClick={apply}>
            {TEXT.file.apply}
          </button>
        )}
      </div>
      {wrong !== undefined && (
        <p className={style.wrong} role="alert">
          {TEXT.file.wrong} {wrong}
        </p>
      )}
      <CodeEditor
        label={TEXT.file.label}
        language="yaml"
        lines={LINES}
        value={text}
        isInvalid={wrong !== undefined}
        isReadOnly={!canWrite}
        {...(canWrite && { onChange: setTyped })}
      />
    </div>
  )
}

/** @returns the document of a text, or why it is none */
function parsed(parse: () => unknown): ReturnType<typeof documentOf> {
  try {
    return documentOf(parse())
  } catch (error) {
    return { place: '', wrong: (error as Error).message }
  }
}
