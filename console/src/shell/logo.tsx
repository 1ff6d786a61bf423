/** The sign of Weir: water that runs over a weir. */
export function Logo({ size }: { readonly size: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden>
      <title>Weir</title>
      <rect width="32" height="32" rx="7" fill="#0b6a7a" />
      <path
        d="M6 11c3.3-3 6.7-3 10 0s6.7 3 10 0M6 17c3.3-3 6.7-3 10 0s6.7 3 10 0M6 23c3.3-3 6.7-3 10 0s6.7 3 10 0"
        fill="none"
        stroke="#fff"
        strokeWidth="2.4"
        strokeLinecap="round"
      />
    </svg>
  )
}
