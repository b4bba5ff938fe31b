import { chat, edges, llm, node, type Sample } from '../sample'

const DESK =
  'You answer the telephone at a help desk. Your words are read out: at most three short sentences, plain text without lists, symbols or addresses. The caller’s words come from speech recognition, so expect small mistakes in them. Ask back when you are not sure what is meant.'

export const voiceDesk: Sample = {
  id: 'voice-desk',
  title: 'Voice desk',
  description:
    'A recording becomes text, a local model answers, and the answer is spoken. When listening or speaking fails, the reason is the output.',
  capabilities: ['Speech to text', 'Text to speech', 'Error ports'],
  inputExample: null,
  slots: {
    stt: {
      label: 'Speech to text',
      description: 'A model that writes down recordings.',
      modality: 'audio.transcription',
    },
    local: {
      label: 'Local model',
      description: 'A chat model on this machine: it answers the caller.',
      modality: null,
      params: chat(0.3, 256),
    },
    tts: {
      label: 'Text to speech',
      description: 'A model that reads texts out, in the voice it has by default.',
      modality: 'audio.speech',
    },
  },
  nodes: [
    node('call', 'input', { label: 'Recording', at: [0, 0], config: { modality: 'audio' } }),
    node('listen', 'transcribe', { label: 'Listen', at: [1, 0], config: { model: 'stt' } }),
    llm('answer', 'local', { label: 'Answer', at: [2, 0], system: DESK, user: '$in' }),
    node('say', 'speak', { label: 'Speak', at: [3, 0], config: { model: 'tts' } }),
    node('spoken', 'output', { label: 'Spoken answer', at: [4, 0], config: { modality: 'audio' } }),
    node('not_heard', 'output', { label: 'Listening failed', at: [2, 1] }),
    node('not_spoken', 'output', { label: 'Speaking failed', at: [4, 1] }),
  ],
  edges: edges(
    'call.out > listen.audio',
    'listen.text > answer.in',
    'listen.err > not_heard.in',
    'answer.out > say.text',
    'say.audio > spoken.in',
    'say.err > not_spoken.in',
  ),
}
