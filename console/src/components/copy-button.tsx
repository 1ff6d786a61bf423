import { Check, Copy } from 'lucide-react'
import { useState } from 'react'
import { TEXT } from '../texts.ts'
import { IconButton } from './icon-button.tsx'

const SHOWN_MS = 1_500

/** Copies a text as it is, and says so for a moment. */
export function CopyButton({ text, label }: { readonly text: string; readonly label: string }) {
  const [isCopied, setCopied] = useState(false)
  const Icon = isCopied ? Check : Copy
  return (
    <IconButton
      label={isCopied ? TEXT.copied : label}
      onClick={() => {
        void navigator.clipboard.writeText(text).then(() => {
          setCopied(true)
          setTimeout(() => setCopied(false), SHOWN_MS)
        })
      }}
    >
      <Icon size={14} aria-hidden />
    </IconButton>
  )
}
