import { useEffect, useRef } from 'react'
import { isTyping } from '../../shell/keys.ts'
import { nodesAlone } from '../document/edits.ts'
import type { PipelineFile } from '../document/file.ts'
import { nodesOf } from '../document/nodes.ts'
import { documentOf } from '../document/sent-document.ts'

interface NodeClipboard {
  readonly document: PipelineFile | undefined
  /** Name of the node that is copied. */
  readonly selected: string | null
  /** Takes the nodes of the clipboard; absent where nothing may be changed. undefined: it contains no nodes. */
  readonly onPaste: ((pasted: PipelineFile | undefined) => void) | undefined
}

/** Copies the selected node as YAML, and pastes the nodes of such a text. */
export function useNodeClipboard(clipboard: NodeClipboard): void {
  const present = useRef(clipboard)
  present.current = clipboard
  const yaml = useRef<typeof import('yaml')>(undefined)
  useEffect(() => {
    void import('yaml').then(loaded => {
      yaml.current = loaded
    })
    const onCopy = (event: ClipboardEvent) => {
      const { document: file, selected } = present.current
      if (isElsewhere(event) || file === undefined || selected === null) return
      const nodes = nodesAlone(file, [selected])
      // JSON is YAML, too.
      const text = yaml.current?.stringify(nodes) ?? JSON.stringify(nodes, undefined, 2)
      event.clipboardData?.setData('text/plain', text)
      event.preventDefault()
    }
    const onPaste = (event: ClipboardEvent) => {
      if (isElsewhere(event) || present.current.onPaste === undefined) return
      event.preventDefault()
      const text = event.clipboardData?.getData('text/plain') ?? ''
      void import('yaml').then(({ parse }) => present.current.onPaste?.(nodesIn(() => parse(text))))
    }
    document.addEventListener('copy', onCopy)
    document.addEventListener('paste', onPaste)
    return () => {
      document.removeEventListener('copy', onCopy)
      document.removeEventListener('paste', onPaste)
    }
  }, [])
}

/** Whether the clipboard belongs to a field, a dialog or selected text. */
function isElsewhere({ type, target }: ClipboardEvent): boolean {
  if (isTyping(target) || document.querySelector('dialog[open]') !== null) return true
  return type === 'copy' && getSelection()?.isCollapsed === false
}

/** The nodes of a text; undefined if it has none. */
function nodesIn(parse: () => unknown): PipelineFile | undefined {
  try {
    const result = documentOf(parse())
    return 'document' in result && nodesOf(result.document).length > 0 ? result.document : undefined
  } catch {
    return undefined
  }
}
