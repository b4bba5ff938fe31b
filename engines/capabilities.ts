import type { Capabilities, Modality } from './engine'

/** Marks in a chat template that make the model's thinking visible. */
const REASONING_MARKS = /<think>|<\/think>|enable_thinking|reasoning_content|<\|channel\|>/

/** What a registration says itself: what a model is for, and nothing about how well. */
export function declaredCapabilities(modality: Modality): Capabilities {
  const vision = modality === 'vision'
  return {
    toolCalling: false,
    structuredOutput: false,
    vision,
    reasoning: false,
    maxContext: null,
    modalities: vision ? ['chat', 'vision'] : [modality],
    approximate: true,
  }
}

export const showsThinking = (template: string): boolean => REASONING_MARKS.test(template)
