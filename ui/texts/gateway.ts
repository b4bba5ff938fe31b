import type { GatewayConfig, GatewayKey } from '../../src/control/gateways/schema'
import type { OrgKeyStatus, Provider } from '../gateway/org-key'
import type { Rate } from '../gateway/prices'
import type { Billing, Client } from '../gateway/setup'
import { count, counted } from './words'

interface Choice {
  label: string
  hint: string
}

export const texts = {
  title: 'Gateway',
  description: {
    everybodys: 'Coding tools that go through the AI gateway: their sessions, tokens, costs and errors.',
    own: 'What you did through the AI gateway: sessions, tokens, costs and errors.',
  },
  tabsLabel: 'Parts of the gateway',
  tabs: {
    overview: 'Overview',
    sessions: 'Sessions',
    reports: 'Reports',
    keys: 'Developers & keys',
    archives: 'Archives',
    settings: 'Settings',
  },
  actionsFor: (name: string) => `Actions for ${name}`,
  disabled: 'disabled',
  done: 'Done',
  heardOf: 'heard of {time}',
  neverHeardOf: 'never heard of',
  firstRun: {
    title: (name: string) => `${name} forwards, and records nothing`,
    recorded: {
      title: 'With metadata, each request leaves',
      list: 'who asked and when, the client, the project’s name and git remote, model, status, token counts, durations, and the names and sizes of the tools that were used.',
    },
    unrecorded: {
      title: 'What is never recorded so',
      list: 'prompts, answers, files, arguments and results of tools. Keys and logins are not recorded at any level.',
    },
    record: 'Record metadata',
    hint: 'Counts within 30 seconds. Settings change it, or switch it off.',
    failed: 'Recording was not switched on',
    done: (name: string) => `${name} records metadata.`,
  },
  health: {
    empty: 'No gateway is attached. Settings make the key that one attaches with.',
    online: 'online',
    silent: 'silent',
    records: (level: string) => `records ${level}`,
    notRecording: 'not recording',
    queued: (records: number) => `${count(records)} in its queue`,
    concerns: {
      disabled: 'It is disabled: its records and heartbeats are refused.',
      neverHeardOf: 'Nobody has heard of it yet. Start it with the service key it was made with.',
      silent: 'It is silent. It may serve its developers all the same, and queue its records.',
      dropped: (records: number) =>
        `${counted(records, 'record was', 'records were')} dropped: its queue or its disk is full.`,
      unreadable: (lines: number) => `${counted(lines, 'line')} of its queue cannot be read; see queue/bad/.`,
      waiting: ({ records, size, age }: { records: number; size: string; age: string }) =>
        `${counted(records, 'record')} (${size}) waiting, the oldest for ${age}.`,
      oldConfig: 'It has not fetched its latest configuration yet.',
      oldKeys: 'It has not fetched the latest keys yet.',
      otherVersion: (version: string) =>
        `It runs version ${version}, which is not that of this control plane.`,
      refused: (requests: number, codes: string) =>
        `${counted(requests, 'request was', 'requests were')} refused within a day: ${codes}.`,
    },
  },
  choice: {
    find: (label: string) => `Find a ${label.toLowerCase()}…`,
    empty: 'Nothing fits.',
  },
  record: {
    title: 'Record',
    description: 'All that was recorded of this request. Messages are in it only where the level is full.',
    failed: 'The record could not be loaded',
    copied: 'record',
  },
  keys: {
    title: 'Gateway keys',
    description: {
      everybodys: 'In team mode each request brings one: it says who asks, and who pays.',
      own: 'What you use at a gateway in team mode. An admin makes and changes keys.',
    },
    loading: 'Loading the keys',
    failed: 'The keys could not be loaded',
    empty: 'No gateway keys',
    hint: 'A personal gateway needs none: it listens on its own machine only. A gateway of a team asks each developer for one.',
    create: 'Create key',
    name: 'Name',
    developer: 'Developer',
    key: 'Key',
    billedTo: 'Billed to',
    lastUsed: 'Last used',
    actions: 'Actions',
    payers: { organization: 'organization', own: 'own credential' } satisfies Record<
      GatewayKey['billing'],
      string
    >,
    disable: {
      action: 'Disable',
      title: (name: string) => `Disable ${name}?`,
      confirm: 'Disable',
      effect: 'Gateways refuse it within 30 seconds. It can be enabled again.',
    },
    enable: {
      action: 'Enable',
      title: (name: string) => `Enable ${name}?`,
      confirm: 'Enable',
      effect: 'Gateways take it again within 30 seconds.',
    },
    billOrganization: {
      action: 'Bill to organization',
      title: (name: string) => `Bill ${name} to the organization?`,
      confirm: 'Change billing',
      effect:
        'Requests with this key go to the provider with the organization’s key. The developer sets the client up for that, as shown below.',
    },
    billDeveloper: {
      action: 'Bill to own credential',
      title: (name: string) => `Bill ${name} to its developer?`,
      confirm: 'Change billing',
      effect: 'Requests with this key need a credential of the developer’s own beside it, as shown below.',
    },
    delete: {
      title: (name: string) => `Delete ${name}?`,
      confirm: 'Delete key',
      effect: 'Gateways refuse it within 30 seconds, for good. What was done with it stays in the reports.',
    },
    changed: (name: string) => `${name} is changed.`,
    deleted: (name: string) => `${name} is deleted.`,
    new: {
      title: 'Create a gateway key',
      description: 'One for each developer, or for each of their machines.',
      developerMissing: 'Choose whose key it is.',
      noDeveloper: 'Nobody fits. Accounts are made under Settings, Users.',
      nameHint: 'Optional: which machine, or what for.',
      payers: {
        own: {
          label: 'Own credential',
          hint: 'The developer’s key or plan goes through to the provider.',
        },
        organization: { label: 'Organization', hint: 'The gateway puts the organization’s key in.' },
      } satisfies Record<GatewayKey['billing'], Choice>,
    },
    created: {
      title: 'The key is made',
      hint: 'Copy it now: it is shown this once, and only its digest is kept.',
      copied: 'gateway key',
    },
  },
  setup: {
    title: 'Set up a coding tool',
    description: 'Lines to copy. The tool notices nothing: every byte goes to its provider and back.',
    billing: 'Who pays',
    billings: {
      none: { label: 'Personal', hint: 'A gateway on your own machine: no key, your own login or key.' },
      organization: { label: 'Organization', hint: 'The gateway puts the organization’s key in.' },
      own: { label: 'Own API key', hint: 'You pay with your key; the gateway key says who you are.' },
      subscription: { label: 'Own subscription', hint: 'You are signed in to the client with a plan.' },
    } satisfies Record<Billing, Choice>,
    client: 'Client',
    clients: { 'claude-code': 'Claude Code', codex: 'Codex' } satisfies Record<Client, string>,
    address: 'Gateway address',
    addressHint: 'As the developer’s machine reaches it.',
    shell: 'Shell',
    notes: {
      subscription: 'Sign in with /login as always: the login goes through untouched.',
      personal: 'Your login or API key stays where it is, and goes through untouched.',
      untested:
        'Codex with a ChatGPT plan behind a gateway key has not been tested. Use an API key, or the organization’s.',
    },
  },
  archives: {
    title: 'Archives',
    description: 'Whole days beyond the retention, compressed. Reports go on counting them.',
    loading: 'Loading the archives',
    failed: 'The archives could not be loaded',
    empty: 'No archives yet',
    hint: 'A day comes here once it is older than the retention under Settings, 90 days unless it was changed.',
    day: 'Day',
    requests: 'Requests',
    size: 'Size',
    stored: 'Stored',
    parts: 'Parts',
    download: 'Download',
    downloadDay: (day: string) => `Download ${day}`,
  },
  gateways: {
    title: 'Gateways',
    description: 'The one of this process attaches by itself; each other one with a service key.',
    loading: 'Loading the gateways',
    failed: 'The gateways could not be loaded',
    empty: 'None yet. Add one to get the key that it starts with.',
    add: 'Add gateway',
    addTitle: 'Add a gateway',
    rename: 'Rename',
    renameTitle: (name: string) => `Rename ${name}`,
    name: 'Name',
    nameHint: 'Where it runs, or whose it is.',
    nameMissing: 'Give it a name.',
    local: 'this process',
    version: (version: string) => `version ${version}`,
    created: {
      title: 'The gateway may attach',
      hint: 'Copy its service key now: it is shown this once, and only its digest is kept.',
      copiedKey: 'service key',
      start: 'Start it with the key and this control plane’s address, as its machine sees it:',
      copiedLines: 'lines to start it',
    },
    disable: {
      action: 'Disable',
      title: (name: string) => `Disable ${name}?`,
      confirm: 'Disable',
      effect:
        'Its service key is refused until it is enabled again. It goes on serving developers, and queues what it records.',
      done: (name: string) => `${name} is disabled.`,
    },
    enable: {
      action: 'Enable',
      title: (name: string) => `Enable ${name}?`,
      confirm: 'Enable',
      effect: 'Its service key is taken again, and what it queued comes in.',
      done: (name: string) => `${name} is enabled.`,
    },
    delete: {
      title: (name: string) => `Delete ${name}?`,
      confirm: 'Delete gateway',
      effect: 'Its service key opens nothing any more. What it recorded stays in sessions and reports.',
      done: (name: string) => `${name} is deleted.`,
    },
  },
  perGateway: {
    label: 'Settings of',
    spokenLabel: 'Gateway to set',
  },
  recording: {
    failed: 'The configuration could not be loaded',
    title: (name: string) => `Recording of ${name}`,
    description:
      'Until this is saved with recording on, the gateway forwards and records nothing. Credentials are never recorded.',
    observer: 'Record',
    observerHint: 'Observer mode: requests leave records.',
    level: 'Level',
    levels: {
      off: { label: 'Off', hint: 'Nothing.' },
      metadata: { label: 'Metadata', hint: 'Who, when, model, tokens, durations, names of tools.' },
      full: { label: 'Full', hint: 'Messages and answers too, redacted first.' },
    } satisfies Record<GatewayConfig['record_level'], Choice>,
    project: 'Project',
    projectHint: 'What is kept of the folder that a client works in.',
    projects: {
      off: { label: 'No project', hint: 'Sessions have no project.' },
      basename: { label: 'Name', hint: 'Name of the folder, and the git remote.' },
      path: { label: 'Whole path', hint: 'May hold a person’s name.' },
    } satisfies Record<GatewayConfig['project_attribution'], Choice>,
    keys: 'Redacted keys',
    keysHint: 'Names, one a line: values under them become [redacted] in contents.',
    patterns: 'Redacted patterns',
    patternsHint: 'RE2 expressions, one a line. What they match never leaves the gateway.',
    tooManyLines: (most: number) => `At most ${most} lines.`,
    lineTooLong: (most: number) => `At most ${most} characters a line.`,
    contentBytes: 'Largest kept content',
    contentBytesHint: 'Of one request at level full, in bytes; longer ones are cut.',
    contentBytesWrong: (least: number, most: number) => `Write a whole number from ${least} to ${most}.`,
    saveFailed: 'It was not saved',
    saved: (name: string) => `${name}: saved. It counts within 30 seconds.`,
  },
  orgKey: {
    title: 'Organization key',
    description:
      'Goes from this page straight to the gateway, never through the control plane, and is never shown again.',
    personal: (name: string) =>
      `${name} is a personal gateway: it forwards the credential of whoever uses it, so it has no organization key. A gateway in team mode has one.`,
    address: 'Address of this gateway',
    addressHint: 'As this browser reaches it.',
    ask: 'Ask the gateway',
    askFailed: 'The gateway was not asked',
    providers: { anthropic: 'Anthropic', openai: 'OpenAI' } satisfies Record<Provider, string>,
    key: (provider: string) => `${provider} key`,
    keyHint: 'For model endpoints only.',
    locked: 'The deployment sets it by environment, so it cannot be replaced from here.',
    sources: {
      none: 'not set',
      environment: 'set by the deployment',
      stored: 'stored at the gateway',
    } satisfies Record<OrgKeyStatus['providers'][Provider]['source'], string>,
    paste: 'Paste the key',
    pasteOther: 'Replace it…',
    set: 'Set key',
    replace: 'Replace key',
    remove: 'Remove',
    saved: (provider: string) => `The gateway has the ${provider} key.`,
    removed: (provider: string) => `The ${provider} key is removed.`,
    changeFailed: 'The key was not changed',
    noAnswer: (address: string) => `This page got no answer from ${address}.`,
    refused: (status: number) => `The gateway answered ${status}.`,
    help: {
      noAnswer: (origin: string) =>
        `Either no gateway runs at this address, or it does not let this page in. Its SERVICE_GATEWAY_ADMIN_ORIGINS must name ${origin}, and this interface’s SERVICE_GATEWAY_URL must name the gateway.`,
      personal:
        'This is a personal gateway. It forwards the credential of whoever uses it, so it has no organization key. Only a gateway in team mode (SERVICE_GATEWAY_AUTH_MODE=team) has one.',
      locked:
        'The deployment sets this key by environment. To change it from here, unset SERVICE_GATEWAY_ORG_API_KEY (or SERVICE_GATEWAY_ORG_OPENAI_API_KEY) and restart the gateway.',
      otherGateway: 'Check the address: a ticket opens the gateway that it was made for, and no other.',
    },
  },
  prices: {
    title: 'Prices',
    description:
      'Dollars for a million tokens. The most exact row counts: a model’s id, or its start and a star. Without a row a model is unpriced.',
    version: (version: number) => `version ${version}`,
    loading: 'Loading the prices',
    failed: 'The prices could not be loaded',
    empty:
      'No prices yet, so every cost is {unpriced}. Tycho brings none: they change, and contracts differ. Type what your provider’s price list says, or paste it from a spreadsheet.',
    unpriced: 'unpriced',
    beginsWith: (models: string) => `The table begins with what was used in the last 30 days: ${models}.`,
    beginsEmpty: 'The table begins empty, because no model was used yet.',
    model: 'Model',
    rates: {
      input: 'Input',
      cache_read: 'Cache read',
      cache_write_5m: 'Cache write 5 m',
      cache_write_1h: 'Cache write 1 h',
      output: 'Output',
    } satisfies Record<Rate, string>,
    missing: (models: string) => `Used in the last 30 days without a price: ${models}.`,
    enter: 'Enter prices',
    edit: 'Edit prices',
    reprice: {
      action: 'Price everything anew',
      title: 'Price everything anew?',
      confirm: 'Price anew',
      effect:
        'All that was recorded, archived days too, gets the prices as they are now. Costs in reports and sessions change.',
      done: (models: number, version: number) =>
        `${counted(models, 'model has', 'models have')} the prices of version ${version}.`,
    },
  },
  priceForm: {
    title: 'Prices to edit',
    remove: 'Remove',
    cell: (column: string, row: number) => `${column} of row ${row}`,
    removeRow: (row: number) => `Remove row ${row}`,
    addRow: 'Add row',
    paste: 'Paste a table',
    pasted: 'A table of prices',
    pastedHint:
      'Copied from a spreadsheet, as CSV, or as JSON of this API. Columns: model, input, cache read, cache write 5 m, cache write 1 h, output; in this order, or as the first line names them. Dollars for a million tokens.',
    addPasted: 'Add these rows',
    noJson: 'This is no JSON.',
    noRows: 'No line of this has a model and its prices.',
    save: 'Save prices',
    saved: 'The prices count from now on.',
    failed: 'The prices were not saved',
    noPrice: 'Enter at least one price.',
    noModel: 'Each row needs a model.',
    twice: (model: string) => `${model} is there twice.`,
    wrongRate: ({ model, rate, most }: { model: string; rate: string; most: number }) =>
      `${model}: ${rate} must be a number from 0 to ${most}.`,
  },
  retention: {
    title: 'Retention',
    description:
      'After these days a whole day moves to a compressed archive. Reports stay as they are; timelines of that day go.',
  },
} as const
