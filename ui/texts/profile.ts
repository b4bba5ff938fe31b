import type { Contrast, Theme } from '../theme'

export const texts = {
  title: 'Your account',
  tabs: {
    label: 'Parts of your account',
    profile: 'Profile',
    password: 'Password',
    keys: 'API keys',
  },
  profile: {
    username: 'Username',
    role: 'Role',
    displayName: 'Display name',
    displayNameHint: 'As others see it.',
    save: 'Save name',
    saved: 'Your name is changed.',
    failed: 'Your name was not changed',
  },
  theme: {
    label: 'Theme',
    options: {
      light: 'Light',
      dark: 'Dark',
      system: 'As the system',
    } satisfies Record<Theme, string>,
  },
  contrast: {
    label: 'Contrast, in this browser',
    options: {
      more: 'High',
      system: 'As the system',
    } satisfies Record<Contrast, string>,
  },
  password: {
    current: 'Current password',
    next: 'New password',
    hint: 'Every other browser that is signed in to this account is signed out.',
    save: 'Change password',
    saved: 'Your password is changed. Other browsers are signed out.',
    failed: 'Your password was not changed',
  },
  keys: {
    name: 'Name of the new key',
    nameExample: 'Nightly report',
    role: 'Role',
    create: 'Create key',
    createFailed: 'The key was not created',
    copyNow: (name: string) => `Copy the key ${name} now: it is not shown again.`,
    token: 'key',
    failed: 'Your keys could not be loaded',
    empty: 'No keys yet',
    hint: 'A key lets a program call Tycho in your name.',
    revoked: 'revoked',
    used: 'used {time}',
    neverUsed: 'never used',
    revoke: {
      label: (name: string) => `Revoke ${name}`,
      title: (name: string) => `Revoke the key ${name}?`,
      consequence: 'What uses it is refused from this moment on. It cannot be brought back.',
      confirm: 'Revoke key',
      done: 'The key is revoked.',
    },
  },
} as const
