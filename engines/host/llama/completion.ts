import { callsOf } from '../../answer-text/pieces'
import { errorBody, HostError } from '../http'
import type { FinishReason, Part, Usage } from './answer'

/** What all chunks of one answer have in common. */
interface Head {
  id: string
  created: number
  model: unknown
}

export const headOf = (model: unknown): Head => ({
  id: `chatcmpl-${crypto.randomUUID().replaceAll('-', '')}`,
  created: Math.floor(Date.now() / 1000),
  model,
})

const callId = () => `call_${crypto.randomUUID().replaceAll('-', '').slice(0, 24)}`

/** An answer as one object. */
export async function wholeAnswer(parts: AsyncIterable<Part>, head: Head) {
  let content = ''
  let reasoning = ''
  const called: Exclude<Part, { kind: 'end' }>[] = []
  let end: { reason: FinishReason; usage: Usage } | undefined
  for await (const part of parts) {
    if (part.kind === 'content') content += part.text
    else if (part.kind === 'reasoning') reasoning += part.text
    else if (part.kind === 'end') end = part
    else called.push(part)
  }
  const calls = callsOf(called).map(({ name, arguments: text }) => ({
    id: callId(),
    type: 'function' as const,
    function: { name, arguments: text },
  }))
  const message = {
    role: 'assistant',
    content: content === '' && calls.length > 0 ? null : content,
    ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  }
  return {
    ...head,
    object: 'chat.completion',
    choices: [{ index: 0, message, logprobs: null, finish_reason: end?.reason ?? 'stop' }],
    usage: end?.usage,
  }
}

/** An answer as a stream of events, read as fast as the caller reads. */
export function streamedAnswer(
  parts: AsyncGenerator<Part>,
  head: Head,
  includeUsage: boolean,
  leave: () => void,
): Response {
  const shared = { ...head, object: 'chat.completion.chunk' }
  const encoder = new TextEncoder()
  let calls = 0
  let begun = false

  const chunk = (delta: object, finish: FinishReason | null = null) =>
    event({ ...shared, choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }] })

  const given = (text: string) => chunk({ tool_calls: [{ index: calls - 1, function: { arguments: text } }] })

  function events(part: Part): string {
    const first = begun ? '' : chunk({ role: 'assistant', content: null })
    begun = true
    return first + eventsOf(part)
  }

  function eventsOf(part: Part): string {
    switch (part.kind) {
      case 'content':
        return chunk({ content: part.text })
      case 'reasoning':
        return chunk({ reasoning_content: part.text })
      case 'call': {
        const index = calls++
        const named = { index, id: callId(), type: 'function', function: { name: part.name, arguments: '' } }
        return chunk({ tool_calls: [named] }) + (part.arguments === '' ? '' : given(part.arguments))
      }
      case 'arguments':
        return given(part.text)
      case 'end': {
        const usage = includeUsage ? event({ ...shared, choices: [], usage: part.usage }) : ''
        return `${chunk({}, part.reason)}${usage}data: [DONE]\n\n`
      }
    }
  }

  const body = new ReadableStream<Uint8Array>({
    async pull(out) {
      try {
        const { done, value } = await parts.next()
        if (done) return out.close()
        out.enqueue(encoder.encode(events(value)))
      } catch (error) {
        out.enqueue(encoder.encode(event(errorBody(failure(error)))))
        out.close()
      }
    },
    cancel() {
      leave()
      return parts.return(undefined).then(() => undefined)
    },
  })
  return new Response(body, {
    headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' },
  })
}

const event = (data: object): string => `data: ${JSON.stringify(data)}\n\n`

const failure = (error: unknown): HostError =>
  error instanceof HostError ? error : new HostError(500, `The engine failed: ${(error as Error).message}`)
