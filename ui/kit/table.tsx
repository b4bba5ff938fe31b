import type { ComponentProps, ReactNode } from 'react'
import { classes } from './classes'

/** `label` names the table. Where it is wider than its place it scrolls inside it, by keyboard too. */
export const Table = ({ label, children }: { label: string; children: ReactNode }) => (
  <section
    aria-label={label}
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    tabIndex={0}
    className="relative min-w-0 overflow-x-auto focus-visible:outline-offset-[-2px]"
  >
    <table className="w-full border-collapse text-left text-sm">{children}</table>
  </section>
)

export const TableHead = ({ children }: { children: ReactNode }) => (
  <thead className="border-b">
    <tr>{children}</tr>
  </thead>
)

export const TableBody = ({ children }: { children: ReactNode }) => (
  <tbody className="divide-y divide-line">{children}</tbody>
)

export const HeadCell = ({ className, ...rest }: ComponentProps<'th'>) => (
  <th
    scope="col"
    className={classes('px-4 py-2 text-xs font-medium whitespace-nowrap text-faint', className)}
    {...rest}
  />
)

/** A row with a link of class `rowLink` in it is one large link. */
export const Row = ({ className, ...rest }: ComponentProps<'tr'>) => (
  <tr
    className={classes('group relative transition-colors duration-75 hover:bg-sunken/60', className)}
    {...rest}
  />
)

export const Cell = ({ className, ...rest }: ComponentProps<'td'>) => (
  <td className={classes('px-4 py-2.5 align-middle', className)} {...rest} />
)

/** For the one link of a `Row` or list item that everything in it leads to. */
export const rowLink =
  'font-medium text-text outline-none after:absolute after:inset-0 focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-accent'
