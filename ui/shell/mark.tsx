/** A small body on its path around a larger one. */
export const Mark = ({ className }: { className?: string }) => (
  <svg viewBox="0 0 32 32" fill="none" aria-hidden="true" className={className}>
    <rect width="32" height="32" rx="8" className="fill-ink" />
    <circle cx="16" cy="16" r="4" className="fill-on-ink" />
    <ellipse
      cx="16"
      cy="16"
      rx="11"
      ry="5.4"
      transform="rotate(-28 16 16)"
      strokeWidth="1.8"
      className="stroke-on-ink"
    />
    <circle cx="25.2" cy="10.2" r="2.4" className="fill-[#7ea2ff] dark:fill-[#2c5bd8]" />
  </svg>
)
