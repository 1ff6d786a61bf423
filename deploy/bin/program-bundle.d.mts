export const BUNDLE_FOLDER: string
export const BUNDLE_RECORD: string
export const BUNDLE_ENTRY: string
export function sourcesDigest(root: string, paths: readonly string[]): string | undefined
export function freshBundle(root: string): string | undefined
