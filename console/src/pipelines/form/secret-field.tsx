import { Eye, EyeOff } from 'lucide-react'
import { useEffect, useState } from 'react'
import { TEXT } from '../texts.ts'
import { Described, type FieldProps, Findings } from './described.tsx'
import style from './form.module.css'
import { ENTER_AGAIN, isMask } from './schema.ts'

const SHOWN_MS = 30_000

/** A secret: a mask stands for the one that the server keeps, and is replaced on purpose. */
export function SecretField(props: FieldProps) {
  const { name, value, pointer, isRequired, onChange } = props
  const [isShown, setShown] = useState(false)
  const isMissing = value === ENTER_AGAIN
  useEffect(() => {
    if (!isShown) return
    const timer = setTimeout(() => setShown(false), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [isShown])
  return (
    <Described {...props}>
      {control =>
        isMask(value) ? (
          <div className={style.secret}>
            <input {...control} className={`field ${style.text}`} value={TEXT.secretKept} readOnly />
            <button
              type="button"
              className="button"
              aria-label={`${TEXT.secretReplace} ${name}`}
              onClick={() => onChange('', pointer)}
            >
              {TEXT.secretReplace}
            </button>
          </div>
        ) : (
          <>
            <div className={style.secret}>
              <input
                {...control}
                aria-invalid={control['aria-invalid'] || isMissing}
                className={`field ${style.text}`}
                type={isShown ? 'text' : 'password'}
                value={typeof value === 'string' && !isMissing ? value : ''}
                autoComplete="new-password"
                spellCheck={false}
                onChange={({ target }) =>
                  onChange(target.value === '' && !isRequired ? undefined : target.value, pointer)
                }
              />
              <button
                type="button"
                className="button icon"
                aria-label={isShown ? TEXT.secretHide : TEXT.secretShow}
                aria-pressed={isShown}
                onClick={() => setShown(!isShown)}
              >
                {isShown ? <EyeOff size={15} aria-hidden /> : <Eye size={15} aria-hidden />}
              </button>
            </div>
            {isMissing && <Findings messages={[TEXT.secretAgain]} />}
          </>
        )
      }
    </Described>
  )
}
