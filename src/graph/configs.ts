import Type from 'typebox'
import { anyJson, choice, closed, mapOf, oneOf, openObject, orNull, says } from './shapes'

/** What may be written in the `config` of each node type. Unlike the envelope it is read in camelCase only. */

const text = () => Type.String({ minLength: 1 })
const record = () => openObject({ default: {} })

const FALLIBLE = {
  retry: says(
    'Tries it again when it fails: `attempts` in all, the first included, from 1 to 5, and `backoffMs` (default 500) to wait, twice as long after each.',
    orNull(
      closed({
        attempts: Type.Integer({ minimum: 1, maximum: 5 }),
        backoffMs: Type.Integer({ minimum: 0, maximum: 60_000, default: 500 }),
      }),
    ),
  ),
  // A timer beyond 24 days fires at once; a step that needs more than a day is a mistake.
  timeoutSeconds: says(
    'How long one try may take.',
    orNull(Type.Number({ exclusiveMinimum: 0, maximum: 86_400 })),
  ),
}

const MessagePart = oneOf(
  [
    closed({ type: Type.Literal('text'), text: Type.String() }),
    closed(
      {
        type: Type.Literal('image_url'),
        imageUrl: closed({ url: Type.String(), detail: Type.Optional(Type.String()) }),
      },
      { 'x-aliases': { image_url: 'imageUrl' } },
    ),
  ],
  'type',
)
const Message = closed({
  role: choice(['system', 'user', 'assistant']),
  content: oneOf([Type.String(), Type.Array(MessagePart)]),
})

export const Llm = closed({
  model: says('Key of the document’s `models`.', text()),
  messages: says(
    'What the model is asked: each has a `role` (system, user or assistant) and `content`, which is text or a list of `{type: "text", text}` and `{type: "image_url", imageUrl: {url, detail?}}`. Text and urls take `$in`.',
    Type.Array(Message),
  ),
  params: says('Generation parameters; they win over those of the model binding.', record()),
  tools: says('Keys of the document’s `tools` that the model may call.', Type.Array(text(), { default: [] })),
  toolChoice: says(
    '`auto`, `none`, `required`, or `{type: "function", function: {name}}`. Sent with the first turn only.',
    oneOf(
      [
        choice(['auto', 'none', 'required']),
        closed({ type: Type.Literal('function'), function: closed({ name: text() }) }),
      ],
      undefined,
      { default: 'auto' },
    ),
  ),
  maxToolIterations: says('Rounds of tool calls before the model must answer.', Type.Integer({ default: 8 })),
  maxToolResultChars: says(
    'Cuts longer tool results; null takes the setting `tools.result_max_chars`.',
    orNull(Type.Integer({ minimum: 0 })),
  ),
  ...FALLIBLE,
})

export const Tool = closed({
  tool: says('Key of the document’s `tools`, or the name of a built-in tool.', text()),
  args: says('Arguments of a built-in tool; a value that is a whole `$in` reference is replaced.', record()),
  method: says('HTTP method; null is GET.', orNull(Type.String())),
  urlTemplate: says(
    'URL, or what to put behind the connection’s base URL. Takes `$in`.',
    orNull(Type.String()),
  ),
  headers: says('Further headers. Values take `$in`.', mapOf(Type.String())),
  bodyTemplate: says('JSON body; whole `$in` references in it are replaced.', anyJson()),
  responseMap: says('Part of the response to keep, such as `$.items[0].name`.', orNull(Type.String())),
  idempotencyKey: says(
    'Sent as Idempotency-Key; takes `{runId}`, `{nodeId}` and `$in`.',
    orNull(Type.String()),
  ),
  connection: says('Id of a connection, where the binding does not name one.', orNull(text())),
  description: says('Tells a model what the tool is for.', orNull(Type.String())),
  parameterSchema: says('JSON Schema of the arguments, for a model.', orNull(openObject())),
  ...FALLIBLE,
})

export const McpTool = closed({
  tool: says('Name of the tool.', text()),
  server: says('Name of a registered MCP server. Exactly one of `server` and `connection`.', orNull(text())),
  connection: says('Id of a connection.', orNull(text())),
  args: says('Arguments; a value that is a whole `$in` reference is replaced.', record()),
  description: says('Tells a model what the tool is for.', orNull(Type.String())),
  ...FALLIBLE,
})

