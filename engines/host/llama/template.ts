import { Template } from '@huggingface/jinja'
import type { LlamaModel, Token } from 'node-llama-cpp'
import { invalid } from '../http'

/** For models that bring no template of their own. */
const CHATML = `{% for message in messages %}{{ '<|im_start|>' + message.role + '\n' + message.content + '<|im_end|>\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}`

export interface Conversation {
  messages: Record<string, unknown>[]
  tools: unknown[] | null
  /** Further variables of the template, such as `enable_thinking`. */
  variables: Record<string, unknown>
}

/** The model's own chat template. It is parsed once: that alone may take a second. */
export function chatTemplate(model: LlamaModel) {
  const text = model.fileInfo.metadata.tokenizer.chat_template ?? CHATML
  const template = new Template(text)
  const { bosString, eosString } = model.tokens

  return {
    text,
    /** The prompt of a conversation. @throws {HostError} 400 where the template refuses it */
    render({ messages, tools, variables }: Conversation): string {
      try {
        return template.render({
          bos_token: bosString ?? '',
          eos_token: eosString ?? '',
          add_generation_prompt: true,
          ...variables,
          messages,
          // Templates ask whether there are tools, and to some an empty list is one.
          ...(tools && tools.length > 0 ? { tools } : {}),
        })
      } catch (error) {
        throw invalid(`The chat template of this model refuses the messages: ${(error as Error).message}`)
      }
    },
    /** Special tokens in the text count as such; the first one is there once, whoever writes it. */
    tokenize(prompt: string): Token[] {
      const tokens = model.tokenize(prompt, true)
      const { bos, shouldPrependBosToken } = model.tokens
      return shouldPrependBosToken && bos !== null && tokens[0] !== bos ? [bos, ...tokens] : tokens
    },
  }
}
