/** Lines kept of what an engine writes, and the longest line: a progress bar without line breaks is one endless line. */
const MAX_LINES = 200
const MAX_LINE_CHARS = 2_000
/** How much of it an error repeats. */
const TAIL_CHARS = 2_000

export type Output = ReturnType<typeof capturedOutput>

/** The last of what a program wrote, on both its streams; memory stays the same however much that is. */
export function capturedOutput() {
  const lines: string[] = []

  function keep(line: string) {
    lines.push(line.slice(0, MAX_LINE_CHARS))
    if (lines.length > MAX_LINES) lines.shift()
  }

  return {
    lines: (): readonly string[] => lines,
    /** The end of it, for an error; empty when the program said nothing. */
    tail: (): string => lines.join('\n').slice(-TAIL_CHARS).trim(),

    /** Reads a stream to its end. It ends when the last process that holds it is gone. */
    async read(stream: ReadableStream<Uint8Array>): Promise<void> {
      const decoder = new TextDecoder()
      let rest = ''
      for await (const chunk of stream) {
        const pieces = (rest + decoder.decode(chunk, { stream: true })).split(/[\r\n]+/)
        rest = (pieces.pop() ?? '').slice(-MAX_LINE_CHARS)
        for (const piece of pieces) if (piece !== '') keep(piece)
      }
      if (rest !== '') keep(rest)
    },
  }
}
