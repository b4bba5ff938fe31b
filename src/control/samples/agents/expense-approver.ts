import { chat, edges, llm, node, type Sample } from '../sample'

const CLERK = `You prepare expense claims for a person who decides. In at most four short sentences say what was spent on what, whether the amount is usual for it, and what is missing or odd. Do not decide.`

export const expenseApprover: Sample = {
  id: 'expense-approver',
  title: 'Expense approver',
  description:
    'A model sums up an expense claim, a person approves or rejects it, and only an approved one is booked. The run waits for a day.',
  capabilities: ['Waiting for a person', 'A form made from a schema', 'Branches by a decision'],
  inputExample: {
    employee: 'Dana',
    amount_eur: 184.5,
    purpose: 'Dinner with two customers after the trade fair',
    receipt: true,
  },
  durable: true,
  slots: {
    local: {
      label: 'Local model',
      description: 'A chat model on this machine that sums up the claim.',
      modality: null,
      params: chat(0.2, 512),
    },
  },
  nodes: [
    node('claim', 'input', { label: 'Claim', at: [0, 1], config: { modality: 'json' } }),
    llm('summary', 'local', { label: 'Sum up', at: [1, 0], system: CLERK, user: '$in' }),
    node('case', 'transform', {
      label: 'Case',
      at: [2, 1],
      in: ['claim', 'summary'],
      config: { expr: '{"claim": "$in.claim", "summary": "$in.summary"}' },
    }),
    node('approval', 'human', {
      label: 'Approve?',
      at: [3, 1],
      config: {
        prompt: 'Approve this expense claim?',
        inputSchema: {
          type: 'object',
          required: ['decision'],
          properties: {
            decision: { type: 'string', enum: ['approve', 'reject'] },
            comment: { type: 'string' },
          },
        },
        timeout: 86_400,
        onTimeout: 'fail',
      },
    }),
    node('decision', 'router', {
      label: 'Decision',
      at: [4, 1],
      out: ['approve', 'reject'],
      config: { select: '$in.in.decision' },
    }),
    node('book', 'tool', {
      label: 'Book it',
      at: [5, 0],
      out: ['out'],
      config: { tool: 'echo', args: { value: '$in' } },
    }),
    node('refusal', 'transform', {
      label: 'Refusal',
      at: [5, 2],
      config: { expr: '{"status": "rejected", "answer": "$in"}' },
    }),
    node('booked', 'output', { label: 'Booked', at: [6, 0], config: { modality: 'json' } }),
    node('rejected', 'output', { label: 'Rejected', at: [6, 2], config: { modality: 'json' } }),
  ],
  edges: edges(
    'claim.out > summary.in',
    'claim.out > case.claim',
    'summary.out > case.summary',
    'case.out > approval.in',
    'approval.out > decision.in',
    'decision.approve > book.in',
    'decision.reject > refusal.in',
    'book.out > booked.in',
    'refusal.out > rejected.in',
  ),
}
