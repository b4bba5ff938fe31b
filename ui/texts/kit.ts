export const texts = {
  pageTitle: (title: string) => (title ? `${title} · Tycho` : 'Tycho'),
  loading: 'Loading',
  justNow: 'just now',
  choose: 'Choose…',
  combobox: {
    label: (label: string, chosen: string | undefined) => `${label}: ${chosen ?? 'none chosen'}`,
    search: 'Search…',
  },
  copying: {
    copy: 'Copy',
    copied: 'Copied',
    copyOf: (label: string) => `Copy ${label}`,
  },
  password: {
    show: 'Show password',
    hide: 'Hide password',
  },
  unknownError: 'Something went wrong here.',
  dismissToast: 'Dismiss',
} as const
