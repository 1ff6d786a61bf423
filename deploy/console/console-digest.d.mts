export function consoleDigest(root: string): string | undefined
