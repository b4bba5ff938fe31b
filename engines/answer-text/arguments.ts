/** A call up to its arguments, which are an object: `{"name": "x", "arguments": {`, as nearly all models write it. */
const HEAD = /^\s*\{\s*"name"\s*:\s*("(?:[^"\\]|\\.)*")\s*,\s*"(?:arguments|parameters)"\s*:\s*(?=\{)/

/** The beginning of a call, once its arguments begin; `null` where it is none, or not yet one. */
export function callHead(text: string): { name: string; rest: string } | null {
  const match = HEAD.exec(text)
  return match && { name: JSON.parse(match[1]!) as string, rest: text.slice(match[0].length) }
}

/** The text of one JSON object as it comes, from its first brace on, without the white space between its parts, up to its last brace and no further. */
export function objectText() {
  let depth = 0
  let isText = false
  let isEscaped = false
  let isWhole = false

  /** True where the object ends with this character. */
  function passes(character: string): boolean {
    if (isText) {
      if (!isEscaped && character === '"') isText = false
      isEscaped = !isEscaped && character === '\\'
      return false
    }
    if (character === '"') isText = true
    if (character === '{' || character === '[') depth++
    if (character === '}' || character === ']') depth--
    return depth === 0
  }

  /** What of `text` belongs to the object, and what comes after it: `null` while it goes on. */
  return (text: string): { text: string; rest: string | null } => {
    if (isWhole) return { text: '', rest: text }
    let said = ''
    for (let at = 0; at < text.length; at++) {
      const character = text[at]!
      if (isText || !/\s/.test(character)) said += character
      isWhole = passes(character)
      if (isWhole) return { text: said, rest: text.slice(at + 1) }
    }
    return { text: said, rest: null }
  }
}
