import { chat, childPin, edges, llm, node, type Sample } from '../sample'

const ID = 'batch-briefing'
const TOPICS = ['Heat pumps in old buildings', 'Night trains in Europe', 'Open-weight language models']

const BRIEFER =
  'Write a briefing on the topic for a busy reader: what it is, why it matters now, and the one open question. At most 120 words. Say so where you are not sure.'

export const batchBriefing: Sample = {
  id: ID,
  title: 'Batch briefing',
  description:
    'A list of topics becomes a list of briefings, two at a time, within a daily budget of tokens; every Monday at seven if you enable its schedule.',
  capabilities: ['A map over a list', 'Failures are collected', 'A token budget', 'A schedule'],
  inputExample: TOPICS,
  durable: true,
  trigger: { kind: 'schedule', config: { cron: '0 7 * * 1', input: TOPICS } },
  slots: {
    local: {
      label: 'Local model',
      description: 'A chat model on this machine that writes the briefings.',
      modality: null,
      params: chat(0.3, 512),
    },
  },
  children: {
    writer: {
      nodes: [
        node('topic', 'input', { label: 'Topic', at: [0, 0] }),
        node('budget', 'quota', {
          label: 'Daily budget',
          at: [1, 0],
          config: { keyExpr: 'all', budgetTokens: 150_000, windowSeconds: 86_400 },
        }),
        llm('write', 'local', { label: 'Write', at: [2, 0], system: BRIEFER, user: '$in' }),
        node('briefing', 'output', { label: 'Briefing', at: [3, 0] }),
        node('refused', 'output', { label: 'Over budget', at: [2, 1], config: { modality: 'json' } }),
      ],
      edges: edges(
        'topic.out > budget.in',
        'budget.allow > write.in',
        'budget.deny > refused.in',
        'write.out > briefing.in',
      ),
    },
  },
  nodes: [
    node('topics', 'input', { label: 'Topics', at: [0, 0], config: { modality: 'json' } }),
    node('each', 'map', {
      label: 'Each topic',
      at: [1, 0],
      config: { ...childPin(ID, 'writer'), concurrency: 2, onError: 'collect' },
    }),
    node('briefings', 'output', { label: 'Briefings', at: [2, 0], config: { modality: 'json' } }),
  ],
  edges: edges('topics.out > each.in', 'each.out > briefings.in'),
}
