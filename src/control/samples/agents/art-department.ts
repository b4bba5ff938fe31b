import { chat, ERROR_PORT, edges, llm, node, type Sample } from '../sample'

const ART_DIRECTOR = `You turn a brief into one prompt for an image model. Describe in English what is to be seen: subject, setting, composition, light, colours and style, in one paragraph of at most 80 words. No text in the picture unless the brief asks for it. Write the prompt and nothing else.`

export const artDepartment: Sample = {
  id: 'art-department',
  title: 'Art department',
  description:
    'A local model makes a good image prompt of a short brief, and an image model draws it. When drawing fails, the reason is the output.',
  capabilities: ['Pictures from text', 'Prompt writing', 'Error ports'],
  inputExample: 'A cover for a cookbook about soups, warm and a little old-fashioned.',
  slots: {
    local: {
      label: 'Local model',
      description: 'A chat model on this machine: it writes the prompt.',
      modality: null,
      params: chat(0.3, 256),
    },
    image: {
      label: 'Image model',
      description: 'A model that draws pictures from text.',
      modality: 'images.generation',
    },
  },
  nodes: [
    node('brief', 'input', { label: 'Brief', at: [0, 0] }),
    llm('direct', 'local', { label: 'Write the prompt', at: [1, 0], system: ART_DIRECTOR, user: '$in' }),
    node('draw', 'imagine', {
      label: 'Draw',
      at: [2, 0],
      config: { model: 'image' },
      out: ['out', ERROR_PORT],
    }),
    node('picture', 'output', { label: 'Picture', at: [3, 0], config: { modality: 'image' } }),
    node('not_drawn', 'output', { label: 'Drawing failed', at: [3, 1] }),
  ],
  edges: edges(
    'brief.out > direct.in',
    'direct.out > draw.in',
    'draw.out > picture.in',
    'draw.err > not_drawn.in',
  ),
}
