import { Slot } from 'radix-ui'
import type { ComponentProps, MouseEvent, ReactNode } from 'react'
import { classes } from './classes'
import { Spinner } from './spinner'
import { Tooltip } from './tooltip'

const VARIANTS = {
  primary: 'bg-ink text-on-ink hover:bg-ink-hover border-transparent',
  secondary: 'bg-surface text-text border-line-strong hover:bg-hover shadow-card dark:bg-sunken',
  ghost: 'bg-transparent text-muted border-transparent hover:bg-hover hover:text-text',
  danger: 'bg-bad text-on-bad border-transparent hover:bg-bad-hover',
}
const SIZES = {
  sm: 'h-7 px-2.5 text-xs gap-1.5 pointer-coarse:h-9',
  md: 'h-8 px-3 text-sm gap-2 pointer-coarse:h-10',
  lg: 'h-10 px-4 text-base gap-2',
}
const SQUARES = { sm: 'size-7 pointer-coarse:size-9', md: 'size-8 pointer-coarse:size-10', lg: 'size-10' }

interface Looks {
  variant?: keyof typeof VARIANTS
  size?: keyof typeof SIZES
  /** The work it started is under way: it shows so, keeps the focus and takes no further click. */
  pending?: boolean
}

interface ButtonProps extends ComponentProps<'button'>, Looks {
  icon?: ReactNode
  /** Renders its only child, a link for instance, as a button. */
  asChild?: boolean
}

const base =
  'inline-flex shrink-0 items-center justify-center rounded-md border font-medium whitespace-nowrap select-none transition-colors duration-100 disabled:opacity-50 disabled:cursor-not-allowed aria-disabled:opacity-60 [&_svg]:shrink-0'

export function Button({
  variant = 'secondary',
  size = 'md',
  pending = false,
  icon,
  asChild = false,
  className,
  children,
  type = 'button',
  onClick,
  ...rest
}: ButtonProps) {
  const looks = classes(base, VARIANTS[variant], SIZES[size], className)
  if (asChild) {
    return (
      <Slot.Root className={looks} {...rest}>
        {children}
      </Slot.Root>
    )
  }
  return (
    <button
      type={type}
      className={looks}
      {...rest}
      {...pendingProps(pending)}
      onClick={unlessPending(pending, onClick)}
    >
      {pending ? <Spinner /> : icon}
      {children}
    </button>
  )
}

interface IconButtonProps extends Omit<ComponentProps<'button'>, 'children'>, Looks {
  /** What it does: its accessible name, and its tooltip. */
  label: string
  icon: ReactNode
  tooltipSide?: ComponentProps<typeof Tooltip>['side']
}

export function IconButton({
  label,
  icon,
  variant = 'ghost',
  size = 'md',
  pending = false,
  className,
  type = 'button',
  tooltipSide,
  onClick,
  ...rest
}: IconButtonProps) {
  return (
    <Tooltip label={label} side={tooltipSide}>
      <button
        type={type}
        aria-label={label}
        className={classes(base, VARIANTS[variant], SQUARES[size], className)}
        {...rest}
        {...pendingProps(pending)}
        onClick={unlessPending(pending, onClick)}
      >
        {pending ? <Spinner /> : icon}
      </button>
    </Tooltip>
  )
}

const pendingProps = (pending: boolean) => (pending ? { 'aria-disabled': true, 'aria-busy': true } : {})

/** A disabled button would drop the focus; a pending one keeps it and swallows clicks, submitting ones too. */
const unlessPending =
  (pending: boolean, onClick: ComponentProps<'button'>['onClick']) =>
  (event: MouseEvent<HTMLButtonElement>) =>
    pending ? event.preventDefault() : onClick?.(event)
