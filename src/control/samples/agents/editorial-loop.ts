import { chat, childPin, edges, llm, node, type Sample } from '../sample'

const ID = 'editorial-loop'

const EDITOR = `You write and edit a short text, one step at a time.
If you are given a brief, write a first version of at most 120 words.
If you are given JSON with a "text" and "notes", improve the text by the notes.
Then judge your text strictly: is every sentence needed, concrete and true to the brief?
Answer with JSON alone: {"text": "...", "notes": "what could still be better, or nothing", "approved": true or false}.`

export const editorialLoop: Sample = {
  id: ID,
  title: 'Editorial loop',
  description:
    'An agent writes and judges a text, again and again, until it approves of it itself, three times at most.',
  capabilities: ['An agent that runs another', 'A loop with a condition'],
  inputExample: 'A notice for the staircase: the lift is repaired on Thursday from 8 to 16 h.',
  durable: true,
  slots: {
    local: {
      label: 'Local model',
      description: 'A chat model on this machine that can answer with JSON.',
      modality: null,
      params: { ...chat(0.3, 1024), responseFormat: { type: 'json_object' } },
    },
  },
  children: {
    editor: {
      nodes: [
        node('draft', 'input', { label: 'Brief or draft', at: [0, 0] }),
        llm('edit', 'local', { label: 'Edit', at: [1, 0], system: EDITOR, user: '$in' }),
        node('version', 'output', { label: 'Version', at: [2, 0], config: { modality: 'json' } }),
      ],
      edges: edges('draft.out > edit.in', 'edit.out > version.in'),
    },
  },
  nodes: [
    node('brief', 'input', { label: 'Brief', at: [0, 0] }),
    node('editing', 'loop', {
      label: 'Until approved',
      at: [1, 0],
      config: { ...childPin(ID, 'editor'), maxIterations: 3, condition: '$in.in.approved' },
    }),
    node('text', 'transform', { label: 'The text alone', at: [2, 0], config: { expr: '"$in.in.text"' } }),
    node('final', 'output', { label: 'Final text', at: [3, 0] }),
  ],
  edges: edges('brief.out > editing.in', 'editing.out > text.in', 'text.out > final.in'),
}
