interface ProgressProps {
  /** Names what is under way. */
  label: string
  /** From 0 to 1; `null` while nobody knows how much there is to do. */
  share: number | null
}

/** How far something is. */
export const Progress = ({ label, share }: ProgressProps) => (
  <div
    role="progressbar"
    aria-label={label}
    aria-valuemin={0}
    aria-valuemax={100}
    aria-valuenow={share === null ? undefined : Math.floor(share * 100)}
    className="h-1.5 overflow-hidden rounded-full bg-sunken"
  >
    <div
      className={
        share === null
          ? 'h-full w-1/3 animate-pulse rounded-full bg-accent'
          : 'h-full rounded-full bg-accent transition-[width] duration-500 ease-out'
      }
      style={share === null ? undefined : { width: `${Math.min(1, share) * 100}%` }}
    />
  </div>
)
