/** What speech models listen at, in hertz. */
const RATE = 16_000
const HEADER_BYTES = 44
const BYTES_PER_SAMPLE = 2

/** Any sound that the browser can play, as 16 kHz mono WAV, which every engine reads. @throws where it cannot be read */
export async function asWav(sound: Blob): Promise<File> {
  const context = new OfflineAudioContext(1, 1, RATE)
  const decoded = await context.decodeAudioData(await sound.arrayBuffer())
  const mono = new OfflineAudioContext(1, Math.max(1, Math.ceil(decoded.duration * RATE)), RATE)
  const source = mono.createBufferSource()
  source.buffer = decoded
  source.connect(mono.destination)
  source.start()
  const samples = (await mono.startRendering()).getChannelData(0)
  return new File([wavOf(samples)], 'recording.wav', { type: 'audio/wav' })
}

/** 16-bit PCM with the header that says so. */
function wavOf(samples: Float32Array): ArrayBuffer {
  const length = samples.length * BYTES_PER_SAMPLE
  const view = new DataView(new ArrayBuffer(HEADER_BYTES + length))
  const text = (at: number, word: string) => {
    for (let index = 0; index < word.length; index++) view.setUint8(at + index, word.charCodeAt(index))
  }
  text(0, 'RIFF')
  view.setUint32(4, HEADER_BYTES - 8 + length, true)
  text(8, 'WAVEfmt ')
  view.setUint32(16, 16, true)
  view.setUint16(20, 1, true)
  view.setUint16(22, 1, true)
  view.setUint32(24, RATE, true)
  view.setUint32(28, RATE * BYTES_PER_SAMPLE, true)
  view.setUint16(32, BYTES_PER_SAMPLE, true)
  view.setUint16(34, 8 * BYTES_PER_SAMPLE, true)
  text(36, 'data')
  view.setUint32(40, length, true)
  for (const [index, sample] of samples.entries()) {
    const limited = Math.max(-1, Math.min(1, sample))
    view.setInt16(HEADER_BYTES + index * BYTES_PER_SAMPLE, Math.round(limited * 0x7fff), true)
  }
  return view.buffer
}
