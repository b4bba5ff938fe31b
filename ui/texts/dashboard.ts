export const texts = {
  title: 'Dashboard',
  signedInAs: (name: string) => `Signed in as ${name}.`,
  newChat: 'New chat',
  planes: 'Planes',
  inMemory: 'In memory',
  figures: {
    runs: 'Runs',
    sessions: 'Sessions',
    models: 'Models',
    engines: 'Engines in memory',
    outOf: (most: number) => `of ${most}`,
  },
  firstModel: {
    title: 'Add your first model',
    hint: 'Download one that runs on this machine, or connect a provider that you have a key for. Then ask it something.',
    browse: 'Browse the catalog',
  },
  firstAgent: {
    title: 'Begin with a sample agent',
    hint: 'Two models in one graph, a guardrail, a picture from a brief: choose the models, and they run.',
  },
  latest: {
    showAll: 'Show all',
    showAllOf: (title: string) => `${title}: show all`,
    runs: {
      title: 'Latest runs',
      failed: 'The runs could not be loaded',
      empty: 'No runs yet',
      hint: 'Every question to a model leaves a run here, with its timeline.',
    },
    sessions: {
      title: 'Latest sessions',
      failed: 'The sessions could not be loaded',
      empty: 'No sessions yet',
      hint: 'Chats are kept here, to read again and go on with.',
    },
    models: {
      title: 'Models',
      failed: 'The models could not be loaded',
      empty: 'No models yet',
      hint: 'Add one to begin.',
      inMemory: 'in memory',
    },
  },
} as const
