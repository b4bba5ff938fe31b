import { memo, type ReactNode } from 'react'
import ReactMarkdown, { type Components } from 'react-markdown'
import remarkGfm from 'remark-gfm'
import { CopyButton } from '../kit/copying'
import { texts as chat } from '../texts/chat'

const texts = chat.markdown

/** An answer as it is meant to be read. HTML in it stays text: `react-markdown` renders none. */
export const Markdown = memo(function Markdown({ text }: { text: string }) {
  return (
    <div className="flex min-w-0 flex-col gap-3 text-base leading-relaxed text-text">
      <ReactMarkdown components={COMPONENTS} remarkPlugins={REMARK} skipHtml={false}>
        {text}
      </ReactMarkdown>
    </div>
  )
})

const REMARK = [remarkGfm, emptyBlocksAsText]

const COMPONENTS: Components = {
  a: ({ href, children }) => (
    <a
      href={href}
      target="_blank"
      rel="noreferrer noopener"
      className="text-accent underline decoration-accent/40 underline-offset-2 hover:decoration-accent"
    >
      {children}
    </a>
  ),
  // A picture of somebody else's server would tell it that this was read: a link shows where it is instead.
  img: ({ src, alt }) => (
    <a
      href={typeof src === 'string' ? src : undefined}
      target="_blank"
      rel="noreferrer noopener"
      className="text-accent underline"
    >
      {alt || texts.picture}
    </a>
  ),
  h1: ({ children }) => <Heading>{children}</Heading>,
  h2: ({ children }) => <Heading>{children}</Heading>,
  h3: ({ children }) => <Heading>{children}</Heading>,
  h4: ({ children }) => <Heading>{children}</Heading>,
  h5: ({ children }) => <Heading>{children}</Heading>,
  h6: ({ children }) => <Heading>{children}</Heading>,
  ul: ({ children }) => <ul className="flex list-disc flex-col gap-1 pl-5 marker:text-faint">{children}</ul>,
  ol: ({ children, start }) => (
    <ol start={start} className="flex list-decimal flex-col gap-1 pl-6 marker:text-muted">
      {children}
    </ol>
  ),
  li: ({ children }) => <li className="pl-1 [&>p]:inline [&>ol]:mt-1 [&>ul]:mt-1">{children}</li>,
  blockquote: ({ children }) => (
    <blockquote className="flex flex-col gap-2 border-l-2 border-line-strong pl-3 text-muted">
      {children}
    </blockquote>
  ),
  table: ({ children }) => (
    <section
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
      tabIndex={0}
      aria-label={texts.table}
      className="overflow-x-auto rounded-lg border"
    >
      <table className="w-full border-collapse text-sm">{children}</table>
    </section>
  ),
  th: ({ children }) => (
    <th className="border-b bg-sunken/60 px-3 py-1.5 text-left font-medium">{children}</th>
  ),
  td: ({ children }) => <td className="border-b px-3 py-1.5 align-top">{children}</td>,
  hr: () => <hr className="border-line" />,
  pre: ({ node, children }) => {
    const { text, language } = codeOf(node)
    return (
      <Code language={language} text={text}>
        {children}
      </Code>
    )
  },
  code: ({ className, children }) => (
    <code className={`rounded-sm bg-sunken px-1 py-0.5 text-[0.9em] ${className ?? ''}`}>{children}</code>
  ),
}

/** Below the screen's own headings, whatever level the model chose. */
const Heading = ({ children }: { children?: ReactNode }) => (
  <h3 className="mt-2 text-base font-semibold text-text first:mt-0">{children}</h3>
)

interface CodeProps {
  language: string
  text: string
  children?: ReactNode
}

const Code = ({ language, text, children }: CodeProps) => (
  <div className="group/code min-w-0 overflow-hidden rounded-lg border">
    <div className="flex items-center justify-between border-b bg-sunken/60 py-0.5 pr-1 pl-3">
      <span className="font-mono text-2xs text-muted">{language || texts.noLanguage}</span>
      <CopyButton text={text} label={texts.copyCode} />
    </div>
    <section
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
      tabIndex={0}
      aria-label={language ? texts.codeIn(language) : texts.code}
      className="overflow-x-auto focus-visible:outline-offset-[-2px]"
    >
      <pre className="w-max min-w-full px-3 py-2.5 text-xs leading-relaxed [&>code]:bg-transparent [&>code]:p-0">
        {children}
      </pre>
    </section>
  </div>
)

interface Node {
  type: string
  value?: string
  properties?: { className?: unknown }
  children?: Node[]
}

/** The text of a code block and the language its fence named. */
function codeOf(node: unknown): { text: string; language: string } {
  const code = (node as Node | undefined)?.children?.[0]
  const names = Array.isArray(code?.properties?.className) ? code.properties.className.map(String) : []
  const language = names.find((name) => name.startsWith('language-'))?.slice('language-'.length) ?? ''
  return { text: (code?.children ?? []).map(({ value }) => value ?? '').join(''), language }
}

interface Block {
  type: string
  value?: string
  children?: Block[]
  position?: { start: { offset?: number }; end: { offset?: number } }
}

/** Blocks that hold blocks; what a line of text is made of need not be looked through. */
const HOLDERS = /^(root|blockquote|list|listItem)$/

/**
 * A list, a heading or a quote without a word in it is something that happens to look like one: “42.”, “#” and “>” are
 * answers too.
 */
function emptyBlocksAsText() {
  const asText = (block: Block, source: string) => {
    if (!HOLDERS.test(block.type)) return
    block.children = block.children?.map((child) => {
      if (!isEmpty(child)) {
        asText(child, source)
        return child
      }
      const value = source.slice(child.position?.start.offset, child.position?.end.offset).trimEnd()
      return { type: 'paragraph', children: [{ type: 'text', value }], position: child.position }
    })
  }
  return (root: Block, file: { value: unknown }) => asText(root, String(file.value))
}

const isEmpty = ({ type, children = [] }: Block): boolean =>
  type === 'list'
    ? children.every(isEmpty)
    : /^(listItem|heading|blockquote)$/.test(type) && children.length === 0
