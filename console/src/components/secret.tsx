import { Eye, EyeOff } from 'lucide-react'
import { useEffect, useState } from 'react'
import { TEXT } from '../texts.ts'
import { CopyButton } from './copy-button.tsx'
import style from './form.module.css'
import { IconButton } from './icon-button.tsx'

const SHOWN_MS = 30_000
const MASK = '\u2022'.repeat(8)

/** A new secret. It is gone once its dialog is closed. */
export function NewSecret({
  label,
  secret,
  why = TEXT.secretOnce,
}: {
  readonly label: string
  readonly secret: string
  /** Default: the server does not show it again. */
  readonly why?: string
}) {
  return (
    <>
      <p>{why}</p>
      <div className={style.secret}>
        <input
          className="field"
          aria-label={label}
          value={secret}
          readOnly
          autoComplete="off"
          spellCheck={false}
          onFocus={({ target }) => target.select()}
        />
        <CopyButton text={secret} label={TEXT.copy} />
      </div>
    </>
  )
}

/** A secret that is shown on purpose, for half a minute. */
export function HiddenSecret({ name, secret }: { readonly name: string; readonly secret: string }) {
  const [isShown, setShown] = useState(false)
  useEffect(() => {
    if (!isShown) return
    const timer = setTimeout(() => setShown(false), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [isShown])
  const Icon = isShown ? EyeOff : Eye
  return (
    <span className={style.hidden}>
      <code>{isShown ? secret : MASK}</code>
      <IconButton
        label={isShown ? TEXT.secretHide(name) : TEXT.secretShow(name)}
        isPressed={isShown}
        onClick={() => setShown(!isShown)}
      >
        <Icon size={14} aria-hidden />
      </IconButton>
      <CopyButton text={secret} label={TEXT.secretCopy(name)} />
    </span>
  )
}
