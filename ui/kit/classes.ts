/** Joins class names and leaves out what is false. `className` of a kit component is for placing it, not for its looks. */
export const classes = (...names: (string | false | null | undefined)[]): string =>
  names.filter(Boolean).join(' ')
