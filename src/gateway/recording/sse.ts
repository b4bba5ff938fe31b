/** An event larger than this ends the parsing of its answer: no provider sends one. */
const MAX_EVENT_CHARACTERS = 16 * 1024 * 1024

/**
 * Cuts a stream of server-sent events into events as the bytes come, however they are split. `event` gets the name, or
 * an empty text, and the data; it should be quick to leave what it does not want.
 */
export function sseParser(event: (name: string, data: string) => void) {
  const decoder = new TextDecoder()
  /** The event that has not ended yet: joined once it has, for an end may be a long way off. */
  let pieces: string[] = []
  let characters = 0

  function take(text: string) {
    let start = 0
    if (text.startsWith('\n') && pieces.at(-1)?.endsWith('\n')) {
      finish('')
      start = 1
    }
    for (let end = text.indexOf('\n\n', start); end >= 0; end = text.indexOf('\n\n', start)) {
      finish(text.slice(start, end))
      start = end + 2
    }
    if (start === text.length) return
    pieces.push(start === 0 ? text : text.slice(start))
    characters += text.length - start
    if (characters > MAX_EVENT_CHARACTERS) throw new Error('an event without an end')
  }

  function finish(last: string) {
    const block = pieces.length === 0 ? last : pieces.join('') + last
    pieces = []
    characters = 0
    read(block, event)
  }

  const lines = unixLines()
  return {
    push(chunk: Uint8Array) {
      take(lines(decoder.decode(chunk, { stream: true })))
    },
    /** What stands behind the last blank line is read too: a provider may end without one. */
    end() {
      take(`${lines(decoder.decode())}\n\n`)
    },
  }
}

/** Lines that end in CR LF as lines that end in LF, also where the two come apart. */
function unixLines() {
  let held = ''
  return (text: string): string => {
    if (held === '' && !text.includes('\r')) return text
    const joined = held + text
    held = joined.endsWith('\r') ? '\r' : ''
    return (held ? joined.slice(0, -1) : joined).replaceAll('\r\n', '\n')
  }
}

function read(block: string, event: (name: string, data: string) => void) {
  // One name and one line of data is what providers send.
  if (block.startsWith('event:')) {
    const end = block.indexOf('\n')
    const rest = end < 0 ? '' : block.slice(end + 1)
    if (rest.startsWith('data:') && !rest.includes('\n')) {
      event(block.slice(6, end).trim(), dataOf(rest))
      return
    }
  }
  let name = ''
  const data: string[] = []
  for (const line of block.split('\n')) {
    if (line.startsWith('event:')) name = line.slice(6).trim()
    else if (line.startsWith('data:')) data.push(dataOf(line))
  }
  if (data.length > 0) event(name, data.join('\n'))
}

const dataOf = (line: string): string => line.slice(line[5] === ' ' ? 6 : 5)
