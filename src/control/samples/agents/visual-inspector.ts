import { chat, edges, llm, node, type Sample } from '../sample'

const INSPECTOR = `You inspect pictures against criteria. Answer with one JSON object and nothing else, without a code fence:
{"verdict": "pass" or "fail", "reasons": ["one short sentence for each criterion"]}
The verdict is "pass" only when the picture meets every criterion and you can see that it does.`

const TASK = `$in.in.text

Criteria:
$in.in.criteria`

/** A red disc on white, 96 by 96. */
const RED_DISC =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAGAAAABgAQMAAADYVuV7AAAABlBMVEX////RJC+DsFCGAAAAkUlEQVR42t2TPQ6AIAxGIQ6MHoGjcDQ9GkfxCIwOhCqWvy+EQTfp1JdASemrENPHRjVXRK6AJvLNKSrn5J2TTbBEOOr9WkFHyBVMhNAUK+WenPYeJIOtz+SHFIPrYWU4e9AMvgfDEN4Ad5B6+Cd8aXv8ieOPHw8LZgrTHkuB7oBV4BuYCI6CveA1Gg+7AFsyUVy89YXGh0LnewAAAABJRU5ErkJggg=='

export const visualInspector: Sample = {
  id: 'visual-inspector',
  title: 'Visual inspector',
  description:
    'A vision model judges a picture against your criteria and answers in JSON. A rule checks the shape of the answer, and a router leads to pass or fail.',
  capabilities: ['Pictures', 'Structured answers', 'Guardrail by rule', 'Routing by a field'],
  inputExample: {
    text: 'Inspect this label before it is printed.',
    criteria: 'Exactly one disc. The disc is red. The background is white.',
    image: RED_DISC,
  },
  slots: {
    vision: {
      label: 'Vision model',
      description: 'A chat model that sees pictures.',
      modality: 'vision',
      params: chat(0, 512),
    },
  },
  nodes: [
    node('item', 'input', {
      label: 'Picture and criteria',
      at: [0, 1],
      config: {
        modality: 'json',
        schema: {
          type: 'object',
          required: ['image', 'text', 'criteria'],
          properties: {
            image: { type: 'string', description: 'A data URI or the address of a picture.' },
            text: { type: 'string', description: 'What the picture is.' },
            criteria: { type: 'string', description: 'What it has to meet.' },
          },
        },
      },
    }),
    llm('inspect', 'vision', {
      label: 'Inspect',
      at: [1, 1],
      system: INSPECTOR,
      user: [
        { type: 'text', text: TASK },
        { type: 'image_url', imageUrl: { url: '$in.in.image' } },
      ],
    }),
    node('shape', 'guardrail', {
      label: 'A verdict in JSON?',
      at: [2, 1],
      config: { check: { type: 'rule', rule: { kind: 'json_schema', spec: { required: ['verdict'] } } } },
    }),
    node('decide', 'router', {
      label: 'Pass or fail',
      at: [3, 0],
      config: { select: '$in.in.verdict' },
      out: ['pass', 'fail'],
    }),
    node('passed', 'output', { label: 'Passed', at: [4, 0], config: { modality: 'json' } }),
    node('failed', 'output', { label: 'Failed', at: [4, 1], config: { modality: 'json' } }),
    node('unreadable', 'output', { label: 'No verdict', at: [3, 2] }),
  ],
  edges: edges(
    'item.out > inspect.in',
    'inspect.out > shape.in',
    'shape.pass > decide.in',
    'shape.block > unreadable.in',
    'decide.pass > passed.in',
    'decide.fail > failed.in',
  ),
}
