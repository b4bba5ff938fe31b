export const texts = {
  opening: 'Opening Tycho',
  unreachable: {
    title: 'Tycho does not answer',
    description: 'The page is here, but the control plane behind it is not. This page tries again by itself.',
    isRunning: 'Is it running? Start it with {command} or {script}.',
    portMoved:
      'Did its port move? Open the address that the terminal printed, so that this page knows the new one.',
    otherComputer: 'Is it on another computer? That address must be listed in {variable}.',
  },
  setup: {
    title: 'Welcome to Tycho',
    description: 'Make the first account. It is an admin: it may change everything and add other people.',
    username: 'Username',
    usernameHint: '2 to 64 lower-case letters, digits, dots, dashes or underscores.',
    displayName: 'Your name',
    displayNameHint: 'As others see it. You can leave it out.',
    passwordHint: 'Nobody can recover it for you: keep it safe.',
    submit: 'Create account',
    footer: 'It stays on this machine: nothing is sent anywhere, and no email is needed.',
  },
  welcome: {
    title: (name: string) => `Good to have you, ${name}`,
    description: 'Your account is ready. What would you like to do?',
    addModelHint:
      'Connect a provider you have a key for, or run one on this machine. Everything else needs one.',
    chat: 'Start chatting',
    chatHint: 'Ask a model something, and watch the run it makes.',
    dashboard: 'Look around first',
    dashboardHint: 'The dashboard shows what there is, and what is missing.',
  },
  login: {
    title: 'Sign in to Tycho',
    ended: 'Your sign-in has ended. Sign in again to go on where you were.',
    accountDisabled: 'Somebody with the role admin can enable the account again.',
    unreachable: 'What you typed is still here: try again in a moment.',
    username: 'Username',
    password: 'Password',
    submit: 'Sign in',
    footer: 'Forgot the password? Somebody with the role admin can set a new one under Settings, Users.',
  },
  newPassword: {
    label: 'Password',
    hint: (consequence: string) => `At least 8 characters. ${consequence}`,
  },
  tryAgainIn: (wait: string) => `Try again in ${wait}`,
} as const
