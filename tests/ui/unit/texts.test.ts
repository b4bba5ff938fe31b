import { expect, test } from 'bun:test'
import { parseSync } from 'oxc-parser'

/** Attributes that a person reads or hears, whatever component they are of. */
const SPOKEN = new Set([
  ...['alt', 'aria-description', 'aria-label', 'aria-roledescription', 'aria-valuetext'],
  ...['confirm', 'description', 'empty', 'failed', 'help', 'hint', 'label', 'placeholder', 'title', 'what'],
])
/** Attributes and calls whose words are for the browser, and elements that show what is typed. */
const UNSPOKEN = new Set(['className', 'classes', 'code', 'style'])
/** Keys of the keyboard, products, and names of a protocol or of a syntax. */
const NAMES =
  /^(Alt|Array|Backspace|Bearer|Control|Ctrl|Delete|End|Enter|Esc|Escape|Groq|Home|Meta|Mistral|Mod|Object|Ollama|Property|Shift|Tab)$/
/** Programs in other languages, to be copied. */
const SAMPLES = ['ui/triggers/signing.ts']

const isWord = (text: string) => /[A-Za-z]{2}/.test(text)
/** Begins like a sentence, or has one of its small words. */
const isProse = (text: string) =>
  (/^\s*[A-Z][a-z’]+([ .,…:?!]|$)/.test(text) && !NAMES.test(text.trim())) ||
  (text.includes(' ') &&
    / (a|an|and|are|but|by|could|for|from|in|is|it|no|not|of|or|than|that|the|to|was|with) /.test(
      ` ${text} `,
    ))

interface Node {
  type: string
  start: number
  [field: string]: unknown
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string'

const nameOf = (node: Node): string => {
  const name = (node.name ?? node.callee ?? node.openingElement) as Node | string | undefined
  if (typeof name === 'string') return name
  if (!name) return ''
  return name.type === 'JSXNamespacedName' ? '' : nameOf(name)
}

/** `direct`: what stands here is shown as it is, be it one word. */
function* textsIn(node: Node, direct: boolean): Generator<Node> {
  const text = textOf(node)
  if (text !== null) {
    if (direct ? isWord(text) : isProse(text)) yield node
  } else if (!isUnspoken(node)) {
    for (const [field, child] of childrenOf(node)) yield* textsIn(child, isDirect(node, field, direct))
  }
}

function textOf({ type, value }: Node): string | null {
  if (type === 'TemplateElement') return (value as { cooked: string }).cooked
  return (type === 'JSXText' || type === 'Literal') && typeof value === 'string' ? value : null
}

const isUnspoken = (node: Node): boolean =>
  /^(JSXAttribute|JSXElement|CallExpression)$/.test(node.type)
    ? UNSPOKEN.has(nameOf(node))
    : /^(TS|Import|Export(All|Named))/.test(node.type) && !isWrapper(node)

const childrenOf = (node: Node): [field: string, child: Node][] =>
  Object.entries(node).flatMap(([field, value]) =>
    (Array.isArray(value) ? value : [value]).filter(isNode).map((child): [string, Node] => [field, child]),
  )

const isWrapper = ({ type, declaration }: Node) =>
  type === 'TSAsExpression' || type === 'TSSatisfiesExpression' || isNode(declaration)

function isDirect(node: Node, field: string, direct: boolean): boolean {
  switch (node.type) {
    case 'JSXElement':
    case 'JSXFragment':
      return field === 'children'
    case 'JSXAttribute':
      return SPOKEN.has(nameOf(node))
    case 'ConditionalExpression':
      return direct && field !== 'test'
    case 'LogicalExpression':
      return direct && (field === 'right' || node.operator !== '&&')
    case 'JSXExpressionContainer':
    case 'ParenthesizedExpression':
    case 'TemplateLiteral':
      return direct
    default:
      return false
  }
}

/** The texts of a file, each with its line. */
const textsOf = (file: string, source: string): string[] =>
  [...textsIn(parseSync(file, source).program as unknown as Node, false)].map(({ start }) => {
    const line = source.slice(0, start).split('\n').length
    return `${file}:${line}: ${source.slice(start).trim().split('\n')[0]!.slice(0, 80)}`
  })

test('texts stand in ui/texts', async () => {
  const found: string[] = []
  for await (const file of new Bun.Glob('ui/**/*.{ts,tsx}').scan('.')) {
    if (/^ui\/(dist|texts)\//.test(file) || SAMPLES.includes(file)) continue
    found.push(...textsOf(file, await Bun.file(file).text()))
  }
  expect(found.sort()).toEqual([])
})

test.each([
  '<p>word</p>',
  "<p>{isNew ? texts.added : 'removed'}</p>",
  '<Button label="word" />',
  '<Button label={`words`} />',
  "toast('Saved.')",
  'throw new Error(`the run failed`)',
  "const LABELS = { cold: 'Not loaded' }",
])('%s has a text', (source) => expect(textsOf('a.tsx', source)).toHaveLength(1))

test.each([
  '<p className="flex in">{texts.word}</p>',
  '<code>npm start</code>',
  "import { texts } from '../texts/a'",
  "if (event.key === 'Escape') leave('in')",
  "type Way = 'Not a text' | 'up'",
])('%s has none', (source) => expect(textsOf('a.tsx', source)).toEqual([]))
