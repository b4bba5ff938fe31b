import type { Role } from '../users/roles'

export const texts = {
  list: {
    title: 'Users',
    description: 'Everybody who may sign in to this install.',
    add: 'Add user',
    failed: 'The users could not be loaded',
    name: 'Name',
    email: 'Email',
    role: 'Role',
    lastSignIn: 'Last sign-in',
    actions: 'Actions',
    you: 'you',
    disabled: 'disabled',
  },
  menu: {
    label: (name: string) => `Actions for ${name}`,
    edit: 'Edit',
    resetPassword: 'Reset password',
    setPassword: 'Set a password',
    lastAdmin: 'The last active admin stays',
  },
  roles: {
    viewer: { label: 'Viewer', hint: 'Chats with models, and sees own runs and sessions.' },
    editor: { label: 'Editor', hint: 'Builds and publishes too.' },
    admin: { label: 'Admin', hint: 'Changes settings and manages users too.' },
  } satisfies Record<Role, { label: string; hint: string }>,
  form: {
    createTitle: 'Add a user',
    editTitle: (name: string) => `Edit ${name}`,
    username: 'Username',
    usernameHint:
      '2 to 64 lower-case letters, digits, dots, dashes or underscores. It cannot be changed later.',
    displayName: 'Display name',
    displayNameHint: 'As others see it.',
    email: 'Email',
    emailHint: 'Optional.',
    role: 'Role',
    lastAdmin: 'The last active admin keeps this role. Make somebody else an admin first.',
    passwordHint: 'Left empty, the account cannot sign in until it has one.',
    create: 'Add user',
    created: (name: string) => `${name} may sign in now.`,
    changed: (name: string) => `${name} is changed.`,
  },
  password: {
    title: (name: string) => `New password for ${name}`,
    hint: 'Every browser of the account is signed out. Tell it to the person yourself.',
    submit: 'Set password',
    done: (name: string) => `The password of ${name} is set.`,
  },
  enable: {
    action: 'Enable',
    title: (name: string) => `Enable ${name}?`,
    consequences: 'The account may sign in again, and its API keys work again.',
    done: (name: string) => `${name} may sign in again.`,
  },
  disable: {
    action: 'Disable',
    title: (name: string) => `Disable ${name}?`,
    consequences:
      'The account is signed out everywhere at once, and its API keys stop working. Its runs and sessions stay.',
    done: (name: string) => `${name} is disabled.`,
  },
  delete: {
    title: (name: string) => `Delete ${name}?`,
    consequences:
      'The account, its sign-ins and its API keys are gone for good. Its runs and chats stay, and remember whose they were.',
    confirm: 'Delete user',
    done: (name: string) => `${name} is deleted.`,
  },
  ownAccount: 'This is your own account: you will be signed out.',
} as const