export const Rag = closed({
  source: says('Id of a document source (`rag_…`).', text()),
  query: says('What to look for; takes `$in`. Null is the whole input.', orNull(Type.String())),
  topK: says(
    'Passages to find, 1 to 50; without it the platform’s own number counts.',
    Type.Optional(Type.Integer({ minimum: 1, maximum: 50 })),
  ),
  minSimilarity: says(
    'Leaves out passages below it, -1 to 1.',
    orNull(Type.Number({ minimum: -1, maximum: 1 })),
  ),
  description: says('Tells a model what it can find here.', orNull(Type.String())),
  ...FALLIBLE,
})

/** transcribe, speak and imagine */
export const Media = closed({
  model: says('Key of the document’s `models`.', text()),
  params: says('Parameters; they win over those of the model binding.', record()),
  ...FALLIBLE,
})

const MODALITIES = ['text', 'audio', 'image', 'json'] as const
const schema = () => says('JSON Schema of the value; for people, not enforced.', orNull(openObject()))
export const Input = closed({
  modality: says('What a caller should send.', choice([...MODALITIES, 'video', 'file'], { default: 'text' })),
  schema: schema(),
})
export const Output = closed({
  modality: says('What a caller can expect.', choice(MODALITIES, { default: 'text' })),
  schema: schema(),
})

export const Router = closed({
  select: says('A `$in` reference or an expression that gives the name of an out-port.', text()),
})
export const Transform = closed({ expr: says('JSON template, or else an expression.', text()) })

const Check = closed(
  {
    type: choice(['rule', 'model'], { default: 'rule' }),
    rule: orNull(
      closed({
        kind: choice(['regex', 'length', 'allow', 'deny', 'json_schema', 'pii']),
        spec: record(),
      }),
    ),
    model: orNull(closed({ model: text(), prompt: Type.String(), passOn: Type.String({ default: 'yes' }) })),
  },
  { default: { type: 'rule', rule: null, model: null } },
)
export const Guardrail = closed({
  check: says(
    '`type` is `rule` (default) or `model`, and the object of that name says what is checked: `rule: {kind, spec}`, where kind is regex, length, allow, deny, json_schema or pii; or `model: {model, prompt, passOn}`, which passes when the answer begins with `passOn` (default yes).',
    Check,
  ),
  onBlock: says('What `block` carries; the input where it is empty.', record()),
  ...FALLIBLE,
})

const windowSeconds = () => says('Length of the window.', Type.Integer({ minimum: 1 }))
const keyExpr = (description: string) => says(description, Type.String())
export const RateLimit = closed({
  keyExpr: keyExpr('What is counted apart: a `$in` reference, or any text.'),
  limit: says('Values let through per window.', Type.Integer({ minimum: 0 })),
  windowSeconds: windowSeconds(),
  policy: says(
    'What happens above the limit. `wait` is taken, and denies as well.',
    choice(['deny', 'wait'], { default: 'deny' }),
  ),
})
export const Quota = closed({
  keyExpr: keyExpr('As for a rate limit; tokens are counted per agent.'),
  budgetTokens: says('Tokens of the agent’s runs per window.', Type.Integer({ minimum: 0 })),
  windowSeconds: windowSeconds(),
  source: says('Where used tokens are read from.', choice(['spans'], { default: 'spans' })),
})

export const Human = closed({
  prompt: says('What the person is asked.', orNull(Type.String())),
  inputSchema: says('JSON Schema of the answer; its `required` keys are enforced.', orNull(openObject())),
  timeout: says('Seconds to wait; null is forever.', orNull(Type.Number({ minimum: 0 }))),
  onTimeout: says(
    'Fails the run, or answers with `default`.',
    choice(['fail', 'default'], { default: 'fail' }),
  ),
  default: says('The answer after a timeout.', anyJson()),
})

/** Which agent a child run is of. Exactly one of the two pins, which the schema cannot say. */
const CHILD = {
  agent: says('Id of the agent.', text()),
  version: says('Its version. Exactly one of `version` and `contentHash`.', orNull(Type.String())),
  contentHash: says('Its version by content.', orNull(Type.String())),
  maxDepth: says('How deep child runs may nest.', Type.Integer({ default: 8 })),
}
export const Subgraph = closed(CHILD)
export const Loop = closed({
  ...CHILD,
  maxIterations: says('Turns at most.', Type.Integer()),
  condition: says(
    'Ends the loop where it holds: a `$in` reference or an expression over the last output, as port `in`.',
    orNull(Type.String()),
  ),
})
export const MapOver = closed({
  ...CHILD,
  concurrency: says('Child runs at once; null is all.', orNull(Type.Integer({ minimum: 1 }))),
  onError: says(
    'Ends at the first failure, or collects outcomes.',
    choice(['fail_fast', 'collect'], { default: 'fail_fast' }),
  ),
})

/** Of a type that is declared but cannot run. */
export const Opaque = openObject()
