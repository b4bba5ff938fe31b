import type { RunEvent } from '#graph/events'
import { DONE } from '#kernel/http/sse'
import type { FrameLog } from './frame-log'
import type { Outcome } from './live'

/** Names a run's events for its stream (interface, 3.2). Encodes by hand what is sent once per token. */
export function frameWriter(runId: string, model: string, frames: FrameLog) {
  const head = `{"runId":${JSON.stringify(runId)},`

  return {
    on(event: RunEvent) {
      switch (event.type) {
        case 'streaming':
          return frames.push('run', `${head}"status":"streaming","model":${JSON.stringify(model)}}`)
        case 'delta':
          return frames.push('delta', `${head}"delta":${JSON.stringify(event.text)}}`)
        case 'reasoning':
          return frames.push('reasoning', `${head}"reasoning":${JSON.stringify(event.text)}}`)
        case 'tool_call':
          return frames.push('tool_call', `${head}"toolCall":${JSON.stringify(event.tool)}}`)
        case 'span.open':
        case 'span.close':
        case 'node.io':
          return
      }
    },

    end(outcome: Outcome) {
      const rest =
        outcome.status === 'completed'
          ? '"status":"completed"}'
          : `"status":"failed","error":${JSON.stringify(outcome.error.message)}}`
      frames.push('run', head + rest)
      frames.end(DONE)
    },
  }
}
