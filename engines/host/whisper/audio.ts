import { invalid } from '../http'
import { RATE, toInt16, toSpeech } from './resample'
import { isWav, readWav } from './wav'

/** A recording of hours is converted in less. */
const CONVERT_MS = 120_000
/** Four hours of 16-bit samples. */
const MAX_CONVERTED_BYTES = 4 * 60 * 60 * RATE * 2
const MAX_MESSAGE_BYTES = 16 * 1024

/** 16-bit samples at 16 kHz, one channel. WAV is read here, anything else by ffmpeg. @throws {HostError} 400 */
export async function speechOf(
  bytes: Uint8Array<ArrayBuffer>,
  ffmpeg: string | undefined,
): Promise<Int16Array<ArrayBuffer>> {
  if (bytes.length === 0) throw invalid('file: is empty.')
  if (isWav(bytes)) return toInt16(toSpeech(readWav(bytes)))
  if (ffmpeg) return await converted(bytes, ffmpeg)
  throw invalid(
    'file: is no WAV file, and other formats need ffmpeg, which is not on the PATH. Install ffmpeg, or send WAV.',
  )
}

async function converted(bytes: Uint8Array<ArrayBuffer>, ffmpeg: string): Promise<Int16Array<ArrayBuffer>> {
  const child = Bun.spawn(
    [
      ...[ffmpeg, '-hide_banner', '-loglevel', 'error', '-nostdin', '-protocol_whitelist', 'pipe'],
      ...['-i', 'pipe:0', '-vn', '-ac', '1', '-ar', `${RATE}`, '-f', 's16le', 'pipe:1'],
    ],
    {
      // The end of a converter that closes its input early is told by its exit code.
      stdin: bytes,
      stdout: 'pipe',
      stderr: 'pipe',
      timeout: CONVERT_MS,
      killSignal: 'SIGKILL',
      maxBuffer: MAX_CONVERTED_BYTES,
    },
  )
  const [samples, said, code] = await Promise.all([
    new Response(child.stdout).arrayBuffer(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  if (code === 0 && samples.byteLength > 0) return new Int16Array(samples.slice(0, samples.byteLength & ~1))
  throw invalid(`file: ffmpeg cannot read it. ${said.slice(-MAX_MESSAGE_BYTES).trim()}`)
}
