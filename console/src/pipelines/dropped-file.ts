import { useEffect, useRef, useState } from 'react'
import { FILE_TEXT as TEXT } from './file-texts.ts'

/** Larger files are not read into the page; the server accepts less. */
const MOST_BYTES = 10_000_000

/** A file of a pipeline in the browser. */
export interface ReadFile {
  readonly name: string
  readonly text: string
}

/** @throws Error with a sentence for people, if the file is not a text */
export async function readTextFile(file: File): Promise<ReadFile> {
  if (file.size > MOST_BYTES) throw new Error(TEXT.tooLarge)
  const bytes = await file.arrayBuffer()
  try {
    return { name: file.name, text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) }
  } catch {
    throw new Error(TEXT.notText)
  }
}

/**
 * Takes files that are dropped anywhere on the page: the browser would leave the page and show them.
 *
 * @returns whether a file is held over the page
 */
export function useDroppedFiles(isOn: boolean, onFiles: (files: readonly File[]) => void): boolean {
  const [isOver, setOver] = useState(false)
  const latest = useRef(onFiles)
  latest.current = onFiles
  useEffect(() => {
    if (!isOn) return
    const hold = (event: DragEvent) => {
      if (event.dataTransfer?.types.includes('Files') !== true) return
      event.preventDefault()
      setOver(true)
    }
    const leave = ({ relatedTarget }: DragEvent) => {
      if (relatedTarget === null) setOver(false)
    }
    const drop = (event: DragEvent) => {
      setOver(false)
      const files = [...(event.dataTransfer?.files ?? [])]
      if (files.length === 0) return
      event.preventDefault()
      latest.current(files)
    }
    window.addEventListener('dragover', hold)
    window.addEventListener('dragleave', leave)
    window.addEventListener('drop', drop)
    return () => {
      window.removeEventListener('dragover', hold)
      window.removeEventListener('dragleave', leave)
      window.removeEventListener('drop', drop)
    }
  }, [isOn])
  return isOver
}
