import { HostError, type HostRoutes, invalid, serveHost } from '../http'
import { nativesVersion } from '../natives'
import type { HostOptions } from '../options'
import { speechOf } from './audio'
import { isMultilingual, type TranscribeOptions, type WhisperContext, whisperAddon } from './binding'
import { formatOf, written } from './formats'
import { RATE } from './resample'

/** Who comes later is told at once: a recording takes minutes. */
const MAX_WAITING = 64
const MAX_PROMPT_CHARS = 4_000

export async function version(options: HostOptions): Promise<string> {
  await whisperAddon(options)
  return `${nativesVersion('whispercpp')} (whisper.cpp, cpu)`
}

/** whisper.cpp behind the part of whisper-server's HTTP that the inference plane uses. */
export async function serve(options: HostOptions): Promise<void> {
  await serveHost(options.port, async () => {
    const { WhisperContext } = await whisperAddon(options)
    const context = new WhisperContext({ filePath: options.model, useGpu: process.platform === 'darwin' })
    return transcriptionRoutes(context, isMultilingual(options.model), options)
  })
}

function transcriptionRoutes(
  context: WhisperContext,
  multilingual: boolean,
  options: HostOptions,
): HostRoutes {
  let last: Promise<unknown> = Promise.resolve()
  let present = 0

  /** One at a time: the engine holds the state of one recording. */
  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (present > MAX_WAITING) throw new HostError(503, `${MAX_WAITING} recordings wait already.`)
    present++
    const turn = last.then(work)
    last = turn.catch(() => undefined).finally(() => present--)
    return await turn
  }

  async function transcribe(request: Request): Promise<Response> {
    const form = await request.formData().catch(() => null)
    const file = form?.get('file')
    if (!form || !(file instanceof Blob))
      throw invalid('file: is required, the recording as a file of a form.')
    const format = formatOf(form.get('response_format'))
    const wanted = wantedOf(form, multilingual, options.threads)
    return await inTurn(async () => {
      request.signal.throwIfAborted()
      const samples = await speechOf(new Uint8Array(await file.arrayBuffer()), options.ffmpeg)
      const transcript = await heard(samples, wanted, request.signal)
      const durationMs = (samples.length / RATE) * 1000
      return written(transcript, format, { durationMs, language: wanted.language })
    })
  }

  async function heard(samples: Int16Array<ArrayBuffer>, wanted: TranscribeOptions, signal: AbortSignal) {
    const { promise, stop } = context.transcribeData(samples.buffer, wanted)
    const leave = () => void stop()
    signal.addEventListener('abort', leave, { once: true })
    const transcript = await promise.finally(() => signal.removeEventListener('abort', leave))
    signal.throwIfAborted()
    return transcript
  }

  return { get: {}, post: { '/v1/audio/transcriptions': transcribe } }
}

function wantedOf(form: FormData, multilingual: boolean, threads: number): TranscribeOptions {
  const text = (name: string) => {
    const value = form.get(name)
    return typeof value === 'string' && value !== '' ? value : undefined
  }
  if (form.getAll('timestamp_granularities[]').includes('word')) {
    throw invalid('timestamp_granularities: the built-in whisper.cpp times segments, not words.')
  }
  const language = text('language')
  if (language !== undefined && !/^([a-z]{2,3}|auto)$/.test(language)) {
    throw invalid('language: must be a code such as en or de.')
  }
  const temperature = Number(text('temperature') ?? 0)
  if (!(temperature >= 0 && temperature <= 1)) throw invalid('temperature: must be a number from 0 to 1.')
  const prompt = text('prompt')?.slice(-MAX_PROMPT_CHARS)
  return {
    maxThreads: threads,
    // Models that know English only fail where they are asked to find out the language.
    language: multilingual ? (language ?? 'auto') : 'en',
    temperature,
    ...(prompt === undefined ? {} : { prompt }),
  }
}
