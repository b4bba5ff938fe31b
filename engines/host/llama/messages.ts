import { tryParse } from '#kernel/json'
import { invalid } from '../http'

type Message = Record<string, unknown>

/** Messages as chat templates expect them. @throws {HostError} 400 naming the message */
export function messagesOf(messages: unknown): Message[] {
  if (!Array.isArray(messages) || messages.length === 0)
    throw invalid('messages: must be a list with a message.')
  return messages.map((message: unknown, index) => {
    const { role, content, tool_calls, ...rest } = (message ?? {}) as Message
    if (typeof role !== 'string') throw invalid(`messages[${index}].role: is required.`)
    return {
      ...rest,
      // The newer name of the same thing, which templates do not know.
      role: role === 'developer' ? 'system' : role,
      content: textOf(content, index),
      ...(Array.isArray(tool_calls) && tool_calls.length > 0
        ? { tool_calls: tool_calls.map(parsedCall) }
        : {}),
    }
  })
}

function textOf(content: unknown, index: number): string {
  if (content === undefined || content === null) return ''
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) throw invalid(`messages[${index}].content: must be a text or a list of parts.`)
  return content.map((part: Message) => partText(part, index)).join('\n')
}

function partText(part: Message | null, index: number): string {
  if (part?.type === 'text' && typeof part.text === 'string') return part.text
  throw invalid(
    `messages[${index}].content: the built-in llama.cpp reads text only, not ${part?.type ?? 'nothing'}. For pictures install llama.cpp, whose llama-server looks at them (\`brew install llama.cpp\`, or a release from its site).`,
  )
}

/** Templates write arguments as JSON themselves, so they get the object and not its text. */
function parsedCall(call: Message): Message {
  const one = call.function as Message | undefined
  if (typeof one?.arguments !== 'string') return call
  return { ...call, function: { ...one, arguments: tryParse(one.arguments) ?? one.arguments } }
}
