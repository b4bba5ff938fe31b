import { invalid } from '../http'
import type { Transcript } from './binding'

const FORMATS = ['json', 'text', 'verbose_json', 'srt', 'vtt'] as const
export type Format = (typeof FORMATS)[number]

export function formatOf(value: unknown): Format {
  const format = FORMATS.find((one) => one === (value ?? 'json'))
  if (format) return format
  throw invalid(`response_format: must be one of ${FORMATS.join(', ')}.`)
}

/** The transcript as it was asked for. */
export function written(
  transcript: Transcript,
  format: Format,
  { durationMs, language }: { durationMs: number; language: string },
): Response {
  const text = transcript.result.trim()
  switch (format) {
    case 'json':
      return Response.json({ text })
    case 'verbose_json':
      return Response.json({
        task: 'transcribe',
        language: transcript.language ?? language,
        duration: durationMs / 1000,
        text,
        segments: segmentsOf(transcript, durationMs),
      })
    case 'text':
      return plain(`${text}\n`)
    case 'srt':
      return plain(cues(transcript, durationMs, ',', (index) => `${index + 1}\n`))
    case 'vtt':
      return plain(`WEBVTT\n\n${cues(transcript, durationMs, '.', () => '')}`)
  }
}

/** The engine hears half a minute at a time, also where the recording is shorter. */
const segmentsOf = ({ segments }: Transcript, durationMs: number) =>
  segments.map(({ text, t0, t1 }, id) => ({
    id,
    start: Math.min(t0, durationMs) / 1000,
    end: Math.min(t1, durationMs) / 1000,
    text,
  }))

const cues = (transcript: Transcript, durationMs: number, comma: string, head: (index: number) => string) =>
  segmentsOf(transcript, durationMs)
    .map(({ start, end, text }, index) => {
      return `${head(index)}${clock(start, comma)} --> ${clock(end, comma)}\n${text.trim()}\n\n`
    })
    .join('')

/** `01:02:03,456`. */
function clock(seconds: number, comma: string): string {
  const ms = Math.round(seconds * 1000)
  const two = (value: number) => `${Math.floor(value)}`.padStart(2, '0')
  const rest = `${ms % 1000}`.padStart(3, '0')
  return `${two(ms / 3_600_000)}:${two((ms / 60_000) % 60)}:${two((ms / 1000) % 60)}${comma}${rest}`
}

const plain = (text: string) =>
  new Response(text, { headers: { 'content-type': 'text/plain; charset=utf-8' } })
