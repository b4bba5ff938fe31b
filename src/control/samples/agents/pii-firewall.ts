import { chat, edges, llm, node, type Sample } from '../sample'

const ASSISTANT = 'You are a helpful office assistant. Do what the message asks, briefly and politely.'

export const piiFirewall: Sample = {
  id: 'pii-firewall',
  title: 'PII firewall',
  description:
    'A rule looks for personal data: e-mail addresses, social security numbers, card numbers. Text with any is answered on this machine and never leaves it; the rest goes to a model behind an API.',
  capabilities: ['Guardrail by rule', 'Privacy', 'Local and remote models'],
  inputExample: 'Write a short reply to jane.doe@example.com: her order is on its way and arrives on Friday.',
  slots: {
    local: {
      label: 'Local model',
      description: 'A chat model on this machine: the only one that sees personal data.',
      modality: null,
      params: chat(0.2, 1024),
    },
    remote: {
      label: 'Remote model',
      description: 'A chat model behind an API: it gets text without personal data.',
      modality: null,
      params: chat(0.3, 1024),
    },
  },
  nodes: [
    node('message', 'input', { label: 'Message', at: [0, 1] }),
    node('firewall', 'guardrail', {
      label: 'Personal data?',
      at: [1, 1],
      config: { check: { type: 'rule', rule: { kind: 'pii', spec: {} } } },
    }),
    llm('answer_remote', 'remote', {
      label: 'Answer by API',
      at: [2, 0],
      system: ASSISTANT,
      user: '$in',
    }),
    llm('answer_local', 'local', {
      label: 'Answer on this machine',
      at: [2, 2],
      system: ASSISTANT,
      user: '$in',
    }),
    node('output_remote', 'output', { label: 'Remote answer', at: [3, 0] }),
    node('output_local', 'output', { label: 'Local answer', at: [3, 2] }),
  ],
  edges: edges(
    'message.out > firewall.in',
    'firewall.pass > answer_remote.in',
    'firewall.block > answer_local.in',
    'answer_remote.out > output_remote.in',
    'answer_local.out > output_local.in',
  ),
}
