import { chat, edges, llm, node, type Sample } from '../sample'

const TRIAGE = `You decide which model answers a request. Say one word and nothing else.
LOCAL for everyday requests: facts, definitions, short texts, translations, small sums.
REMOTE for requests that need several steps of reasoning, planning, proofs, longer code or a careful comparison.
Do not answer the request.`

export const hybridReasoner: Sample = {
  id: 'hybrid-reasoner',
  title: 'Hybrid reasoner',
  description:
    'A local model reads every request first. It sends everyday ones to a local model and only the hard ones to a model behind an API.',
  capabilities: ['Routing by a model', 'Local and remote models', 'Cost control'],
  inputExample: 'A train leaves at 9:40 and covers 210 km at 84 km/h. When does it arrive?',
  slots: {
    local: {
      label: 'Local model',
      description: 'A small chat model on this machine: it sorts requests and answers the easy ones.',
      modality: null,
      params: chat(0.2, 1024),
    },
    remote: {
      label: 'Remote model',
      description: 'A strong chat model, usually behind an API: it answers what needs reasoning.',
      modality: null,
      params: chat(0.3, 2048),
    },
  },
  nodes: [
    node('request', 'input', { label: 'Request', at: [0, 1] }),
    llm('triage', 'local', { label: 'Triage', at: [1, 1], system: TRIAGE, user: '$in' }),
    node('route', 'router', {
      label: 'Easy or hard?',
      at: [2, 1],
      // Small models add a full stop or a bold face: whatever does not begin with REMOTE stays on this machine.
      config: { select: '$contains($in.verdict, /^[^a-z]*remote/i) ? "remote" : "local"' },
      // The verdict only decides. What goes on is the request itself, word for word.
      in: ['in', { id: 'verdict', role: 'control' }],
      out: ['local', 'remote'],
    }),
    llm('answer_local', 'local', {
      label: 'Answer on this machine',
      at: [3, 0],
      system: 'Answer the request briefly and to the point.',
      user: '$in',
    }),
    llm('answer_remote', 'remote', {
      label: 'Answer by API',
      at: [3, 2],
      system: 'Think the request through, answer it, and show the steps that matter.',
      user: '$in',
    }),
    node('output_local', 'output', { label: 'Local answer', at: [4, 0] }),
    node('output_remote', 'output', { label: 'Remote answer', at: [4, 2] }),
  ],
  edges: edges(
    'request.out > triage.in',
    'request.out > route.in',
    'triage.out > route.verdict',
    'route.local > answer_local.in',
    'route.remote > answer_remote.in',
    'answer_local.out > output_local.in',
    'answer_remote.out > output_remote.in',
  ),
}
