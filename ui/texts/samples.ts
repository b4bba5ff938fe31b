import type { ReportEntry } from '../../src/control/samples/schema'

export const texts = {
  link: 'See the samples',
  openAgent: 'Open agent',
  install: 'Install',
  installOne: (subject: string) => `Install ${subject}`,
  tab: {
    title: 'Sample agents',
    description:
      'Each shows one way of putting a graph together. Installed, it is an agent like any other: run it, change it, delete it.',
    installAll: (count: number) => `Install all ${count}`,
    loading: 'Loading the samples',
    failed: 'The samples could not be loaded',
    empty: 'No samples',
    installed: 'installed',
    durable: 'durable runs',
    capabilities: (sample: string) => `${sample} shows`,
    openAgent: (name: string) => `Open agent ${name}`,
    takes: (models: string) => `Takes ${models}.`,
    brings: (things: string) => `Brings ${things}.`,
    connection: (name: string) => `connection ${name}`,
    source: (name: string) => `document source ${name}`,
    trigger: (kind: string) => `${kind} trigger`,
    triggerOff: (kind: string) => `${kind} trigger, off`,
  },
  dialog: {
    several: (count: number) => `${count} samples`,
    description: 'The document of an agent names its models. They can be others later, in a new version.',
    loading: 'Loading the models',
    loadFailed: 'The models could not be loaded',
    failed: 'Nothing was installed',
    installed: (subject: string) => `${subject}: installed.`,
  },
  slots: {
    placeholder: 'Choose a model…',
    missing: 'It needs a model.',
    uses: (samples: string, description: string) => `For ${samples}. ${description}`,
    noneFits: 'No model fits',
    noneFitsHint: 'None of the registered models is of the kind “{kind}”. {add} first.',
    add: 'Add one',
  },
  report: {
    title: 'What was installed',
    label: 'Report',
    status: {
      installed: 'installed',
      already_installed: 'was there already',
      error: 'not installed',
    } satisfies Record<ReportEntry['status'], string>,
    made: {
      connection: (key: string) => `connection ${key} made`,
      source: (key: string) => `document source ${key} made`,
    },
    found: {
      connection: (key: string) => `connection ${key} found`,
      source: (key: string) => `document source ${key} found`,
    },
  },
} as const
