import { eventStream } from '#kernel/http/sse'
import type { FrameSource } from './frame-log'
import type { StartedRun } from './launch'

/** What a run is answered with: its stream, or its result once it ended. */
export const runAnswer = async ({ stream }: { stream?: boolean }, run: StartedRun): Promise<Response> =>
  stream === false ? Response.json(await run.result()) : streamAnswer(run.stream)

export interface Streamed {
  source: FrameSource
  keepaliveMs: number
}

export const streamAnswer = ({ source, keepaliveMs }: Streamed): Response =>
  eventStream(source, { keepaliveMs })
