import { chat, edges, llm, node, type Sample } from '../sample'

const EXPERT =
  'Answer the question as well as you can. Say what you are sure of and what you are not. At most 200 words.'

const JUDGE = `Two advisers answered the same question. Write the one answer that should be given.
Keep what both agree on. Where they differ, decide for the better founded side and say in one sentence why. Correct what is wrong. Do not speak of "the advisers" otherwise. At most 250 words.`

const CASE = `Question:
$in.question

First answer:
$in.first

Second answer:
$in.second`

export const secondOpinion: Sample = {
  id: 'second-opinion',
  title: 'Second opinion',
  description:
    'Two models answer the same question side by side; a local model weighs both answers and writes one.',
  capabilities: ['Parallel branches', 'A node with several inputs', 'A model as judge'],
  inputExample: 'Should a team of three developers start with microservices?',
  slots: {
    local: {
      label: 'Local model',
      description: 'A chat model on this machine: it gives the first answer and the verdict.',
      modality: null,
      params: chat(0.2, 1024),
    },
    remote: {
      label: 'Remote model',
      description: 'Another chat model, usually behind an API: it gives the second answer.',
      modality: null,
      params: chat(0.3, 1024),
    },
  },
  nodes: [
    node('question', 'input', { label: 'Question', at: [0, 1] }),
    llm('first', 'local', { label: 'First opinion', at: [1, 0], system: EXPERT, user: '$in' }),
    llm('second', 'remote', { label: 'Second opinion', at: [1, 2], system: EXPERT, user: '$in' }),
    llm('judge', 'local', {
      label: 'Judge',
      at: [2, 1],
      in: ['question', 'first', 'second'],
      system: JUDGE,
      user: CASE,
    }),
    node('verdict', 'output', { label: 'Verdict', at: [3, 1] }),
  ],
  edges: edges(
    'question.out > first.in',
    'question.out > second.in',
    'question.out > judge.question',
    'first.out > judge.first',
    'second.out > judge.second',
    'judge.out > verdict.in',
  ),
}
