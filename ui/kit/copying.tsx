import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { texts as kit } from '../texts/kit'
import { IconButton } from './button'
import { classes } from './classes'

const texts = kit.copying
const CONFIRMED_MS = 1_600

/** `label` says what is copied: "Copy token". */
export function CopyButton({
  text,
  label = texts.copy,
  className,
}: {
  text: string
  label?: string
  className?: string
}) {
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), CONFIRMED_MS)
    return () => clearTimeout(timer)
  }, [copied])
  return (
    <IconButton
      size="sm"
      className={className}
      label={copied ? texts.copied : label}
      icon={
        copied ? (
          <Check aria-hidden className="size-3.5 text-good" />
        ) : (
          <Copy aria-hidden className="size-3.5" />
        )
      }
      onClick={() => void copyText(text).then(setCopied)}
    />
  )
}

/** Whether it is on the clipboard now. Browsers allow it to secure pages only, and localhost counts as one. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    // Refused, or not there: the text stays on show, to be selected by hand.
    return false
  }
}

/** Text to read and to copy as it is. `label` names it. */
export const CodeBlock = ({
  text,
  label,
  className,
}: {
  text: string
  label: string
  className?: string
}) => (
  <div className={classes('relative min-w-0 rounded-lg border bg-sunken', className)}>
    <section
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
      tabIndex={0}
      aria-label={label}
      className="max-h-96 overflow-auto rounded-lg py-2.5 pr-11 pl-3"
    >
      <pre className="text-xs leading-relaxed text-text">{text}</pre>
    </section>
    <CopyButton text={text} label={texts.copyOf(label)} className="absolute top-1.5 right-1.5 bg-sunken" />
  </div>
)
