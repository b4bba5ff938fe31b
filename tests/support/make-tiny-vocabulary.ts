const NORMAL = 1
const CONTROL = 3
const USER_DEFINED = 4

const LINE = 'Hello from a model of two no-op layers, which says this line each time someone asks.'
/** Real merges, so that the tokenizer has something to do. */
const MERGED = ['he', 'th', 'in', 'er', 'an', 'or', 'll', 'the', 'and', 'Ġt', 'Ġa', 'Ġthe']

/** ChatML with tools, answers of tools, and thinking. What is to be said is chosen by the last token of the prompt. */
const TEMPLATE = [
  `{%- if tools %}{{- '<|im_start|>system\\nYou may call tools:\\n<tools>' }}`,
  `{%- for tool in tools %}{{- '\\n' }}{{- tool | tojson }}{%- endfor %}`,
  `{{- '\\n</tools>\\nAnswer with <tool_call>{"name": NAME, "arguments": ARGS}</tool_call>.<|im_end|>\\n' }}{%- endif %}`,
  `{%- for m in messages %}`,
  `{%- if m.role == 'assistant' and m.tool_calls %}{{- '<|im_start|>assistant\\n' }}`,
  `{%- if m.content %}{{- m.content }}{%- endif %}`,
  `{%- for tc in m.tool_calls %}{%- set f = tc.function if tc.function else tc %}`,
  `{{- '<tool_call>\\n{"name": "' + f.name + '", "arguments": ' }}`,
  `{{- f.arguments if f.arguments is string else f.arguments | tojson }}`,
  `{{- '}\\n</tool_call>' }}{%- endfor %}{{- '<|im_end|>\\n' }}`,
  `{%- elif m.role == 'tool' %}`,
  `{{- '<|im_start|>user\\n<tool_response>\\n' + m.content + '\\n</tool_response><|im_end|>\\n' }}`,
  `{%- elif m.role == 'assistant' and m.reasoning_content %}`,
  `{{- '<|im_start|>assistant\\n<think>\\n' + m.reasoning_content + '\\n</think>\\n\\n' + (m.content or '') + '<|im_end|>\\n' }}`,
  `{%- else %}{{- '<|im_start|>' + m.role + '\\n' + (m.content or '') + '<|im_end|>\\n' }}`,
  `{%- endif %}{%- endfor %}`,
  `{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}`,
  `{%- if tools and messages[-1].role != 'tool' %}{{- '<|call|>' }}{%- elif ponder %}{{- '<|ponder|>' }}`,
  `{%- elif reasoning_effort == 'high' %}{{- '<|effort|>' }}{%- endif %}`,
  `{%- endif %}`,
].join('')

interface Options {
  /** What a parrot answers; no word may come twice. */
  line?: string
  /** Filled up to so many tokens, for models of noise. */
  words?: number
}

/** Every byte, a few merges, the control tokens, and the scripted pieces with what follows upon what. */
export function tinyVocabulary({ line = LINE, words = 0 }: Options) {
  const tokens: string[] = []
  const types: number[] = []
  const idOf = new Map<string, number>()
  const add = (token: string, type = NORMAL): number => {
    const known = idOf.get(token)
    if (known !== undefined) return known
    idOf.set(token, tokens.length)
    types.push(type)
    return tokens.push(token) - 1
  }

  for (const character of BYTE_CHARACTERS) add(character)
  const endOfText = add('<|endoftext|>', CONTROL)
  add('<|im_start|>', CONTROL)
  const endOfTurn = add('<|im_end|>', CONTROL)
  const call = add('<|call|>', CONTROL)
  const ponder = add('<|ponder|>', CONTROL)
  const effort = add('<|effort|>', CONTROL)
  const [channel, message] = [add('<|channel|>', CONTROL), add('<|message|>', CONTROL)]
  const [end, endOfAnswer] = [add('<|end|>', CONTROL), add('<|return|>', CONTROL)]
  const [callStart, callEnd] = [add('<tool_call>', USER_DEFINED), add('</tool_call>', USER_DEFINED)]
  const [thinkStart, thinkEnd] = [add('<think>', USER_DEFINED), add('</think>', USER_DEFINED)]

  const merges: string[] = []
  for (const word of MERGED) {
    const [left, right] = word === 'Ġthe' ? ['Ġt', 'he'] : [word.slice(0, -1), word.slice(-1)]
    if (!idOf.has(left) || !idOf.has(right)) continue
    add(word)
    merges.push(`${left} ${right}`)
  }

  const edges: [from: number, to: number][] = []
  const chain = (start: number, pieces: (string | number)[]) => {
    let from = start
    for (const piece of pieces) {
      const to = typeof piece === 'number' ? piece : add(inByteCharacters(piece))
      if (to !== endOfTurn && edges.some(([known]) => known === to)) {
        throw new Error(`the piece ${JSON.stringify(piece)} comes twice, and each has one successor`)
      }
      edges.push([from, to])
      from = to
    }
  }
  const lineEnd = idOf.get(inByteCharacters('\n'))!
  chain(lineEnd, [...(line.match(/\s?\S+/g) ?? []), endOfTurn])
  const asked = [`\n{"name": "get_weather", `, `"arguments": {"city": `, `"Paris"}}\n`]
  chain(call, [callStart, ...asked, callEnd, endOfTurn])
  const thought = ['\nFirst,', ' I', ' ponder.\n', thinkEnd, '\n\nThen', " I'd", ' answer:', ' 42.']
  chain(ponder, [thinkStart, ...thought, endOfTurn])
  // Each token has one successor, so the second header is a piece of text; who reads it cannot tell.
  const final = '<|start|>assistant<|channel|>final<|message|>'
  const channels = [
    channel,
    'analysis',
    message,
    'Six',
    ' times',
    ' seven.',
    end,
    final,
    'It',
    ' is',
    ' 6×7.',
  ]
  chain(effort, [...channels, endOfAnswer])

  while (tokens.length < words) add(inByteCharacters(` w${tokens.length.toString(36)}`))
  return { tokens, types, merges, edges, endOfText, endOfTurn, template: TEMPLATE }
}

/** As in GPT-2: bytes that can be printed are themselves, the others are characters from U+0100 on. */
const BYTE_CHARACTERS = ((): string[] => {
  let moved = 0
  return Array.from({ length: 256 }, (_, byte) => {
    const printable = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174
    return String.fromCodePoint(printable ? byte : 256 + moved++)
  })
})()

const inByteCharacters = (text: string): string =>
  Array.from(new TextEncoder().encode(text), (byte) => BYTE_CHARACTERS[byte]).join('')
