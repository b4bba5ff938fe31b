import type { Part } from '../gateway/timeline'
import { count, counted } from './words'

export const texts = {
  overview: {
    loading: 'Loading the figures',
    failed: 'The figures could not be loaded',
    gaps: (requests: number) =>
      `${counted(requests, 'request')} of these days passed without a record, because a queue or a disk was full. The figures are too small by that.`,
    figures: {
      label: 'Last 30 days',
      spend: 'Spend, 30 days',
      unpriced: 'Unpriced',
      unpricedNote: (requests: number) => `${counted(requests, 'request has', 'requests have')} no price`,
      spendNote: (requests: number) => counted(requests, 'request'),
      tokens: 'Tokens, 30 days',
      tokensNote: (cached: string) => `${cached} of input from caches`,
      errors: 'Errors, 30 days',
      errorsNote: (retries: number, aborts: number) =>
        `${counted(retries, 'retry', 'retries')}, ${counted(aborts, 'abort')}`,
      live: 'Live sessions',
      liveNote: 'with a request in the last 5 minutes',
    },
    empty: 'Nothing recorded yet',
    hint: 'Point a coding tool at the gateway. It notices nothing, and its sessions, tokens, costs and errors can be read here once recording is on.',
    latest: {
      title: 'Latest sessions',
      showAll: 'Show all',
      showAllLabel: 'Latest sessions: show all',
      failed: 'The sessions could not be loaded',
    },
  },
  sessions: {
    title: 'Sessions of coding tools',
    loading: 'Loading the sessions',
    failed: 'The sessions could not be loaded',
    empty: 'No sessions yet',
    hint: 'A session is one conversation with a coding tool: its turns, requests, tools and sub-agents. It appears here within seconds of its first request, once a gateway records.',
    noMatch: 'No session fits',
    showAll: 'Show all',
    showOlder: 'Show older ones',
    linkTitle: (id: string) => `Session ${id}`,
    noProject: 'No project',
    archived: 'archived',
  },
  session: {
    title: 'Session',
    withoutProject: 'Session without a project',
    loading: 'Loading the session',
    failed: 'The session could not be loaded',
    notFound: 'There is no such session',
    notFoundHint: 'Perhaps it is somebody else’s.',
    showAll: 'Show all sessions',
    inRequests: (requests: number) => `in ${counted(requests, 'request')}`,
    cached: (share: string) => `${share} cached`,
    retries: (retries: number) => counted(retries, 'retry', 'retries'),
    showMore: 'Show what followed',
    inArchives: 'Its requests are in archives',
    inArchivesHint:
      'The days of this session are over the time for which requests are kept in detail. Its figures stay here and in the reports; an admin can download the days under Archives.',
    noDetail: 'There is nothing in detail of this session.',
  },
  timeline: {
    title: 'Timeline',
    summary: (busy: string) => `${busy} of work`,
    summaryWithPauses: (busy: string, pauses: number) =>
      `${busy} of work; ${counted(pauses, 'long pause is', 'long pauses are')} drawn short`,
    pause: (time: string) => `A pause of ${time}`,
    legend: {
      time: 'Time',
      request: 'request',
      retried: 'retried',
      failed: 'failed',
      tools: 'tools',
      input: 'Input',
    },
    mainAgent: 'Main agent',
    subAgent: (id: string) => `Sub-agent ${id}`,
    depth: (depth: number) => `depth ${depth}`,
    turn: (number: number) => `Turn ${number}`,
    retries: (retries: number) => counted(retries, 'retry', 'retries'),
    failed: 'failed',
    tools: (tools: number) => counted(tools, 'tool'),
    output: (tokens: string) => `${tokens} out`,
    turnBars: ({ number, requests, retries, time, toolTime }: TurnBars) =>
      `Turn ${number}: ${counted(requests, 'request')}, ${count(retries)} retried, ${time}${toolTime ? `, then tools for ${toolTime}` : ''}`,
  },
  cacheBar: {
    label: ({ cacheRead, cacheWrite, input }: Part, cached: string) =>
      `Input tokens: ${count(cacheRead)} read from a cache, ${count(cacheWrite)} written to a cache, ${count(input)} in full. ${cached} cached.`,
    legend: {
      cacheRead: 'from a cache',
      cacheWrite: 'into a cache',
      input: 'in full',
    } satisfies Record<keyof Part, string>,
  },
  requests: {
    attempt: (number: number) => `attempt ${number}`,
    aborted: 'aborted',
    brokeOff: (status: number) => `${status}, broke off`,
    firstToken: (time: string) => `first token ${time}`,
    tokens: ({ input, cached, output }: RequestTokens) => `${input} in (${cached} cached), ${output} out`,
    record: 'Record',
    tools: 'Tools it called',
    toolSizes: (input: string, result: string) => `${input} in, ${result} back`,
    toolWithoutResult: (input: string) => `${input} in, no result seen`,
    toolError: 'error',
  },
  report: {
    filters: 'What to report',
    groupBy: 'Group by',
    groupByHint: 'one to three, in this order',
    from: 'From',
    through: 'Through',
    every: {
      developer: 'Every developer',
      project: 'Every project',
      model: 'Every model',
      client: 'Every client',
      gateway: 'Every gateway',
    },
    clear: 'Clear',
    loading: 'Making the report',
    failed: 'The report could not be made',
    empty: 'Nothing was recorded that fits',
    hint: 'Choose other days, or take a filter away. Without recording there are no figures: admins switch it on under Settings.',
    title: 'Figures',
    range: (requests: number, from: string, to: string) =>
      `${counted(requests, 'request')} from ${from} until before ${to}, UTC.`,
    csv: 'CSV',
    tableLabel: 'Report',
    totals: 'All',
    more: (rows: number) =>
      `These are the first ${count(rows)} rows; sums count all of them. Narrow the report to see the others.`,
  },
  dayChart: {
    title: 'By day',
    metric: 'What to draw',
    caption: (metric: string) => `${metric}, day by day, UTC`,
    captionWithGaps: (metric: string) => `${metric}, day by day, UTC; what is unpriced has no bar`,
    asTable: (metric: string) => `${metric} as a table`,
    tableLabel: (metric: string) => `${metric} by day`,
  },
  toolReport: {
    title: 'Tools',
    description: 'What models called on the developers’ machines, in the same days.',
    failed: 'The tools could not be loaded',
    tool: 'Tool',
    calls: 'Calls',
    errorShare: 'Error share',
    results: 'Results',
  },
  /** What sessions, requests and rows of reports have. */
  fields: {
    day: 'Day',
    developer: 'Developer',
    project: 'Project',
    model: 'Model',
    client: 'Client',
    gateway: 'Gateway',
    status: 'Status',
    cost: 'Cost',
    requests: 'Requests',
    sessions: 'Sessions',
    turns: 'Turns',
    toolCalls: 'Tool calls',
    tokens: 'Tokens',
    input: 'Input',
    cacheRead: 'Cache read',
    cacheWrite5m: 'Cache write 5 m',
    cacheWrite1h: 'Cache write 1 h',
    output: 'Output',
    cacheHits: 'Cache hits',
    errors: 'Errors',
    retries: 'Retries',
    aborts: 'Aborts',
    firstTokenP50: 'First token p50',
    firstTokenP95: 'First token p95',
    totalP50: 'Total p50',
    totalP95: 'Total p95',
    lastActivity: 'Last activity',
  },
  values: {
    clients: { 'claude-code': 'Claude Code', codex: 'Codex', other: 'Other' },
    unknownClient: 'Unknown',
    unknownDeveloper: 'This machine',
    noProject: 'no project',
    noModel: 'no model',
    noAnswer: 'no answer',
    noCost: 'no cost',
    unpriced: 'unpriced',
    withUnpriced: (cost: string) => `${cost} + unpriced`,
    withUnpricedRequests: (cost: string, requests: number) => `${cost} + ${count(requests)} unpriced`,
  },
} as const

interface TurnBars {
  number: number
  requests: number
  retries: number
  time: string
  /** Null while that is not known. */
  toolTime: string | null
}

interface RequestTokens {
  input: string
  cached: string
  output: string
}
